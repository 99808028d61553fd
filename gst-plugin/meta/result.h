/* The private fields of a result, for the two files that read and build it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#pragma once

#include "gst/bcp/gstbcpresult.h"

G_BEGIN_DECLS

#define GST_BCP_SCORE_FIELDS (GST_BCP_SCORE_FIELD_EVIDENCE + 1)
#define GST_BCP_SCORE_ALL_FLAGS (GST_BCP_SCORE_SHOWN | GST_BCP_SCORE_SHOWN_ZERO_SHOT)

/* One memory block for any number of labels. Only the embedding, the context word and the source id are allocated
 * separately; most results do not have them, or they are short. */
struct _GstBcpResult
{
  gatomicrefcount refs;
  GstBcpLabels *labels;
  guint size;                   /* number of labels */
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
