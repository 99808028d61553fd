/* gst-bcp: the labels of a frame, as metadata on its buffer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading a result, for instance in a pad probe:
 *
 *   GstBcpMeta *meta = gst_buffer_get_bcp_meta (buffer);
 *   if (meta) {
 *     GstBcpLabels *labels = gst_bcp_result_get_labels (meta->result);
 *     for (guint i = 0; i < gst_bcp_labels_get_size (labels); i++) {
 *       const GstBcpScore *score = gst_bcp_result_get_score (meta->result, i);
 *       if (score->flags & GST_BCP_SCORE_SHOWN)
 *         g_print ("%s %.2f\n", gst_bcp_labels_get_name (labels, i), score->probability);
 *     }
 *   }
 *
 * Labels and results are immutable and reference-counted: any thread may read them, and they may be kept after the
 * buffer, the pipeline and the plugin's elements are gone.
 */

#pragma once

#include <gst/gst.h>

#if defined(GST_BCP_BUILDING_META) && defined(__GNUC__)
#define GST_BCP_API __attribute__((visibility("default")))
#else
#define GST_BCP_API
#endif

G_BEGIN_DECLS

/**
 * GstBcpLabels:
 *
 * The names frames are scored against, shared by all results until the list changes.
 */
typedef struct _GstBcpLabels GstBcpLabels;

#define GST_TYPE_BCP_LABELS (gst_bcp_labels_get_type ())
GST_BCP_API GType gst_bcp_labels_get_type (void);

/**
 * gst_bcp_labels_new:
 * @names: (array length=size): the names, UTF-8, in the order of the scores; copied
 * @size: how many
 *
 * Returns: (transfer full): a new list of labels
 */
GST_BCP_API GstBcpLabels *gst_bcp_labels_new (const gchar * const *names, guint size);

/**
 * gst_bcp_labels_new_with_colors:
 * @names: (array length=size): the names, UTF-8, in the order of the scores; copied
 * @colors: (nullable) (array length=size): a colour for each name, 0xRRGGBB, or -1 for a name that has none; copied
 * @size: how many
 *
 * Returns: (transfer full): a new list of labels, some of which are to be drawn in colours of their own
 */
GST_BCP_API GstBcpLabels *gst_bcp_labels_new_with_colors (const gchar * const *names, const gint * colors, guint size);

/**
 * gst_bcp_labels_ref: (skip)
 * @labels: the labels
 *
 * Returns: (transfer full): @labels
 */
GST_BCP_API GstBcpLabels *gst_bcp_labels_ref (GstBcpLabels * labels);

/**
 * gst_bcp_labels_unref: (skip)
 * @labels: (transfer full): the labels
 */
GST_BCP_API void gst_bcp_labels_unref (GstBcpLabels * labels);

/**
 * gst_bcp_labels_get_size:
 * @labels: the labels
 *
 * Returns: how many labels there are
 */
GST_BCP_API guint gst_bcp_labels_get_size (const GstBcpLabels * labels);

/**
 * gst_bcp_labels_get_name:
 * @labels: the labels
 * @index: less than gst_bcp_labels_get_size()
 *
 * Returns: (transfer none): the name of label @index, valid as long as @labels
 */
GST_BCP_API const gchar *gst_bcp_labels_get_name (const GstBcpLabels * labels, guint index);

/**
 * gst_bcp_labels_get_color:
 * @labels: the labels
 * @index: less than gst_bcp_labels_get_size()
 *
 * Returns: the colour that label @index is to be drawn in, 0xRRGGBB, or -1 when the user chose none
 */
GST_BCP_API gint gst_bcp_labels_get_color (const GstBcpLabels * labels, guint index);

/**
 * gst_bcp_labels_find:
 * @labels: the labels
 * @name: a name, compared byte by byte
 *
 * Takes the same short time for any number of labels.
 *
 * Returns: the index of the (first) label called @name, or -1
 */
GST_BCP_API gint gst_bcp_labels_find (const GstBcpLabels * labels, const gchar * name);

/**
 * GstBcpScoreFlags:
 * @GST_BCP_SCORE_NONE: not shown
 * @GST_BCP_SCORE_SHOWN: the label is shown: the decision rule accepts its corrected probability
 * @GST_BCP_SCORE_SHOWN_ZERO_SHOT: the same rule would show it by plain CLIP's probability
 */
typedef enum /*< flags >*/
{
  GST_BCP_SCORE_NONE = 0,
  GST_BCP_SCORE_SHOWN = (1 << 0),
  GST_BCP_SCORE_SHOWN_ZERO_SHOT = (1 << 1),
} GstBcpScoreFlags;

/**
 * GstBcpScore:
 * @zero_shot: plain CLIP's logit
 * @correction: what the stream adds to it; 0 without evidence, and for an anchor unless `anchors` is 0
 * @logit: the corrected logit, @zero_shot + @correction
 * @zero_shot_probability: softmax over the zero-shot logits
 * @probability: softmax over the corrected logits; with `keep-anchor` the likeliest label keeps its
 *   zero-shot probability and the others share the rest
 * @flags: see #GstBcpScoreFlags
 *
 * What one label scored.
 */
typedef struct
{
  gdouble zero_shot;
  gdouble correction;
  gdouble logit;
  gdouble zero_shot_probability;
  gdouble probability;
  GstBcpScoreFlags flags;
} GstBcpScore;

/**
 * GstBcpResult:
 *
 * What one inference found: a score for each label, and where it came from.
 */
typedef struct _GstBcpResult GstBcpResult;

/**
 * GstBcpResultInfo:
 * @source_id: (nullable): the name of the stream
 * @pts: presentation time of the frame that was scored, or GST_CLOCK_TIME_NONE
 * @region_id: the id of the region's own meta, or -1 for the whole frame
 * @anchor: index of the anchor label, or -1 when no label was sure enough
 * @anchor_probability: plain CLIP's probability of the anchor (of the likeliest label when there is none)
 * @samples: learnt samples behind the correction; with `half-life` older ones count less, and it is no
 *   whole number
 * @embedding: (nullable) (array length=embedding_size): the unit image embedding, when asked for
 * @embedding_size: its length
 *
 * All of a result but its scores. Filled by whoever makes a result, copied by gst_bcp_result_new().
 */
typedef struct
{
  const gchar *source_id;
  GstClockTime pts;
  gint region_id;
  gint anchor;
  gdouble anchor_probability;
  gdouble samples;
  const gfloat *embedding;
  guint embedding_size;
} GstBcpResultInfo;

#define GST_TYPE_BCP_RESULT (gst_bcp_result_get_type ())
GST_BCP_API GType gst_bcp_result_get_type (void);

/**
 * gst_bcp_result_new:
 * @labels: the labels the scores belong to; the result takes a reference
 * @scores: (array): one score per label, in the order of @labels; copied
 * @info: everything else; copied
 *
 * One allocation, however many labels.
 *
 * Returns: (transfer full): a new result
 */
GST_BCP_API GstBcpResult *gst_bcp_result_new (GstBcpLabels * labels, const GstBcpScore * scores,
    const GstBcpResultInfo * info);

/**
 * gst_bcp_result_ref: (skip)
 * @result: the result
 *
 * Returns: (transfer full): @result
 */
GST_BCP_API GstBcpResult *gst_bcp_result_ref (GstBcpResult * result);

/**
 * gst_bcp_result_unref: (skip)
 * @result: (transfer full): the result
 */
GST_BCP_API void gst_bcp_result_unref (GstBcpResult * result);

/**
 * gst_bcp_result_get_labels:
 * @result: the result
 *
 * Returns: (transfer none): the labels the scores belong to
 */
GST_BCP_API GstBcpLabels *gst_bcp_result_get_labels (const GstBcpResult * result);

/**
 * gst_bcp_result_get_score:
 * @result: the result
 * @index: a label, less than its gst_bcp_labels_get_size()
 *
 * Returns: (transfer none): what label @index scored, valid as long as @result
 */
GST_BCP_API const GstBcpScore *gst_bcp_result_get_score (const GstBcpResult * result, guint index);

/**
 * gst_bcp_result_get_source_id:
 * @result: the result
 *
 * Returns: (transfer none) (nullable): the name of the stream
 */
GST_BCP_API const gchar *gst_bcp_result_get_source_id (const GstBcpResult * result);

/**
 * gst_bcp_result_get_pts:
 * @result: the result
 *
 * Returns: presentation time of the frame that was scored, or GST_CLOCK_TIME_NONE
 */
GST_BCP_API GstClockTime gst_bcp_result_get_pts (const GstBcpResult * result);

/**
 * gst_bcp_result_get_region_id:
 * @result: the result
 *
 * Returns: the id of the region's own meta, or -1 for the whole frame
 */
GST_BCP_API gint gst_bcp_result_get_region_id (const GstBcpResult * result);

/**
 * gst_bcp_result_get_anchor:
 * @result: the result
 *
 * Returns: index of the anchor label, or -1 when no label was sure enough
 */
GST_BCP_API gint gst_bcp_result_get_anchor (const GstBcpResult * result);

/**
 * gst_bcp_result_get_anchor_probability:
 * @result: the result
 *
 * Returns: plain CLIP's probability of the anchor (of the likeliest label when there is none)
 */
GST_BCP_API gdouble gst_bcp_result_get_anchor_probability (const GstBcpResult * result);

/**
 * gst_bcp_result_get_samples:
 * @result: the result
 *
 * Returns: learnt samples behind the correction
 */
GST_BCP_API gdouble gst_bcp_result_get_samples (const GstBcpResult * result);

/**
 * gst_bcp_result_get_embedding:
 * @result: the result
 * @size: (out) (optional): its length, 0 when there is none
 *
 * Returns: (transfer none) (nullable) (array length=size): the unit image embedding, valid as long as @result
 */
GST_BCP_API const gfloat *gst_bcp_result_get_embedding (const GstBcpResult * result, guint * size);

/**
 * GstBcpMeta:
 * @meta: parent
 * @result: the result; borrowed, take a reference to keep it
 * @held: %FALSE on the first buffer that carries the result, %TRUE on those that repeat it
 * @age: how much older the scored frame is than this one, or GST_CLOCK_TIME_NONE
 *
 * The labels of a frame. It has no tags, so conversion, scaling, cropping and encoding keep it: the labels describe
 * the picture, not its pixels.
 */
typedef struct
{
  GstMeta meta;
  GstBcpResult *result;
  gboolean held;
  GstClockTime age;
} GstBcpMeta;

#define GST_BCP_META_API_TYPE (gst_bcp_meta_api_get_type ())
#define GST_BCP_META_INFO (gst_bcp_meta_get_info ())
GST_BCP_API GType gst_bcp_meta_api_get_type (void);

/**
 * gst_bcp_meta_get_info: (skip)
 *
 * Registers the meta on first use. A process that only receives serialised metas calls it once at start.
 *
 * Returns: (transfer none): the registration
 */
GST_BCP_API const GstMetaInfo *gst_bcp_meta_get_info (void);

/**
 * gst_buffer_add_bcp_meta:
 * @buffer: a writable buffer
 * @result: the result; the meta takes a reference
 * @held: whether an earlier buffer carried the same result
 * @age: how much older the scored frame is than this one, or GST_CLOCK_TIME_NONE
 *
 * Returns: (transfer none): the new meta, owned by @buffer
 */
GST_BCP_API GstBcpMeta *gst_buffer_add_bcp_meta (GstBuffer * buffer, GstBcpResult * result, gboolean held,
    GstClockTime age);

/**
 * gst_buffer_get_bcp_meta:
 * @buffer: a buffer
 *
 * Returns: (transfer none) (nullable): the result of the whole frame, or the first of its regions when there is none
 */
GST_BCP_API GstBcpMeta *gst_buffer_get_bcp_meta (GstBuffer * buffer);

/**
 * gst_buffer_iterate_bcp_meta:
 * @buffer: a buffer
 * @state: (inout) (transfer none): opaque; points to %NULL before the first call
 *
 * Returns: (transfer none) (nullable): the next meta, in the order they were added, or %NULL after the last
 */
GST_BCP_API GstBcpMeta *gst_buffer_iterate_bcp_meta (GstBuffer * buffer, gpointer * state);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstBcpLabels, gst_bcp_labels_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstBcpResult, gst_bcp_result_unref)

G_END_DECLS
