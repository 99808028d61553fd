/* The inside of a result, for the two files that may look: what reads it and what makes it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#pragma once

#include "gst/bcp/gstbcpresult.h"

G_BEGIN_DECLS

#define GST_BCP_SCORE_FIELDS (GST_BCP_SCORE_FIELD_EVIDENCE + 1)
#define GST_BCP_SCORE_ALL_FLAGS (GST_BCP_SCORE_SHOWN | GST_BCP_SCORE_SHOWN_ZERO_SHOT)

/* One block, however many labels; only the embedding, the context word and the source id, which most results do without or
 * keep short, have their own. */
struct _GstBcpResult
{
  gatomicrefcount refs;
  GstBcpLabels *labels;
  guint size;                   /* of labels */
  GstClockTime pts;
  gint region_id;
  gint anchor;
  gdouble anchor_probability;
  gdouble samples;
  GstBcpDecision decision;
  gdouble threshold;
  gboolean calibrated;
  gchar *context;
  gdouble context_weight;
  gchar *source_id;
  gfloat *embedding;
  guint embedding_size;
  guint8 *flags;                /* of each label: in this block, after the values */
  gdouble values[];             /* of all labels for the first field, then for the next */
};

static inline gdouble *
gst_bcp_result_column (const GstBcpResult * result, GstBcpScoreField field)
{
  return (gdouble *) result->values + (gsize) field * result->size;
}

G_END_DECLS
