/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/bcp/gstbcplabels.h"

struct _GstBcpLabels
{
  gatomicrefcount refs;
  guint size;
  gchar **names;
  gint *colors;                 /* NULL when no label has one */
  GHashTable *index;            /* from a name, owned by names, to its position */
};

G_DEFINE_BOXED_TYPE (GstBcpLabels, gst_bcp_labels, gst_bcp_labels_ref, gst_bcp_labels_unref);

GstBcpLabels *
gst_bcp_labels_new (const gchar * const *names, guint size)
{
  return gst_bcp_labels_new_with_colors (names, NULL, size);
}

static gint *
copy_colors (const gint * colors, guint size)
{
  gint *copy = NULL;

  for (guint i = 0; colors && i < size; i++) {
    if (colors[i] < 0)
      continue;
    if (!copy) {
      copy = g_new (gint, size);
      for (guint k = 0; k < size; k++)
        copy[k] = -1;
    }
    copy[i] = colors[i] & 0xffffff;
  }
  return copy;
}

GstBcpLabels *
gst_bcp_labels_new_with_colors (const gchar * const *names, const gint * colors, guint size)
{
  g_return_val_if_fail (names != NULL || size == 0, NULL);
  g_return_val_if_fail (size <= G_MAXINT, NULL);

  for (guint i = 0; i < size; i++)
    g_return_val_if_fail (names[i] != NULL, NULL);
  /* Not g_return_val_if_fail(): names come from files and users, so they must be checked in every build. */
  for (guint i = 0; i < size; i++) {
    if (!g_utf8_validate (names[i], -1, NULL))
      return NULL;
  }

  GstBcpLabels *labels = g_new (GstBcpLabels, 1);
  g_atomic_ref_count_init (&labels->refs);
  labels->size = size;
  labels->names = g_new (gchar *, size);
  labels->colors = copy_colors (colors, size);
  labels->index = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < size; i++) {
    labels->names[i] = g_strdup (names[i]);
    if (!g_hash_table_contains (labels->index, names[i]))
      g_hash_table_insert (labels->index, labels->names[i], GUINT_TO_POINTER (i));
  }
  return labels;
}

GstBcpLabels *
gst_bcp_labels_ref (GstBcpLabels * labels)
{
  g_return_val_if_fail (labels != NULL, NULL);
  g_atomic_ref_count_inc (&labels->refs);
  return labels;
}

void
gst_bcp_labels_unref (GstBcpLabels * labels)
{
  g_return_if_fail (labels != NULL);
  if (!g_atomic_ref_count_dec (&labels->refs))
    return;
  g_hash_table_unref (labels->index);
  for (guint i = 0; i < labels->size; i++)
    g_free (labels->names[i]);
  g_free (labels->names);
  g_free (labels->colors);
  g_free (labels);
}

guint
gst_bcp_labels_get_size (const GstBcpLabels * labels)
{
  g_return_val_if_fail (labels != NULL, 0);
  return labels->size;
}

const gchar *
gst_bcp_labels_get_name (const GstBcpLabels * labels, guint index)
{
  g_return_val_if_fail (labels != NULL, NULL);
  g_return_val_if_fail (index < labels->size, NULL);
  return labels->names[index];
}

gint
gst_bcp_labels_get_color (const GstBcpLabels * labels, guint index)
{
  g_return_val_if_fail (labels != NULL, -1);
  g_return_val_if_fail (index < labels->size, -1);
  return labels->colors ? labels->colors[index] : -1;
}

gint
gst_bcp_labels_find (const GstBcpLabels * labels, const gchar * name)
{
  gpointer index;

  g_return_val_if_fail (labels != NULL, -1);
  g_return_val_if_fail (name != NULL, -1);
  if (!g_hash_table_lookup_extended (labels->index, name, NULL, &index))
    return -1;
  return GPOINTER_TO_INT (index);
}
