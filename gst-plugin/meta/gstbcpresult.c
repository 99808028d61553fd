/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/bcp/gstbcpmeta.h"

#include <string.h>

/* One block: this struct, the scores, the embedding, the source id. Its pointers lead into the block. */
struct _GstBcpResult
{
  gatomicrefcount refs;
  GstBcpLabels *labels;
  GstBcpResultInfo info;
  GstBcpScore scores[];
};

G_DEFINE_BOXED_TYPE (GstBcpResult, gst_bcp_result, gst_bcp_result_ref, gst_bcp_result_unref);

GstBcpResult *
gst_bcp_result_new (GstBcpLabels * labels, const GstBcpScore * scores, const GstBcpResultInfo * info)
{
  g_return_val_if_fail (labels != NULL, NULL);
  g_return_val_if_fail (info != NULL, NULL);

  const guint size = gst_bcp_labels_get_size (labels);
  g_return_val_if_fail (scores != NULL || size == 0, NULL);
  g_return_val_if_fail (info->anchor >= -1 && info->anchor < (gint) size, NULL);
  g_return_val_if_fail (info->embedding != NULL || info->embedding_size == 0, NULL);

  const gsize scores_bytes = size * sizeof (GstBcpScore);
  const gsize embedding_bytes = info->embedding_size * sizeof (gfloat);
  const gsize source_bytes = info->source_id ? strlen (info->source_id) + 1 : 0;

  GstBcpResult *result = g_malloc (sizeof (GstBcpResult) + scores_bytes + embedding_bytes + source_bytes);
  gfloat *embedding = (gfloat *) (result->scores + size);
  gchar *source_id = (gchar *) (embedding + info->embedding_size);

  g_atomic_ref_count_init (&result->refs);
  result->labels = gst_bcp_labels_ref (labels);
  result->info = *info;
  if (size > 0)
    memcpy (result->scores, scores, scores_bytes);
  if (info->embedding_size > 0)
    memcpy (embedding, info->embedding, embedding_bytes);
  result->info.embedding = info->embedding_size > 0 ? embedding : NULL;
  if (info->source_id)
    result->info.source_id = memcpy (source_id, info->source_id, source_bytes);
  return result;
}

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
  g_free (result);
}

GstBcpLabels *
gst_bcp_result_get_labels (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, NULL);
  return result->labels;
}

const GstBcpScore *
gst_bcp_result_get_score (const GstBcpResult * result, guint index)
{
  g_return_val_if_fail (result != NULL, NULL);
  g_return_val_if_fail (index < gst_bcp_labels_get_size (result->labels), NULL);
  return &result->scores[index];
}

const gchar *
gst_bcp_result_get_source_id (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, NULL);
  return result->info.source_id;
}

GstClockTime
gst_bcp_result_get_pts (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, GST_CLOCK_TIME_NONE);
  return result->info.pts;
}

gint
gst_bcp_result_get_region_id (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, -1);
  return result->info.region_id;
}

gint
gst_bcp_result_get_anchor (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, -1);
  return result->info.anchor;
}

gdouble
gst_bcp_result_get_anchor_probability (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, 0);
  return result->info.anchor_probability;
}

gdouble
gst_bcp_result_get_samples (const GstBcpResult * result)
{
  g_return_val_if_fail (result != NULL, 0);
  return result->info.samples;
}

const gfloat *
gst_bcp_result_get_embedding (const GstBcpResult * result, guint * size)
{
  if (size)
    *size = 0;
  g_return_val_if_fail (result != NULL, NULL);
  if (size)
    *size = result->info.embedding_size;
  return result->info.embedding;
}
