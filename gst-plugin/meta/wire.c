/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The inline functions may read unaligned numbers, which is undefined behaviour. The functions of the GStreamer library
 * were compiled for this platform. */
#define GST_BYTE_READER_DISABLE_INLINES
#define GST_BYTE_WRITER_DISABLE_INLINES

#include "wire.h"

#include <gst/base/gstbytereader.h>
#include <gst/base/gstbytewriter.h>
#include <string.h>

static void
put_string (GstByteWriter * writer, const gchar * string)
{
  const guint length = (guint) strlen (string);

  gst_byte_writer_put_uint32_le (writer, length);
  gst_byte_writer_put_data (writer, (const guint8 *) string, length);
}

/* The fields of version 1, in order. New fields need a new version. */
static const GstBcpScoreField fields[] = {
  GST_BCP_SCORE_FIELD_ZERO_SHOT,
  GST_BCP_SCORE_FIELD_CORRECTION,
  GST_BCP_SCORE_FIELD_LOGIT,
  GST_BCP_SCORE_FIELD_ZERO_SHOT_SOFTMAX,
  GST_BCP_SCORE_FIELD_PROBABILITY,
};

/* The fields that version 3 adds, after the colours. */
static const GstBcpScoreField later_fields[] = {
  GST_BCP_SCORE_FIELD_SOFTMAX,
  GST_BCP_SCORE_FIELD_PRIOR,
  GST_BCP_SCORE_FIELD_EVIDENCE,
};

/* The bytes of a label without its name, and with it. */
#define SCORE_BYTES (G_N_ELEMENTS (fields) * 8 + 4)
#define MIN_LABEL_BYTES (4 + SCORE_BYTES)

static void
put_label (GstByteWriter * writer, const GstBcpResult * result, guint index)
{
  put_string (writer, gst_bcp_labels_get_name (gst_bcp_result_get_labels (result), index));
  for (guint f = 0; f < G_N_ELEMENTS (fields); f++)
    gst_byte_writer_put_float64_le (writer, gst_bcp_result_get_values (result, fields[f], NULL)[index]);
  gst_byte_writer_put_uint32_le (writer, (guint32) gst_bcp_result_get_flags (result, index));
}

static void
put_decision (GstByteWriter * writer, const GstBcpResult * result)
{
  const gchar *context = gst_bcp_result_get_context (result);
  guint n;

  gst_bcp_result_get_values (result, later_fields[0], &n);
  for (guint i = 0; i < n; i++) {
    for (guint f = 0; f < G_N_ELEMENTS (later_fields); f++)
      gst_byte_writer_put_float64_le (writer, gst_bcp_result_get_values (result, later_fields[f], NULL)[i]);
  }
  gst_byte_writer_put_uint8 (writer, (guint8) gst_bcp_result_get_decision (result));
  gst_byte_writer_put_uint8 (writer, gst_bcp_result_is_calibrated (result) ? 1 : 0);
  gst_byte_writer_put_float64_le (writer, gst_bcp_result_get_threshold (result));
  gst_byte_writer_put_uint8 (writer, context ? 1 : 0);
  if (context)
    put_string (writer, context);
  gst_byte_writer_put_float64_le (writer, gst_bcp_result_get_context_weight (result));
}

guint8 *
gst_bcp_wire_write (const GstBcpResult * result, gboolean held, GstClockTime age, gsize * size)
{
  const GstBcpLabels *labels = gst_bcp_result_get_labels (result);
  const guint n = gst_bcp_labels_get_size (labels);
  const gchar *source_id = gst_bcp_result_get_source_id (result);
  guint embedding_size;
  const gfloat *embedding = gst_bcp_result_get_embedding (result, &embedding_size);
  GstByteWriter writer;

  gst_byte_writer_init (&writer);
  gst_byte_writer_put_uint8 (&writer, held ? 1 : 0);
  gst_byte_writer_put_uint64_le (&writer, age);
  gst_byte_writer_put_uint64_le (&writer, gst_bcp_result_get_pts (result));
  gst_byte_writer_put_int32_le (&writer, gst_bcp_result_get_region_id (result));
  gst_byte_writer_put_int32_le (&writer, gst_bcp_result_get_anchor (result));
  gst_byte_writer_put_float64_le (&writer, gst_bcp_result_get_anchor_probability (result));
  gst_byte_writer_put_float64_le (&writer, gst_bcp_result_get_samples (result));

  gst_byte_writer_put_uint8 (&writer, source_id ? 1 : 0);
  if (source_id)
    put_string (&writer, source_id);

  gst_byte_writer_put_uint32_le (&writer, embedding_size);
  for (guint i = 0; i < embedding_size; i++)
    gst_byte_writer_put_float32_le (&writer, embedding[i]);

  gst_byte_writer_put_uint32_le (&writer, n);
  for (guint i = 0; i < n; i++)
    put_label (&writer, result, i);
  for (guint i = 0; i < n; i++)
    gst_byte_writer_put_int32_le (&writer, gst_bcp_labels_get_color (labels, i));
  put_decision (&writer, result);

  *size = gst_byte_writer_get_size (&writer);
  return gst_byte_writer_reset_and_get_data (&writer);
}

/* A new string, or NULL when the data ends too soon, is not UTF-8 or contains a NUL. */
static gchar *
read_string (GstByteReader * reader)
{
  guint32 length;
  const guint8 *bytes;

  if (!gst_byte_reader_get_uint32_le (reader, &length) || !gst_byte_reader_get_data (reader, length, &bytes)
      || !g_utf8_validate_len ((const gchar *) bytes, length, NULL))
    return NULL;
  return g_strndup ((const gchar *) bytes, length);
}

/* The data before the labels; the builder can be created only when the labels are known. */
typedef struct
{
  gboolean held;
  GstClockTime age, pts;
  gint region_id, anchor;
  gdouble anchor_probability, samples;
  gchar *source_id;
  gfloat *embedding;
  guint embedding_size;
} Head;

/* Counts are checked against the remaining bytes before memory is allocated for them. */
static gboolean
read_embedding (GstByteReader * reader, Head * head)
{
  guint32 n;

  if (!gst_byte_reader_get_uint32_le (reader, &n) || n > gst_byte_reader_get_remaining (reader) / sizeof (gfloat))
    return FALSE;
  head->embedding = g_new (gfloat, n);
  head->embedding_size = n;
  for (guint i = 0; i < n; i++)
    gst_byte_reader_get_float32_le (reader, &head->embedding[i]);
  return TRUE;
}

static gboolean
read_head (GstByteReader * reader, Head * head)
{
  guint8 is_held, has_source;

  if (!gst_byte_reader_get_uint8 (reader, &is_held) || is_held > 1
      || !gst_byte_reader_get_uint64_le (reader, &head->age)
      || !gst_byte_reader_get_uint64_le (reader, &head->pts)
      || !gst_byte_reader_get_int32_le (reader, &head->region_id)
      || !gst_byte_reader_get_int32_le (reader, &head->anchor)
      || !gst_byte_reader_get_float64_le (reader, &head->anchor_probability)
      || !gst_byte_reader_get_float64_le (reader, &head->samples)
      || !gst_byte_reader_get_uint8 (reader, &has_source) || has_source > 1)
    return FALSE;
  head->held = is_held;
  if (has_source && !(head->source_id = read_string (reader)))
    return FALSE;
  return read_embedding (reader, head);
}

/* Reads the names and colours of @n labels and skips the scores. */
static GstBcpLabels *
read_labels (GstByteReader * reader, guint32 n, guint version)
{
  guint32 done = 0;
  gchar **names = g_new0 (gchar *, (gsize) n + 1);
  gint *colors = version >= 2 ? g_new0 (gint, n) : NULL;
  GstBcpLabels *labels = NULL;

  while (done < n && (names[done] = read_string (reader)) && gst_byte_reader_skip (reader, SCORE_BYTES))
    done++;
  for (guint i = 0; colors && done == n && i < n; i++) {
    if (!gst_byte_reader_get_int32_le (reader, &colors[i]) || colors[i] < -1 || colors[i] > 0xffffff)
      done = 0;
  }
  if (done == n)
    labels = gst_bcp_labels_new_with_colors ((const gchar * const *) names, colors, n);
  g_strfreev (names);
  g_free (colors);
  return labels;
}

/* REQUIRES: read_labels() has read all @n labels, so that no data can be missing here. */
static void
read_scores (GstByteReader * reader, guint32 n, GstBcpResultBuilder * builder)
{
  for (guint i = 0; i < n; i++) {
    guint32 length = 0, flags = 0;
    gdouble value = 0;

    gst_byte_reader_get_uint32_le (reader, &length);
    gst_byte_reader_skip (reader, length);
    for (guint f = 0; f < G_N_ELEMENTS (fields); f++) {
      gst_byte_reader_get_float64_le (reader, &value);
      gst_bcp_result_builder_set_value (builder, fields[f], i, value);
      if (fields[f] == GST_BCP_SCORE_FIELD_PROBABILITY) /* before version 3 it was the softmax */
        gst_bcp_result_builder_set_value (builder, GST_BCP_SCORE_FIELD_SOFTMAX, i, value);
    }
    gst_byte_reader_get_uint32_le (reader, &flags);
    flags &= GST_BCP_SCORE_SHOWN | GST_BCP_SCORE_SHOWN_ZERO_SHOT;       /* a newer writer may set more */
    gst_bcp_result_builder_set_flags (builder, i, (GstBcpScoreFlags) flags);
  }
}

/* Reads what put_decision() wrote. */
static gboolean
read_decision (GstByteReader * reader, guint32 n, GstBcpResultBuilder * builder)
{
  guint8 decision, is_calibrated, has_context;
  gdouble threshold, weight, value;
  gchar *context = NULL;
  gboolean done;

  for (guint i = 0; i < n; i++) {
    for (guint f = 0; f < G_N_ELEMENTS (later_fields); f++) {
      if (!gst_byte_reader_get_float64_le (reader, &value))
        return FALSE;
      gst_bcp_result_builder_set_value (builder, later_fields[f], i, value);
    }
  }
  if (!gst_byte_reader_get_uint8 (reader, &decision) || decision > GST_BCP_DECISION_PRESENCE
      || !gst_byte_reader_get_uint8 (reader, &is_calibrated) || is_calibrated > 1
      || !gst_byte_reader_get_float64_le (reader, &threshold)
      || !gst_byte_reader_get_uint8 (reader, &has_context) || has_context > 1)
    return FALSE;
  if (has_context && !(context = read_string (reader)))
    return FALSE;
  done = gst_byte_reader_get_float64_le (reader, &weight);
  if (done) {
    gst_bcp_result_builder_set_decision (builder, (GstBcpDecision) decision, threshold, is_calibrated);
    gst_bcp_result_builder_set_context (builder, context, weight);
  }
  g_free (context);
  return done;
}

static GstBcpResult *
read_result (GstByteReader * reader, const Head * head, guint version)
{
  guint32 n;

  if (!gst_byte_reader_get_uint32_le (reader, &n) || n > gst_byte_reader_get_remaining (reader) / MIN_LABEL_BYTES)
    return NULL;
  if (head->anchor < -1 || head->anchor >= (gint) n)
    return NULL;

  GstByteReader scores = *reader;
  GstBcpLabels *labels = read_labels (reader, n, version);
  if (!labels)
    return NULL;
  GstBcpResultBuilder *builder = gst_bcp_result_builder_new (labels);
  GstBcpResult *result = NULL;
  read_scores (&scores, n, builder);
  gst_bcp_result_builder_set_pts (builder, head->pts);
  gst_bcp_result_builder_set_region_id (builder, head->region_id);
  gst_bcp_result_builder_set_anchor (builder, head->anchor, head->anchor_probability);
  gst_bcp_result_builder_set_samples (builder, head->samples);
  gst_bcp_result_builder_set_source_id (builder, head->source_id);
  gst_bcp_result_builder_set_embedding (builder, head->embedding, head->embedding_size);
  if ((version < 3 || read_decision (reader, n, builder)) && gst_byte_reader_get_remaining (reader) == 0)
    result = gst_bcp_result_builder_end (builder);
  gst_bcp_result_builder_unref (builder);
  gst_bcp_labels_unref (labels);
  return result;
}

GstBcpResult *
gst_bcp_wire_read (const guint8 * data, gsize size, guint version, gboolean * held, GstClockTime * age)
{
  Head head = { 0 };
  GstBcpResult *result = NULL;
  GstByteReader reader;

  if (version < 1 || version > GST_BCP_WIRE_VERSION || size > G_MAXUINT)
    return NULL;
  gst_byte_reader_init (&reader, data, (guint) size);
  if (read_head (&reader, &head))
    result = read_result (&reader, &head, version);
  *held = head.held;
  *age = head.age;
  g_free (head.source_id);
  g_free (head.embedding);
  return result;
}
