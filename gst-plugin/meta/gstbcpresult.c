/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "result.h"

G_DEFINE_BOXED_TYPE (GstBcpResult, gst_bcp_result, gst_bcp_result_ref, gst_bcp_result_unref);

GstBcpResult *
gst_bcp_result_ref (GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, NULL);
  g_atomic_ref_count_inc (&result->refs);
  return result;
}

void
gst_bcp_result_unref (GstBcpResult * result)
{
  g_return_if_fail (result != NULL);
  if (!g_atomic_ref_count_dec (&result->refs))
    return;
  gst_bcp_labels_unref (result->labels);
  g_free (result->context);
  g_free (result->source_id);
  g_free (result->embedding);
  g_free (result);
}

GstBcpLabels *
gst_bcp_result_get_labels (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, NULL);
  return result->labels;
}

const gdouble *
gst_bcp_result_get_values (const GstBcpResult * result, GstBcpScoreField field, guint * size)
{
  if (size)
    *size = 0;
  g_return_val_if_fail (result != NULL, NULL);
  g_return_val_if_fail ((guint) field < GST_BCP_SCORE_FIELDS, NULL);
  if (size)
    *size = result->size;
  return gst_bcp_result_column (result, field);
}

static gdouble
value_of (const GstBcpResult * result, GstBcpScoreField field, guint index)
{
  g_return_val_if_fail (result != NULL, 0);
  g_return_val_if_fail (index < result->size, 0);
  return gst_bcp_result_column (result, field)[index];
}

gdouble
gst_bcp_result_get_zero_shot (const GstBcpResult * result, guint index)
{
  return value_of (result, GST_BCP_SCORE_FIELD_ZERO_SHOT, index);
}

gdouble
gst_bcp_result_get_correction (const GstBcpResult * result, guint index)
{
  return value_of (result, GST_BCP_SCORE_FIELD_CORRECTION, index);
}

gdouble
gst_bcp_result_get_logit (const GstBcpResult * result, guint index)
{
  return value_of (result, GST_BCP_SCORE_FIELD_LOGIT, index);
}

gdouble
gst_bcp_result_get_zero_shot_softmax (const GstBcpResult * result, guint index)
{
  return value_of (result, GST_BCP_SCORE_FIELD_ZERO_SHOT_SOFTMAX, index);
}

gdouble
gst_bcp_result_get_probability (const GstBcpResult * result, guint index)
{
  return value_of (result, GST_BCP_SCORE_FIELD_PROBABILITY, index);
}

gdouble
gst_bcp_result_get_softmax (const GstBcpResult * result, guint index)
{
  return value_of (result, GST_BCP_SCORE_FIELD_SOFTMAX, index);
}

gdouble
gst_bcp_result_get_prior (const GstBcpResult * result, guint index)
{
  return value_of (result, GST_BCP_SCORE_FIELD_PRIOR, index);
}

gdouble
gst_bcp_result_get_evidence (const GstBcpResult * result, guint index)
{
  return value_of (result, GST_BCP_SCORE_FIELD_EVIDENCE, index);
}

GstBcpScoreFlags
gst_bcp_result_get_flags (const GstBcpResult * result, guint index)
{
  g_return_val_if_fail (result != NULL, GST_BCP_SCORE_NONE);
  g_return_val_if_fail (index < result->size, GST_BCP_SCORE_NONE);
  return (GstBcpScoreFlags) result->flags[index];
}

gboolean
gst_bcp_result_is_shown (const GstBcpResult * result, guint index)
{
  return (gst_bcp_result_get_flags (result, index) & GST_BCP_SCORE_SHOWN) != 0;
}

gboolean
gst_bcp_result_is_shown_zero_shot (const GstBcpResult * result, guint index)
{
  return (gst_bcp_result_get_flags (result, index) & GST_BCP_SCORE_SHOWN_ZERO_SHOT) != 0;
}

GstBcpDecision
gst_bcp_result_get_decision (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, GST_BCP_DECISION_SOFTMAX);
  return result->decision;
}

gdouble
gst_bcp_result_get_threshold (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, 0);
  return result->threshold;
}

gboolean
gst_bcp_result_is_calibrated (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, FALSE);
  return result->calibrated;
}

const gchar *
gst_bcp_result_get_context (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, NULL);
  return result->context;
}

gdouble
gst_bcp_result_get_context_weight (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, 0);
  return result->context_weight;
}

const gchar *
gst_bcp_result_get_source_id (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, NULL);
  return result->source_id;
}

GstClockTime
gst_bcp_result_get_pts (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, GST_CLOCK_TIME_NONE);
  return result->pts;
}

gint
gst_bcp_result_get_region_id (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, -1);
  return result->region_id;
}

gint
gst_bcp_result_get_anchor (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, -1);
  return result->anchor;
}

gdouble
gst_bcp_result_get_anchor_probability (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, 0);
  return result->anchor_probability;
}

gdouble
gst_bcp_result_get_samples (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, 0);
  return result->samples;
}

const gfloat *
gst_bcp_result_get_embedding (const GstBcpResult * result, guint * size)
{
  if (size)
    *size = 0;
  g_return_val_if_fail (result != NULL, NULL);
  if (size)
    *size = result->embedding_size;
  return result->embedding;
}
