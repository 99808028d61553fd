/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The inlined functions load numbers where they lie, which is undefined where that is not aligned; the library's own
 * are compiled by those who know that their platform allows it. */
#define GST_BYTE_READER_DISABLE_INLINES
#define GST_BYTE_WRITER_DISABLE_INLINES

#include "wire.h"

#include <gst/base/gstbytereader.h>
#include <gst/base/gstbytewriter.h>
#include <string.h>

/* A label takes at least its length field, five doubles and the flags. */
#define MIN_LABEL_BYTES (4 + 5 * 8 + 4)

static void
put_string (GstByteWriter * writer, const gchar * string)
{
  const guint length = (guint) strlen (string);

  gst_byte_writer_put_uint32_le (writer, length);
  gst_byte_writer_put_data (writer, (const guint8 *) string, length);
}

static void
put_label (GstByteWriter * writer, const gchar * name, const GstBcpScore * score)
{
  put_string (writer, name);
  gst_byte_writer_put_float64_le (writer, score->zero_shot);
  gst_byte_writer_put_float64_le (writer, score->correction);
  gst_byte_writer_put_float64_le (writer, score->logit);
  gst_byte_writer_put_float64_le (writer, score->zero_shot_probability);
  gst_byte_writer_put_float64_le (writer, score->probability);
  gst_byte_writer_put_uint32_le (writer, (guint32) score->flags);
}

guint8
gst_bcp_wire_version (const GstBcpResult * result)
{
  const GstBcpLabels *labels = gst_bcp_result_get_labels (result);

  for (guint i = 0; i < gst_bcp_labels_get_size (labels); i++) {
    if (gst_bcp_labels_get_color (labels, i) >= 0)
      return 2;
  }
  return 1;
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
    put_label (&writer, gst_bcp_labels_get_name (labels, i), gst_bcp_result_get_score (result, i));
  if (gst_bcp_wire_version (result) >= 2) {
    for (guint i = 0; i < n; i++)
      gst_byte_writer_put_int32_le (&writer, gst_bcp_labels_get_color (labels, i));
  }

  *size = gst_byte_writer_get_size (&writer);
  return gst_byte_writer_reset_and_get_data (&writer);
}

/* A new string, or NULL when the data ends too soon or holds a NUL. */
static gchar *
read_string (GstByteReader * reader)
{
  guint32 length;
  const guint8 *bytes;

  if (!gst_byte_reader_get_uint32_le (reader, &length) || !gst_byte_reader_get_data (reader, length, &bytes))
    return NULL;
  if (length > 0 && memchr (bytes, 0, length))
    return NULL;
  return g_strndup ((const gchar *) bytes, length);
}

static gboolean
read_score (GstByteReader * reader, GstBcpScore * score)
{
  guint32 flags;

  if (!gst_byte_reader_get_float64_le (reader, &score->zero_shot)
      || !gst_byte_reader_get_float64_le (reader, &score->correction)
      || !gst_byte_reader_get_float64_le (reader, &score->logit)
      || !gst_byte_reader_get_float64_le (reader, &score->zero_shot_probability)
      || !gst_byte_reader_get_float64_le (reader, &score->probability)
      || !gst_byte_reader_get_uint32_le (reader, &flags))
    return FALSE;
  score->flags = (GstBcpScoreFlags) (flags & (GST_BCP_SCORE_SHOWN | GST_BCP_SCORE_SHOWN_ZERO_SHOT));
  return TRUE;
}

/* Everything before the embedding. */
static gboolean
read_head (GstByteReader * reader, GstBcpResultInfo * info, gchar ** source_id, gboolean * held, GstClockTime * age)
{
  guint8 is_held, has_source;

  if (!gst_byte_reader_get_uint8 (reader, &is_held) || is_held > 1
      || !gst_byte_reader_get_uint64_le (reader, age)
      || !gst_byte_reader_get_uint64_le (reader, &info->pts)
      || !gst_byte_reader_get_int32_le (reader, &info->region_id)
      || !gst_byte_reader_get_int32_le (reader, &info->anchor)
      || !gst_byte_reader_get_float64_le (reader, &info->anchor_probability)
      || !gst_byte_reader_get_float64_le (reader, &info->samples)
      || !gst_byte_reader_get_uint8 (reader, &has_source) || has_source > 1)
    return FALSE;
  *held = is_held;
  if (has_source && !(*source_id = read_string (reader)))
    return FALSE;
  info->source_id = *source_id;
  return TRUE;
}

/* The counts are checked against the bytes that are left before anything is allocated for them. */
static gfloat *
read_embedding (GstByteReader * reader, guint * size)
{
  guint32 n;

  if (!gst_byte_reader_get_uint32_le (reader, &n) || n > gst_byte_reader_get_remaining (reader) / sizeof (gfloat))
    return NULL;
  gfloat *embedding = g_new (gfloat, n + 1);    /* never NULL, also for an empty one */
  for (guint i = 0; i < n; i++)
    gst_byte_reader_get_float32_le (reader, &embedding[i]);
  *size = n;
  return embedding;
}

static GstBcpResult *
read_labels (GstByteReader * reader, const GstBcpResultInfo * info, guint version)
{
  guint32 n, done = 0;
  GstBcpResult *result = NULL;

  if (!gst_byte_reader_get_uint32_le (reader, &n) || n > gst_byte_reader_get_remaining (reader) / MIN_LABEL_BYTES)
    return NULL;
  if (info->anchor < -1 || info->anchor >= (gint) n)
    return NULL;

  gchar **names = g_new0 (gchar *, n + 1);
  GstBcpScore *scores = g_new (GstBcpScore, n);
  gint *colors = version >= 2 ? g_new0 (gint, n) : NULL;
  while (done < n && (names[done] = read_string (reader)) && read_score (reader, &scores[done]))
    done++;
  for (guint i = 0; colors && done == n && i < n; i++) {
    if (!gst_byte_reader_get_int32_le (reader, &colors[i]) || colors[i] < -1 || colors[i] > 0xffffff)
      done = 0;
  }
  if (done == n && gst_byte_reader_get_remaining (reader) == 0) {
    GstBcpLabels *labels = gst_bcp_labels_new_with_colors ((const gchar * const *) names, colors, n);
    result = gst_bcp_result_new (labels, scores, info);
    gst_bcp_labels_unref (labels);
  }
  g_strfreev (names);
  g_free (scores);
  g_free (colors);
  return result;
}

GstBcpResult *
gst_bcp_wire_read (const guint8 * data, gsize size, guint version, gboolean * held, GstClockTime * age)
{
  GstBcpResultInfo info = { 0 };
  gchar *source_id = NULL;
  gfloat *embedding = NULL;
  GstBcpResult *result = NULL;
  GstByteReader reader;

  if (version < 1 || version > GST_BCP_WIRE_VERSION || size > G_MAXUINT)
    return NULL;
  gst_byte_reader_init (&reader, data, (guint) size);
  if (read_head (&reader, &info, &source_id, held, age)
      && (embedding = read_embedding (&reader, &info.embedding_size))) {
    info.embedding = embedding;
    result = read_labels (&reader, &info, version);
  }
  g_free (source_id);
  g_free (embedding);
  return result;
}
