/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/bcp/gstbcpresultbuilder.h"
#include "result.h"

#include <math.h>
#include <string.h>

struct _GstBcpResultBuilder
{
  gatomicrefcount refs;
  GstBcpResult *result;         /* NULL after gst_bcp_result_builder_end() */
};

G_DEFINE_BOXED_TYPE (GstBcpResultBuilder, gst_bcp_result_builder, gst_bcp_result_builder_ref,
    gst_bcp_result_builder_unref);

#define GST_BCP_IS_BUILDING(builder) ((builder) != NULL && (builder)->result != NULL)

GstBcpResultBuilder *
gst_bcp_result_builder_new (GstBcpLabels * labels)
{
  g_return_val_if_fail (labels != NULL, NULL);

  const gsize size = gst_bcp_labels_get_size (labels);
  const gsize values = GST_BCP_SCORE_FIELDS * size;
  GstBcpResult *result = g_malloc0 (sizeof (GstBcpResult) + values * sizeof (gdouble) + size);

  g_atomic_ref_count_init (&result->refs);
  result->labels = gst_bcp_labels_ref (labels);
  result->size = (guint) size;
  result->pts = GST_CLOCK_TIME_NONE;
  result->region_id = -1;
  result->anchor = -1;
  result->threshold = NAN;
  result->flags = (guint8 *) (result->values + values);
  for (gsize i = 0; i < size; i++) {
    gst_bcp_result_column (result, GST_BCP_SCORE_FIELD_PRIOR)[i] = NAN;
    gst_bcp_result_column (result, GST_BCP_SCORE_FIELD_EVIDENCE)[i] = NAN;
  }

  GstBcpResultBuilder *builder = g_new (GstBcpResultBuilder, 1);
  g_atomic_ref_count_init (&builder->refs);
  builder->result = result;
  return builder;
}

GstBcpResultBuilder *
gst_bcp_result_builder_ref (GstBcpResultBuilder * builder)
{
  g_return_val_if_fail (builder != NULL, NULL);
  g_atomic_ref_count_inc (&builder->refs);
  return builder;
}

void
gst_bcp_result_builder_unref (GstBcpResultBuilder * builder)
{
  g_return_if_fail (builder != NULL);
  if (!g_atomic_ref_count_dec (&builder->refs))
    return;
  g_clear_pointer (&builder->result, gst_bcp_result_unref);
  g_free (builder);
}

void
gst_bcp_result_builder_set_values (GstBcpResultBuilder * builder, GstBcpScoreField field, const gdouble * values,
    guint size)
{
  g_return_if_fail (GST_BCP_IS_BUILDING (builder));
  g_return_if_fail ((guint) field < GST_BCP_SCORE_FIELDS);
  g_return_if_fail (size == builder->result->size);
  g_return_if_fail (values != NULL || size == 0);

  if (size > 0)
    memcpy (gst_bcp_result_column (builder->result, field), values, size * sizeof (gdouble));
}

void
gst_bcp_result_builder_set_value (GstBcpResultBuilder * builder, GstBcpScoreField field, guint index, gdouble value)
{
  g_return_if_fail (GST_BCP_IS_BUILDING (builder));
  g_return_if_fail ((guint) field < GST_BCP_SCORE_FIELDS);
  g_return_if_fail (index < builder->result->size);

  gst_bcp_result_column (builder->result, field)[index] = value;
}

void
gst_bcp_result_builder_set_flags (GstBcpResultBuilder * builder, guint index, GstBcpScoreFlags flags)
{
  g_return_if_fail (GST_BCP_IS_BUILDING (builder));
  g_return_if_fail (index < builder->result->size);
  g_return_if_fail (((guint) flags & ~(guint) GST_BCP_SCORE_ALL_FLAGS) == 0);

  builder->result->flags[index] = (guint8) flags;
}

void
gst_bcp_result_builder_set_decision (GstBcpResultBuilder * builder, GstBcpDecision decision, gdouble threshold,
    gboolean calibrated)
{
  g_return_if_fail (GST_BCP_IS_BUILDING (builder));
  g_return_if_fail ((guint) decision <= GST_BCP_DECISION_PRESENCE);

  builder->result->decision = decision;
  builder->result->threshold = threshold;
  builder->result->calibrated = calibrated != FALSE;
}

gboolean
gst_bcp_result_builder_set_context (GstBcpResultBuilder * builder, const gchar * word, gdouble weight)
{
  g_return_val_if_fail (GST_BCP_IS_BUILDING (builder), FALSE);

  if (word && !g_utf8_validate (word, -1, NULL))
    return FALSE;
  g_free (builder->result->context);
  builder->result->context = g_strdup (word);
  builder->result->context_weight = word ? weight : 0;
  return TRUE;
}

gboolean
gst_bcp_result_builder_set_source_id (GstBcpResultBuilder * builder, const gchar * source_id)
{
  g_return_val_if_fail (GST_BCP_IS_BUILDING (builder), FALSE);

  if (source_id && !g_utf8_validate (source_id, -1, NULL))
    return FALSE;
  g_free (builder->result->source_id);
  builder->result->source_id = g_strdup (source_id);
  return TRUE;
}

void
gst_bcp_result_builder_set_pts (GstBcpResultBuilder * builder, GstClockTime pts)
{
  g_return_if_fail (GST_BCP_IS_BUILDING (builder));
  builder->result->pts = pts;
}

void
gst_bcp_result_builder_set_region_id (GstBcpResultBuilder * builder, gint region_id)
{
  g_return_if_fail (GST_BCP_IS_BUILDING (builder));
  builder->result->region_id = region_id;
}

void
gst_bcp_result_builder_set_anchor (GstBcpResultBuilder * builder, gint anchor, gdouble probability)
{
  g_return_if_fail (GST_BCP_IS_BUILDING (builder));
  g_return_if_fail (anchor >= -1 && anchor < (gint) builder->result->size);

  builder->result->anchor = anchor;
  builder->result->anchor_probability = probability;
}

void
gst_bcp_result_builder_set_samples (GstBcpResultBuilder * builder, gdouble samples)
{
  g_return_if_fail (GST_BCP_IS_BUILDING (builder));
  builder->result->samples = samples;
}

void
gst_bcp_result_builder_set_embedding (GstBcpResultBuilder * builder, const gfloat * embedding, guint size)
{
  g_return_if_fail (GST_BCP_IS_BUILDING (builder));
  g_return_if_fail (embedding != NULL || size == 0);

  g_free (builder->result->embedding);
  builder->result->embedding = size > 0 ? g_memdup2 (embedding, size * sizeof (gfloat)) : NULL;
  builder->result->embedding_size = size;
}

GstBcpResult *
gst_bcp_result_builder_end (GstBcpResultBuilder * builder)
{
  g_return_val_if_fail (GST_BCP_IS_BUILDING (builder), NULL);
  return g_steal_pointer (&builder->result);
}
