/* gst-bcp: creates a result
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
 * Builds one result. Defaults of what is not set: 0 for numbers, except NaN for prior, evidence and threshold;
 * %GST_BCP_DECISION_SOFTMAX, not calibrated, no context word; no label shown, no source id, no time, the whole frame,
 * no anchor, no embedding. Only one thread at a time may use it.
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
 * @labels: the labels that were scored; the result takes a reference
 *
 * Returns: (transfer full): a builder for a result with @labels
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
 * @field: which value of each label
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
 * @field: which value of the label
 * @index: a label, less than the number of labels
 * @value: its value
 *
 * For single labels; gst_bcp_result_builder_set_values() sets a field of all labels in one call.
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_value (GstBcpResultBuilder * builder, GstBcpScoreField field, guint index,
    gdouble value);

/**
 * gst_bcp_result_builder_set_flags:
 * @builder: the builder
 * @index: a label, less than the number of labels
 * @flags: the decision about the label
 *
 * Needed only for labels with a flag.
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_flags (GstBcpResultBuilder * builder, guint index, GstBcpScoreFlags flags);

/**
 * gst_bcp_result_builder_set_decision:
 * @builder: the builder
 * @decision: how the probabilities were computed
 * @threshold: the threshold of labels without their own one, or NaN when unknown
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
 * Returns: %TRUE; %FALSE, with the builder unchanged, when @word is not valid UTF-8
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
 * Returns: %TRUE; %FALSE, with the builder unchanged, when @source_id is not valid UTF-8
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
 * @region_id: the id in the meta of the region, or -1 for the whole frame
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_region_id (GstBcpResultBuilder * builder, gint region_id);

/**
 * gst_bcp_result_builder_set_anchor:
 * @builder: the builder
 * @anchor: index of the anchor label, or -1 when no label exceeded `anchor-confidence`
 * @probability: plain CLIP's softmax of the anchor (without an anchor, of the most likely label)
 *
 * Since: 0.2
 */
GST_BCP_API void gst_bcp_result_builder_set_anchor (GstBcpResultBuilder * builder, gint anchor, gdouble probability);

/**
 * gst_bcp_result_builder_set_samples:
 * @builder: the builder
 * @samples: the number of learnt samples that the correction is based on
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
 * Returns the result. Afterwards only gst_bcp_result_builder_unref() may be called on @builder.
 *
 * Returns: (transfer full): the result
 *
 * Since: 0.2
 */
GST_BCP_API GstBcpResult *gst_bcp_result_builder_end (GstBcpResultBuilder * builder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstBcpResultBuilder, gst_bcp_result_builder_unref)

G_END_DECLS
