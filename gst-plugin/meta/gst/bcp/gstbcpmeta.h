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
 *       if (gst_bcp_result_is_shown (meta->result, i))
 *         g_print ("%s %.2f\n", gst_bcp_labels_get_name (labels, i), gst_bcp_result_get_probability (meta->result, i));
 *     }
 *   }
 *
 * Making one: see gstbcpresultbuilder.h. This header includes all others.
 *
 * Labels and results are opaque, immutable and reference-counted: any thread may read them, and they may be kept longer
 * than the buffer, the pipeline and the elements of the plugin.
 */

#pragma once

#include <gst/bcp/gstbcplabels.h>
#include <gst/bcp/gstbcpresult.h>
#include <gst/bcp/gstbcpresultbuilder.h>

G_BEGIN_DECLS

/**
 * GstBcpMeta:
 * @meta: parent
 * @result: the result, never %NULL; owned by the meta, take a reference to keep it
 * @held: %FALSE on the first buffer that carries the result, %TRUE on those that repeat it
 * @age: how much older the scored frame is than this one, or GST_CLOCK_TIME_NONE
 *
 * The labels of a frame. It has no tags, so conversion, scaling, cropping and encoding keep it: the labels describe
 * the picture, not its pixels.
 *
 * This is the only public struct, as usual for metas of GStreamer. Applications read it and do not write it. Only
 * GStreamer allocates it, so that later versions may append fields: do not copy it by value. The data of the result is
 * in #GstBcpResult.
 *
 * Since: 0.1
 */
typedef struct
{
  GstMeta meta;
  GstBcpResult *result;
  gboolean held;
  GstClockTime age;
} GstBcpMeta;

/**
 * GST_BCP_META_API_TYPE:
 *
 * The API type of #GstBcpMeta, for gst_buffer_iterate_meta_filtered() and the like.
 *
 * Since: 0.1
 */
#define GST_BCP_META_API_TYPE (gst_bcp_meta_api_get_type ())
GST_BCP_API GType gst_bcp_meta_api_get_type (void);

/**
 * gst_bcp_meta_get_info: (skip)
 *
 * Registers the meta on first use. A process that only receives serialised metas must call it once at start.
 *
 * Returns: (transfer none): the registration
 *
 * Since: 0.1
 */
GST_BCP_API const GstMetaInfo *gst_bcp_meta_get_info (void);

/**
 * GST_BCP_META_INFO:
 *
 * The registration of #GstBcpMeta.
 *
 * Since: 0.1
 */
#define GST_BCP_META_INFO (gst_bcp_meta_get_info ())

/**
 * gst_buffer_add_bcp_meta:
 * @buffer: a writable buffer
 * @result: the result; the meta takes a reference
 * @held: whether an earlier buffer carried the same result
 * @age: how much older the scored frame is than this one, or GST_CLOCK_TIME_NONE
 *
 * Returns: (transfer none): the new meta, owned by @buffer
 *
 * Since: 0.1
 */
GST_BCP_API GstBcpMeta *gst_buffer_add_bcp_meta (GstBuffer * buffer, GstBcpResult * result, gboolean held,
    GstClockTime age);

/**
 * gst_buffer_get_bcp_meta:
 * @buffer: a buffer
 *
 * Returns: (transfer none) (nullable): the meta of the whole frame; without one, the meta of the first region; %NULL
 *   without any
 *
 * Since: 0.1
 */
GST_BCP_API GstBcpMeta *gst_buffer_get_bcp_meta (GstBuffer * buffer);

/**
 * gst_buffer_iterate_bcp_meta:
 * @buffer: a buffer
 * @state: (inout) (transfer none): opaque; points to %NULL before the first call
 *
 * Returns: (transfer none) (nullable): the next meta, in the order they were added, or %NULL after the last
 *
 * Since: 0.1
 */
GST_BCP_API GstBcpMeta *gst_buffer_iterate_bcp_meta (GstBuffer * buffer, gpointer * state);

G_END_DECLS
