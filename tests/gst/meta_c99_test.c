/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A C99 program that knows the public header and nothing else. */

#include <gst/bcp/gstbcpmeta.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void
expect (int condition, const char *what)
{
  if (condition)
    return;
  failures++;
  fprintf (stderr, "not so: %s\n", what);
}

static GstBuffer *
labelled_buffer (void)
{
  static const gchar *const names[] = { "car", "dog" };
  const GstBcpScore scores[] = {
    {27.0, 0.0, 27.0, 0.9, 0.9, GST_BCP_SCORE_SHOWN},
    {20.0, 1.5, 21.5, 0.1, 0.1, GST_BCP_SCORE_NONE},
  };
  const gfloat embedding[] = { 1.0f, 0.0f };
  GstBcpResultInfo info = { NULL, 0, -1, -1, 0.0, 0.0, NULL, 0 };
  static const gint colors[] = { 0xe69f00, -1 };
  GstBcpLabels *labels = gst_bcp_labels_new_with_colors (names, colors, 2);
  GstBcpResult *result;
  GstBuffer *buffer = gst_buffer_new ();

  info.source_id = "camera";
  info.pts = 40 * GST_MSECOND;
  info.anchor = 0;
  info.anchor_probability = 0.9;
  info.samples = 3.0;
  info.embedding = embedding;
  info.embedding_size = 2;
  result = gst_bcp_result_new (labels, scores, &info);
  gst_buffer_add_bcp_meta (buffer, result, FALSE, 0);
  gst_bcp_result_unref (result);
  gst_bcp_labels_unref (labels);
  return buffer;
}

int
main (int argc, char **argv)
{
  GstBuffer *buffer;
  GstBcpMeta *meta;

  gst_init (&argc, &argv);
  buffer = labelled_buffer ();
  meta = gst_buffer_get_bcp_meta (buffer);
  expect (meta != NULL, "the buffer carries a meta");
  if (meta) {
    GstBcpLabels *labels = gst_bcp_result_get_labels (meta->result);
    guint size = 0, shown = 0;
    const gfloat *embedding = gst_bcp_result_get_embedding (meta->result, &size);

    for (guint i = 0; i < gst_bcp_labels_get_size (labels); i++) {
      const GstBcpScore *score = gst_bcp_result_get_score (meta->result, i);
      if (score->flags & GST_BCP_SCORE_SHOWN) {
        shown++;
        expect (strcmp (gst_bcp_labels_get_name (labels, i), "car") == 0, "the label shown is car");
      }
    }
    expect (shown == 1, "one label is shown");
    expect (gst_bcp_labels_find (labels, "dog") == 1, "dog is label 1");
    expect (gst_bcp_labels_find (labels, "cat") == -1, "there is no cat");
    expect (gst_bcp_labels_get_color (labels, 0) == 0xe69f00, "car is orange");
    expect (gst_bcp_labels_get_color (labels, 1) == -1, "dog has no colour of its own");
    expect (gst_bcp_result_get_anchor (meta->result) == 0, "car is the anchor");
    expect (gst_bcp_result_get_pts (meta->result) == 40 * GST_MSECOND, "the pts is kept");
    expect (strcmp (gst_bcp_result_get_source_id (meta->result), "camera") == 0, "the source is kept");
    expect (size == 2 && embedding[0] > 0.5f, "the embedding is kept");
    expect (!meta->held, "the result is new");
  }
  gst_buffer_unref (buffer);
  return failures ? 1 : 0;
}
