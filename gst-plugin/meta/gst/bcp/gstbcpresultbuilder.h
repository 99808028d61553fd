/* gst-bcp: how a result is made
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 *   g_autoptr (GstBcpResultBuilder) builder = gst_bcp_result_builder_new (labels);
 *   gst_bcp_result_builder_set_values (builder, GST_BCP_SCORE_FIELD_PROBABILITY, probabilities, size);
 *   gst_bcp_result_builder_set_flags (builder, 3, GST_BCP_SCORE_SHOWN);
 *   gst_bcp_result_builder_set_pts (builder, GST_BUFFER_PTS (buffer));
 *   g_autoptr (GstBcpResult) result = gst_bcp_result_builder_end (builder);
 *   gst_buffer_add_bcp_meta (buffer, result, FALSE, 0);
 */

#pragma once

#include <gst/bcp/gstbcpresult.h>

G_BEGIN_DECLS

/**
 * GstBcpResultBuilder:
 *
 * A result while it is being made. Whatever is not set keeps its default: numbers 0, but prior, evidence and threshold
 * NaN; %GST_BCP_DECISION_SOFTMAX, not calibrated, no context word; nothing shown, no source id, no time, the whole
 * frame, no anchor, no embedding. It makes one result and is used by one thread at a time.
 *
 * Since: 0.2
 */
typedef struct _GstBcpResultBuilder GstBcpResultBuilder;

/**
 * GST_TYPE_BCP_RESULT_BUILDER:
 *
 * The boxed type of #GstBcpResultBuilder.
 *
 * Since: 0.2
 */
#define GST_TYPE_BCP_RESULT_BUILDER (gst_bcp_result_builder_get_type ())
GST_BCP_API GType gst_bcp_result_builder_get_type (void);

/**
 * gst_bcp_result_builder_new:
 * @labels: the labels the scores belong to; the result takes a reference
 *
 * Returns: (transfer full): a builder of a result over @labels
 *
 * Since: 0.2
 */
GST_BCP_API GstBcpResultBuilder *gst_bcp_result_builder_new (GstBcpLabels * labels);

/**
 * gst_bcp_result_builder_ref: (skip)
 * @builder: the builder
 *
 * Returns: (transfer full): @builder
 *
 * Since: 0.2
 */
GST_BCP_API GstBcpResultBuilder *gst_bcp_result_builder_ref (GstBcpResultBuilder * builder);

/**
 * gst_bcp_result_builder_unref: (skip)
 * @builder: (transfer full): the builder
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_unref (GstBcpResultBuilder * builder);

/**
 * gst_bcp_result_builder_set_values:
 * @builder: the builder
 * @field: which number of each label
 * @values: (array length=size): one value per label, in the order of the labels; copied
 * @size: the number of labels
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_values (GstBcpResultBuilder * builder, GstBcpScoreField field,
    const gdouble * values, guint size);

/**
 * gst_bcp_result_builder_set_value:
 * @builder: the builder
 * @field: which number of the label
 * @index: a label, less than the number of labels
 * @value: its value
 *
 * For few labels: gst_bcp_result_builder_set_values() sets those of all in one call.
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_value (GstBcpResultBuilder * builder, GstBcpScoreField field, guint index,
    gdouble value);

/**
 * gst_bcp_result_builder_set_flags:
 * @builder: the builder
 * @index: a label, less than the number of labels
 * @flags: what was decided about it
 *
 * Needed only for labels with a flag.
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_flags (GstBcpResultBuilder * builder, guint index, GstBcpScoreFlags flags);

/**
 * gst_bcp_result_builder_set_decision:
 * @builder: the builder
 * @decision: the rule that made the probabilities
 * @threshold: the probability from which a label is shown unless it has its own threshold, or NaN when not known
 * @calibrated: whether the probabilities are calibrated
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_decision (GstBcpResultBuilder * builder, GstBcpDecision decision,
    gdouble threshold, gboolean calibrated);

/**
 * gst_bcp_result_builder_set_context:
 * @builder: the builder
 * @word: (nullable): the context word that explains the frame better than any label; copied
 * @weight: the share of the frame that it explains, 0 to 1; ignored without a @word
 *
 * Returns: %TRUE, or %FALSE when @word is not valid UTF-8, which leaves the builder as it was
 *
 * Since: 0.2
 */
GST_BCP_API gboolean gst_bcp_result_builder_set_context (GstBcpResultBuilder * builder, const gchar * word,
    gdouble weight);

/**
 * gst_bcp_result_builder_set_source_id:
 * @builder: the builder
 * @source_id: (nullable): the name of the stream; copied
 *
 * Returns: %TRUE, or %FALSE when @source_id is not valid UTF-8, which leaves the builder as it was
 *
 * Since: 0.2
 */
GST_BCP_API gboolean gst_bcp_result_builder_set_source_id (GstBcpResultBuilder * builder, const gchar * source_id);

/**
 * gst_bcp_result_builder_set_pts:
 * @builder: the builder
 * @pts: presentation time of the frame that was scored, or GST_CLOCK_TIME_NONE
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_pts (GstBcpResultBuilder * builder, GstClockTime pts);

/**
 * gst_bcp_result_builder_set_region_id:
 * @builder: the builder
 * @region_id: the id of the region's own meta, or -1 for the whole frame
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_region_id (GstBcpResultBuilder * builder, gint region_id);

/**
 * gst_bcp_result_builder_set_anchor:
 * @builder: the builder
 * @anchor: index of the anchor label, or -1 when no label was sure enough
 * @probability: plain CLIP's softmax of the anchor (without an anchor, of the likeliest label)
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_anchor (GstBcpResultBuilder * builder, gint anchor, gdouble probability);

/**
 * gst_bcp_result_builder_set_samples:
 * @builder: the builder
 * @samples: learnt samples behind the correction
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_samples (GstBcpResultBuilder * builder, gdouble samples);

/**
 * gst_bcp_result_builder_set_embedding:
 * @builder: the builder
 * @embedding: (nullable) (array length=size): the unit image embedding; copied
 * @size: its length
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_embedding (GstBcpResultBuilder * builder, const gfloat * embedding,
    guint size);

/**
 * gst_bcp_result_builder_end:
 * @builder: the builder
 *
 * Ends the making of the result: @builder can only be released afterwards.
 *
 * Returns: (transfer full): the result
 *
 * Since: 0.2
 */
GST_BCP_API GstBcpResult *gst_bcp_result_builder_end (GstBcpResultBuilder * builder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstBcpResultBuilder, gst_bcp_result_builder_unref)

G_END_DECLS
