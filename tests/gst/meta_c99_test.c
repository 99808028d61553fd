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

static int criticals = 0;

static void
count_criticals (const gchar * domain, GLogLevelFlags level, const gchar * message, gpointer data)
{
  (void) domain;
  (void) message;
  (void) data;
  criticals += (level & G_LOG_LEVEL_CRITICAL) != 0;
}

/* Here and not in C++, where a value beyond those of an enumeration has no meaning. */
static void
refuse_unknown_values (GstBcpLabels * labels)
{
  GstBcpResultBuilder *builder = gst_bcp_result_builder_new (labels);
  GLogFunc before = g_log_set_default_handler (count_criticals, NULL);
  const gdouble values[] = { 1, 2 };
  guint size = 9;
  GstBcpResult *result;

  gst_bcp_result_builder_set_flags (builder, 0, (GstBcpScoreFlags) (1 << 2));
  expect (criticals == 1, "an unknown flag is a fault of the program");
  gst_bcp_result_builder_set_values (builder, (GstBcpScoreField) 8, values, 2);
  expect (criticals == 2, "values of an unknown field are a fault of the program");
  gst_bcp_result_builder_set_value (builder, (GstBcpScoreField) 8, 0, 1);
  expect (criticals == 3, "a value of an unknown field is a fault of the program");
  gst_bcp_result_builder_set_decision (builder, (GstBcpDecision) 2, 0.5, TRUE);
  expect (criticals == 4, "an unknown decision is a fault of the program");
  result = gst_bcp_result_builder_end (builder);
  expect (gst_bcp_result_get_values (result, (GstBcpScoreField) 9, &size) == NULL && size == 0,
      "an unknown field has no values");
  expect (criticals == 5, "to ask for an unknown field is a fault of the program");
  g_log_set_default_handler (before, NULL);
  expect (gst_bcp_result_get_flags (result, 0) == GST_BCP_SCORE_NONE, "the flag is not set");
  expect (!gst_bcp_result_is_calibrated (result), "the decision is not set");
  gst_bcp_result_unref (result);
  gst_bcp_result_builder_unref (builder);
}

static GstBuffer *
labelled_buffer (void)
{
  static const gchar *const names[] = { "car", "dog" };
  static const gint colors[] = { 0xe69f00, -1 };
  const gdouble probabilities[] = { 0.9, 0.1 };
  const gfloat embedding[] = { 1.0f, 0.0f };
  GstBcpLabels *labels = gst_bcp_labels_new_with_colors (names, colors, 2);
  GstBcpResultBuilder *builder = gst_bcp_result_builder_new (labels);
  GstBcpResult *result;
  GstBuffer *buffer = gst_buffer_new ();

  gst_bcp_result_builder_set_values (builder, GST_BCP_SCORE_FIELD_PROBABILITY, probabilities, 2);
  gst_bcp_result_builder_set_value (builder, GST_BCP_SCORE_FIELD_CORRECTION, 1, 1.5);
  gst_bcp_result_builder_set_flags (builder, 0, GST_BCP_SCORE_SHOWN);
  expect (gst_bcp_result_builder_set_source_id (builder, "camera"), "the source id is taken");
  expect (!gst_bcp_result_builder_set_source_id (builder, "\xff"), "one that is not UTF-8 is refused");
  gst_bcp_result_builder_set_value (builder, GST_BCP_SCORE_FIELD_PRIOR, 1, 0.25);
  gst_bcp_result_builder_set_decision (builder, GST_BCP_DECISION_PRESENCE, 0.5, 7);
  expect (gst_bcp_result_builder_set_context (builder, "street", 0.5), "the context word is taken");
  expect (!gst_bcp_result_builder_set_context (builder, "\xff", 0.5), "one that is not UTF-8 is refused");
  gst_bcp_result_builder_set_pts (builder, 40 * GST_MSECOND);
  gst_bcp_result_builder_set_anchor (builder, 0, 0.9);
  gst_bcp_result_builder_set_samples (builder, 3.0);
  gst_bcp_result_builder_set_embedding (builder, embedding, 2);
  result = gst_bcp_result_builder_end (builder);
  gst_bcp_result_builder_unref (builder);
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
      if (gst_bcp_result_is_shown (meta->result, i)) {
        shown++;
        expect (strcmp (gst_bcp_labels_get_name (labels, i), "car") == 0, "the label shown is car");
      }
    }
    expect (shown == 1, "one label is shown");
    expect (gst_bcp_result_get_probability (meta->result, 1) == 0.1, "the probability is kept");
    expect (gst_bcp_result_get_correction (meta->result, 1) == 1.5, "the correction is kept");
    expect (gst_bcp_result_get_prior (meta->result, 1) == 0.25, "the prior is kept");
    expect (gst_bcp_result_get_decision (meta->result) == GST_BCP_DECISION_PRESENCE, "presence decided");
    expect (gst_bcp_result_get_threshold (meta->result) == 0.5, "the threshold is kept");
    expect (gst_bcp_result_is_calibrated (meta->result) == TRUE, "any value but 0 is TRUE");
    expect (strcmp (gst_bcp_result_get_context (meta->result), "street") == 0, "the context word is kept");
    expect (gst_bcp_labels_find (labels, "dog") == 1, "dog is label 1");
    expect (gst_bcp_labels_find (labels, "cat") == -1, "there is no cat");
    expect (gst_bcp_labels_get_color (labels, 0) == 0xe69f00, "car is orange");
    expect (gst_bcp_labels_get_color (labels, 1) == -1, "dog has no colour of its own");
    expect (gst_bcp_result_get_anchor (meta->result) == 0, "car is the anchor");
    expect (gst_bcp_result_get_pts (meta->result) == 40 * GST_MSECOND, "the pts is kept");
    expect (strcmp (gst_bcp_result_get_source_id (meta->result), "camera") == 0, "the source is kept");
    expect (size == 2 && embedding[0] > 0.5f, "the embedding is kept");
    expect (!meta->held, "the result is new");
    refuse_unknown_values (labels);
  }
  gst_buffer_unref (buffer);
  return failures ? 1 : 0;
}
