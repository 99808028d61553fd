/* gst-bcp: the result of one inference
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#pragma once

#include <gst/bcp/gstbcplabels.h>

G_BEGIN_DECLS

/**
 * GstBcpScoreFlags:
 * @GST_BCP_SCORE_NONE: not shown
 * @GST_BCP_SCORE_SHOWN: the label is shown: its probability passes the decision rule
 * @GST_BCP_SCORE_SHOWN_ZERO_SHOT: plain CLIP would show the label: its softmax over the requested labels is at least
 *   0.2 (with `decision=softmax`: it passes the same rule as @GST_BCP_SCORE_SHOWN)
 *
 * The decision about one label. Later versions may add flags.
 *
 * Since: 0.1
 */
typedef enum /*< flags >*/
{
  GST_BCP_SCORE_NONE = 0,
  GST_BCP_SCORE_SHOWN = (1 << 0),
  GST_BCP_SCORE_SHOWN_ZERO_SHOT = (1 << 1),
} GstBcpScoreFlags;

/**
 * GstBcpScoreField:
 * @GST_BCP_SCORE_FIELD_ZERO_SHOT: plain CLIP's logit
 * @GST_BCP_SCORE_FIELD_CORRECTION: the correction that BCP adds to this logit; 0 without evidence, and for an anchor
 *   unless `anchors` is 0
 * @GST_BCP_SCORE_FIELD_LOGIT: the corrected logit, the sum of zero-shot logit and correction
 * @GST_BCP_SCORE_FIELD_ZERO_SHOT_SOFTMAX: softmax over the zero-shot logits
 * @GST_BCP_SCORE_FIELD_PROBABILITY: probability that the label is present, 0 to 1; labels are independent, so several
 *   may be near 1, or none. With `decision=softmax`: the same as @GST_BCP_SCORE_FIELD_SOFTMAX
 * @GST_BCP_SCORE_FIELD_SOFTMAX: softmax over the corrected logits; with `keep-anchor` the most likely label keeps its
 *   zero-shot softmax and the others share the rest
 * @GST_BCP_SCORE_FIELD_PRIOR: probability of the label before its own evidence, given what else the frame shows, 0 to
 *   1; NaN with `decision=softmax`, and with a model without a prior (SigLIP)
 * @GST_BCP_SCORE_FIELD_EVIDENCE: logarithm of the label's own evidence; 0: no better than a random word; with SigLIP
 *   the log odds; NaN with `decision=softmax`
 *
 * The values of each label. Later versions may add fields.
 *
 * Since: 0.2
 */
typedef enum
{
  GST_BCP_SCORE_FIELD_ZERO_SHOT,
  GST_BCP_SCORE_FIELD_CORRECTION,
  GST_BCP_SCORE_FIELD_LOGIT,
  GST_BCP_SCORE_FIELD_ZERO_SHOT_SOFTMAX,
  GST_BCP_SCORE_FIELD_PROBABILITY,
  GST_BCP_SCORE_FIELD_SOFTMAX,
  GST_BCP_SCORE_FIELD_PRIOR,
  GST_BCP_SCORE_FIELD_EVIDENCE,
} GstBcpScoreField;

/**
 * GstBcpDecision:
 * @GST_BCP_DECISION_SOFTMAX: probabilities are the softmax over the corrected logits and sum to 1
 * @GST_BCP_DECISION_PRESENCE: each probability is that of the label being present, independently of the others
 *
 * How the probabilities of a result are computed. Later versions may add rules.
 *
 * Since: 0.2
 */
typedef enum
{
  GST_BCP_DECISION_SOFTMAX,
  GST_BCP_DECISION_PRESENCE,
} GstBcpDecision;

/**
 * GstBcpResult:
 *
 * The result of one inference: the scores of each label, and the frame and stream they belong to. Immutable and
 * reference-counted; created with a #GstBcpResultBuilder.
 *
 * Since: 0.1
 */
typedef struct _GstBcpResult GstBcpResult;

/**
 * GST_TYPE_BCP_RESULT:
 *
 * The boxed type of #GstBcpResult.
 *
 * Since: 0.1
 */
#define GST_TYPE_BCP_RESULT (gst_bcp_result_get_type ())
GST_BCP_API GType gst_bcp_result_get_type (void);

/**
 * gst_bcp_result_ref: (skip)
 * @result: the result
 *
 * Returns: (transfer full): @result
 *
 * Since: 0.1
 */
GST_BCP_API GstBcpResult *gst_bcp_result_ref (GstBcpResult * result);

/**
 * gst_bcp_result_unref: (skip)
 * @result: (transfer full): the result
 *
 * Since: 0.1
 */
GST_BCP_API void gst_bcp_result_unref (GstBcpResult * result);

/**
 * gst_bcp_result_get_labels:
 * @result: the result
 *
 * Returns: (transfer none): the labels that were scored
 *
 * Since: 0.1
 */
GST_BCP_API GstBcpLabels *gst_bcp_result_get_labels (const GstBcpResult * result);

/**
 * gst_bcp_result_get_values:
 * @result: the result
 * @field: which value of each label
 * @size: (out) (optional): the number of values, which is the number of labels
 *
 * Returns one field of all labels at once, for loops over many labels.
 *
 * Returns: (transfer none) (array length=size): the values in the order of the labels, valid as long as @result
 *
 * Since: 0.2
 */
GST_BCP_API const gdouble *gst_bcp_result_get_values (const GstBcpResult * result, GstBcpScoreField field,
    guint * size);

/**
 * gst_bcp_result_get_zero_shot:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: plain CLIP's logit of label @index
 *
 * Since: 0.2
 */
GST_BCP_API gdouble gst_bcp_result_get_zero_shot (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_get_correction:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: the correction that BCP adds to the zero-shot logit of label @index
 *
 * Since: 0.2
 */
GST_BCP_API gdouble gst_bcp_result_get_correction (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_get_logit:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: the corrected logit of label @index
 *
 * Since: 0.2
 */
GST_BCP_API gdouble gst_bcp_result_get_logit (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_get_zero_shot_softmax:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: plain CLIP's softmax of label @index over the requested labels
 *
 * Since: 0.2
 */
GST_BCP_API gdouble gst_bcp_result_get_zero_shot_softmax (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_get_probability:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: the probability that label @index is present, or its softmax: see gst_bcp_result_get_decision()
 *
 * Since: 0.2
 */
GST_BCP_API gdouble gst_bcp_result_get_probability (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_get_softmax:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: softmax of the corrected logit of label @index
 *
 * Since: 0.2
 */
GST_BCP_API gdouble gst_bcp_result_get_softmax (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_get_prior:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: the probability of label @index before its own evidence, or NaN
 *
 * Since: 0.2
 */
GST_BCP_API gdouble gst_bcp_result_get_prior (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_get_evidence:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: logarithm of label @index's own evidence, or NaN
 *
 * Since: 0.2
 */
GST_BCP_API gdouble gst_bcp_result_get_evidence (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_get_flags:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: the decision about label @index
 *
 * Since: 0.2
 */
GST_BCP_API GstBcpScoreFlags gst_bcp_result_get_flags (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_is_shown:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: whether label @index is shown
 *
 * Since: 0.2
 */
GST_BCP_API gboolean gst_bcp_result_is_shown (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_is_shown_zero_shot:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: whether plain CLIP would show label @index, by %GST_BCP_SCORE_SHOWN_ZERO_SHOT
 *
 * Since: 0.2
 */
GST_BCP_API gboolean gst_bcp_result_is_shown_zero_shot (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_get_decision:
 * @result: the result
 *
 * Returns: how the probabilities were computed
 *
 * Since: 0.2
 */
GST_BCP_API GstBcpDecision gst_bcp_result_get_decision (const GstBcpResult * result);

/**
 * gst_bcp_result_get_threshold:
 * @result: the result
 *
 * A label can have its own threshold, set in the labels file.
 *
 * Returns: the threshold of labels without their own one, or NaN when unknown
 *
 * Since: 0.2
 */
GST_BCP_API gdouble gst_bcp_result_get_threshold (const GstBcpResult * result);

/**
 * gst_bcp_result_is_calibrated:
 * @result: the result
 *
 * Of labels with a calibrated probability of 0.7, about 7 in 10 are present. Probabilities that are not calibrated (too
 * few context words, or an encoder of unknown scale) only rank the labels. Those of %GST_BCP_DECISION_SOFTMAX are never
 * calibrated.
 *
 * Returns: whether the probabilities are calibrated
 *
 * Since: 0.2
 */
GST_BCP_API gboolean gst_bcp_result_is_calibrated (const GstBcpResult * result);

/**
 * gst_bcp_result_get_context:
 * @result: the result
 *
 * Returns: (transfer none) (nullable): the context word that explains the frame better than any label, valid UTF-8,
 *   valid as long as @result; %NULL when a label explains it best
 *
 * Since: 0.2
 */
GST_BCP_API const gchar *gst_bcp_result_get_context (const GstBcpResult * result);

/**
 * gst_bcp_result_get_context_weight:
 * @result: the result
 *
 * Returns: the share of the frame that the context word explains, 0 to 1; 0 without a context word
 *
 * Since: 0.2
 */
GST_BCP_API gdouble gst_bcp_result_get_context_weight (const GstBcpResult * result);

/**
 * gst_bcp_result_get_source_id:
 * @result: the result
 *
 * Returns: (transfer none) (nullable): the name of the stream, valid UTF-8, valid as long as @result
 *
 * Since: 0.1
 */
GST_BCP_API const gchar *gst_bcp_result_get_source_id (const GstBcpResult * result);

/**
 * gst_bcp_result_get_pts:
 * @result: the result
 *
 * Returns: presentation time of the frame that was scored, or GST_CLOCK_TIME_NONE
 *
 * Since: 0.1
 */
GST_BCP_API GstClockTime gst_bcp_result_get_pts (const GstBcpResult * result);

/**
 * gst_bcp_result_get_region_id:
 * @result: the result
 *
 * Returns: the id in the meta of the region, or -1 for the whole frame
 *
 * Since: 0.1
 */
GST_BCP_API gint gst_bcp_result_get_region_id (const GstBcpResult * result);

/**
 * gst_bcp_result_get_anchor:
 * @result: the result
 *
 * Returns: index of the anchor label, or -1 when no label exceeded `anchor-confidence`
 *
 * Since: 0.1
 */
GST_BCP_API gint gst_bcp_result_get_anchor (const GstBcpResult * result);

/**
 * gst_bcp_result_get_anchor_probability:
 * @result: the result
 *
 * Returns: plain CLIP's softmax of the anchor (without an anchor, of the most likely label)
 *
 * Since: 0.1
 */
GST_BCP_API gdouble gst_bcp_result_get_anchor_probability (const GstBcpResult * result);

/**
 * gst_bcp_result_get_samples:
 * @result: the result
 *
 * Returns: the number of learnt samples that the correction is based on; not an integer with `half-life`, which makes
 *   older samples count less
 *
 * Since: 0.1
 */
GST_BCP_API gdouble gst_bcp_result_get_samples (const GstBcpResult * result);

/**
 * gst_bcp_result_get_embedding:
 * @result: the result
 * @size: (out) (optional): its length, 0 without an embedding
 *
 * Returns: (transfer none) (nullable) (array length=size): the unit image embedding, valid as long as @result
 *
 * Since: 0.1
 */
GST_BCP_API const gfloat *gst_bcp_result_get_embedding (const GstBcpResult * result, guint * size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstBcpResult, gst_bcp_result_unref)

G_END_DECLS
