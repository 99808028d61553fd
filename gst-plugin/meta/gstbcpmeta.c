/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/bcp/gstbcpmeta.h"
#include "wire.h"

GType
gst_bcp_meta_api_get_type (void)
{
  static GType type = 0;
  /* No tags: the labels stay valid when format, size, orientation or memory change. */
  static const gchar *tags[] = { NULL };

  if (g_once_init_enter (&type)) {
    GType registered = gst_meta_api_type_register ("GstBcpMetaAPI", tags);
    g_once_init_leave (&type, registered);
  }
  return type;
}

/* GStreamer does not clear the memory of metas that have an init function. */
static gboolean
gst_bcp_meta_init (GstMeta * meta, gpointer params, GstBuffer * buffer)
{
  GstBcpMeta *self = (GstBcpMeta *) meta;

  (void) params;
  (void) buffer;
  self->result = NULL;
  self->held = FALSE;
  self->age = GST_CLOCK_TIME_NONE;
  return TRUE;
}

static void
gst_bcp_meta_free (GstMeta * meta, GstBuffer * buffer)
{
  GstBcpMeta *self = (GstBcpMeta *) meta;

  (void) buffer;
  g_clear_pointer (&self->result, gst_bcp_result_unref);
}

/* Labels describe the picture, not its pixels, so the meta is copied by
 * - a copy, also of a part of the bytes: parsers and payloaders that split an encoded frame request such copies. A
 *   reader that must not count a result twice compares the result, not the buffer;
 * - a scaling or a matrix transform: elements that request these have no other way to keep a meta, and GStreamer's
 *   region-of-interest meta supports both. The quarks are found by name, so that this library needs no libgstvideo. */
static gboolean
keeps_the_picture (GQuark type)
{
  return GST_META_TRANSFORM_IS_COPY (type)
      || type == g_quark_from_static_string ("gst-video-scale")
      || type == g_quark_from_static_string ("gst-video-matrix");
}

static gboolean
gst_bcp_meta_transform (GstBuffer * dest, GstMeta * meta, GstBuffer * source, GQuark type, gpointer data)
{
  const GstBcpMeta *self = (const GstBcpMeta *) meta;

  (void) source;
  (void) data;
  if (!keeps_the_picture (type) || !self->result)
    return FALSE;
  return gst_buffer_add_bcp_meta (dest, self->result, self->held, self->age) != NULL;
}

#if GST_CHECK_VERSION (1, 24, 0)
static gboolean
gst_bcp_meta_serialize (const GstMeta * meta, GstByteArrayInterface * data, guint8 * version)
{
  const GstBcpMeta *self = (const GstBcpMeta *) meta;
  gsize size;

  if (!self->result)
    return FALSE;
  guint8 *bytes = gst_bcp_wire_write (self->result, self->held, self->age, &size);
  const gboolean done = gst_byte_array_interface_append_data (data, bytes, size);
  g_free (bytes);
  *version = GST_BCP_WIRE_VERSION;
  return done;
}

static GstMeta *
gst_bcp_meta_deserialize (const GstMetaInfo * info, GstBuffer * buffer, const guint8 * data, gsize size,
    guint8 version)
{
  gboolean held;
  GstClockTime age;
  GstBcpResult *result = gst_bcp_wire_read (data, size, version, &held, &age);

  (void) info;
  if (!result)
    return NULL;
  GstBcpMeta *meta = gst_buffer_add_bcp_meta (buffer, result, held, age);
  gst_bcp_result_unref (result);
  return (GstMeta *) meta;
}

/* A pooled meta stays on the buffer when the buffer returns to its pool; the result is released. */
static void
gst_bcp_meta_clear (GstBuffer * buffer, GstMeta * meta)
{
  gst_bcp_meta_free (meta, buffer);
}

static const GstMetaInfo *
gst_bcp_meta_register (void)
{
  GstMetaInfo *info = gst_meta_info_new (GST_BCP_META_API_TYPE, "GstBcpMeta", sizeof (GstBcpMeta));

  info->init_func = gst_bcp_meta_init;
  info->free_func = gst_bcp_meta_free;
  info->transform_func = gst_bcp_meta_transform;
  info->serialize_func = gst_bcp_meta_serialize;
  info->deserialize_func = gst_bcp_meta_deserialize;
  info->clear_func = gst_bcp_meta_clear;
  return gst_meta_info_register (info);
}
#else
static const GstMetaInfo *
gst_bcp_meta_register (void)
{
  return gst_meta_register (GST_BCP_META_API_TYPE, "GstBcpMeta", sizeof (GstBcpMeta), gst_bcp_meta_init,
      gst_bcp_meta_free, gst_bcp_meta_transform);
}
#endif

const GstMetaInfo *
gst_bcp_meta_get_info (void)
{
  static const GstMetaInfo *info = NULL;

  if (g_once_init_enter (&info)) {
    const GstMetaInfo *registered = gst_bcp_meta_register ();
    g_once_init_leave (&info, registered);
  }
  return info;
}

GstBcpMeta *
gst_buffer_add_bcp_meta (GstBuffer * buffer, GstBcpResult * result, gboolean held, GstClockTime age)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (result != NULL, NULL);

  GstBcpMeta *meta = (GstBcpMeta *) gst_buffer_add_meta (buffer, GST_BCP_META_INFO, NULL);
  if (!meta)
    return NULL;
  meta->result = gst_bcp_result_ref (result);
  meta->held = held;
  meta->age = age;
  return meta;
}

GstBcpMeta *
gst_buffer_get_bcp_meta (GstBuffer * buffer)
{
  GstBcpMeta *first = NULL, *meta;
  gpointer state = NULL;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  while ((meta = gst_buffer_iterate_bcp_meta (buffer, &state))) {
    if (gst_bcp_result_get_region_id (meta->result) == -1)
      return meta;
    if (!first)
      first = meta;
  }
  return first;
}

GstBcpMeta *
gst_buffer_iterate_bcp_meta (GstBuffer * buffer, gpointer * state)
{
  GstMeta *meta;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (state != NULL, NULL);
  /* Skips a cleared pooled meta, which has no result: readers rely on a result. */
  do
    meta = gst_buffer_iterate_meta_filtered (buffer, state, GST_BCP_META_API_TYPE);
  while (meta && !((GstBcpMeta *) meta)->result);
  return (GstBcpMeta *) meta;
}
