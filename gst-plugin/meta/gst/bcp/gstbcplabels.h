/* gst-bcp: the names frames are scored against
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#pragma once

#include <gst/bcp/bcp-prelude.h>

G_BEGIN_DECLS

/**
 * GstBcpLabels:
 *
 * The names frames are scored against, shared by all results until the list changes. Immutable and reference-counted.
 *
 * Since: 0.1
 */
typedef struct _GstBcpLabels GstBcpLabels;

/**
 * GST_TYPE_BCP_LABELS:
 *
 * The boxed type of #GstBcpLabels.
 *
 * Since: 0.1
 */
#define GST_TYPE_BCP_LABELS (gst_bcp_labels_get_type ())
GST_BCP_API GType gst_bcp_labels_get_type (void);

/**
 * gst_bcp_labels_new:
 * @names: (array length=size): the names, UTF-8, in the order of the scores; copied
 * @size: how many
 *
 * Returns: (transfer full) (nullable): a new list of labels, or %NULL when a name is not valid UTF-8
 *
 * Since: 0.1
 */
GST_BCP_API GstBcpLabels *gst_bcp_labels_new (const gchar * const *names, guint size);

/**
 * gst_bcp_labels_new_with_colors:
 * @names: (array length=size): the names, UTF-8, in the order of the scores; copied
 * @colors: (nullable) (array length=size): a colour for each name, 0xRRGGBB, or -1 for no colour; copied
 * @size: how many
 *
 * Returns: (transfer full) (nullable): a new list of labels with colours, or %NULL when a name is not valid UTF-8
 *
 * Since: 0.1
 */
GST_BCP_API GstBcpLabels *gst_bcp_labels_new_with_colors (const gchar * const *names, const gint * colors, guint size);

/**
 * gst_bcp_labels_ref: (skip)
 * @labels: the labels
 *
 * Returns: (transfer full): @labels
 *
 * Since: 0.1
 */
GST_BCP_API GstBcpLabels *gst_bcp_labels_ref (GstBcpLabels * labels);

/**
 * gst_bcp_labels_unref: (skip)
 * @labels: (transfer full): the labels
 *
 * Since: 0.1
 */
GST_BCP_API void gst_bcp_labels_unref (GstBcpLabels * labels);

/**
 * gst_bcp_labels_get_size:
 * @labels: the labels
 *
 * Returns: how many labels there are
 *
 * Since: 0.1
 */
GST_BCP_API guint gst_bcp_labels_get_size (const GstBcpLabels * labels);

/**
 * gst_bcp_labels_get_name:
 * @labels: the labels
 * @index: less than gst_bcp_labels_get_size()
 *
 * Returns: (transfer none): the name of label @index, valid UTF-8, valid as long as @labels
 *
 * Since: 0.1
 */
GST_BCP_API const gchar *gst_bcp_labels_get_name (const GstBcpLabels * labels, guint index);

/**
 * gst_bcp_labels_get_color:
 * @labels: the labels
 * @index: less than gst_bcp_labels_get_size()
 *
 * Returns: the colour in which to draw label @index, 0xRRGGBB, or -1 when the user has not set one
 *
 * Since: 0.1
 */
GST_BCP_API gint gst_bcp_labels_get_color (const GstBcpLabels * labels, guint index);

/**
 * gst_bcp_labels_find:
 * @labels: the labels
 * @name: a name, compared byte by byte
 *
 * Takes constant time, for any number of labels.
 *
 * Returns: the index of the (first) label called @name, or -1
 *
 * Since: 0.1
 */
GST_BCP_API gint gst_bcp_labels_find (const GstBcpLabels * labels, const gchar * name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstBcpLabels, gst_bcp_labels_unref)

G_END_DECLS
