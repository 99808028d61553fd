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
GST_BCP_API GstBcpLabels *gst_bcp_labels_new (const gchar * const *names, guint size);
GST_BCP_API GstBcpLabels *gst_bcp_labels_ref (GstBcpLabels * labels);
GST_BCP_API void gst_bcp_labels_unref (GstBcpLabels * labels);
GST_BCP_API guint gst_bcp_labels_get_size (const GstBcpLabels * labels);
GST_BCP_API const gchar *gst_bcp_labels_get_name (const GstBcpLabels * labels, guint index);
GST_BCP_API gint gst_bcp_labels_find (const GstBcpLabels * labels, const gchar * name);

/**
 * GstBcpScoreFlags:
 * @GST_BCP_SCORE_SHOWN: the label is shown: the decision rule accepts its corrected probability
 * @GST_BCP_SCORE_SHOWN_ZERO_SHOT: the same rule would show it by plain CLIP's probability
 */
typedef enum /*< flags >*/
{
  GST_BCP_SCORE_SHOWN = (1 << 0),
  GST_BCP_SCORE_SHOWN_ZERO_SHOT = (1 << 1),
} GstBcpScoreFlags;

/**
 * GstBcpScore:
 * @zero_shot: plain CLIP's logit
 * @correction: what the stream's co-occurrence adds to it; 0 for the anchor and without evidence
 * @logit: the corrected logit, @zero_shot + @correction
 * @zero_shot_probability: softmax over the zero-shot logits
 * @probability: softmax over the corrected logits
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
 * @samples: learnt samples behind the correction
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
GST_BCP_API GstBcpResult *gst_bcp_result_new (GstBcpLabels * labels, const GstBcpScore * scores, const GstBcpResultInfo * info);
GST_BCP_API GstBcpResult *gst_bcp_result_ref (GstBcpResult * result);
GST_BCP_API void gst_bcp_result_unref (GstBcpResult * result);
GST_BCP_API GstBcpLabels *gst_bcp_result_get_labels (const GstBcpResult * result);
GST_BCP_API const GstBcpScore *gst_bcp_result_get_score (const GstBcpResult * result, guint index);
GST_BCP_API const gchar *gst_bcp_result_get_source_id (const GstBcpResult * result);
GST_BCP_API GstClockTime gst_bcp_result_get_pts (const GstBcpResult * result);
GST_BCP_API gint gst_bcp_result_get_region_id (const GstBcpResult * result);
GST_BCP_API gint gst_bcp_result_get_anchor (const GstBcpResult * result);
GST_BCP_API gdouble gst_bcp_result_get_anchor_probability (const GstBcpResult * result);
GST_BCP_API gdouble gst_bcp_result_get_samples (const GstBcpResult * result);
GST_BCP_API const gfloat *gst_bcp_result_get_embedding (const GstBcpResult * result, guint * size);

/**
 * GstBcpMeta:
 * @meta: parent
 * @result: the result; borrowed, take a reference to keep it
 * @held: %FALSE on exactly one buffer per result, the first to carry it; %TRUE on those that repeat it
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
GST_BCP_API const GstMetaInfo *gst_bcp_meta_get_info (void);
GST_BCP_API GstBcpMeta *gst_buffer_add_bcp_meta (GstBuffer * buffer, GstBcpResult * result, gboolean held, GstClockTime age);
GST_BCP_API GstBcpMeta *gst_buffer_get_bcp_meta (GstBuffer * buffer);
GST_BCP_API GstBcpMeta *gst_buffer_iterate_bcp_meta (GstBuffer * buffer, gpointer * state);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstBcpLabels, gst_bcp_labels_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstBcpResult, gst_bcp_result_unref)

G_END_DECLS
