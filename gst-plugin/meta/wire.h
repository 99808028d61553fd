/* The serialised form of a GstBcpMeta, for other processes (unixfdsink and similar elements).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Version 1, little-endian, no padding, nothing after the last label:
 *
 *   u8  held (0, 1)      u64 age              u64 pts              i32 region id        i32 anchor
 *   f64 anchor probability                    f64 samples
 *   u8  has source id    (u32 length, bytes)
 *   u32 embedding size   f32 each
 *   u32 label count      each: u32 name length, name, f64 zero-shot, correction, logit, zero-shot softmax, probability,
 *                        u32 flags
 *
 * Version 2 adds after the last label, for each label: i32 colour (0xRRGGBB, or -1).
 *
 * Version 3, the current one, adds after the last colour:
 *
 *   for each label: f64 softmax, prior, evidence
 *   u8  decision (0 softmax, 1 presence)      u8 calibrated (0, 1) f64 threshold
 *   u8  has context word (u32 length, bytes)  f64 its weight
 *
 * Versions 1 and 2 are read as decision softmax: softmax is the probability, prior, evidence and threshold are NaN.
 *
 * Strings are UTF-8 without NUL and without a terminator. Compiled for every GStreamer; the meta uses it from 1.24 on.
 */

#pragma once

#include "gst/bcp/gstbcpmeta.h"

G_BEGIN_DECLS

#define GST_BCP_WIRE_VERSION 3   /* the version that is written; older ones can be read */

/* Returns the bytes of a meta: free them with g_free(). */
G_GNUC_INTERNAL guint8 *gst_bcp_wire_write (const GstBcpResult * result, gboolean held, GstClockTime age, gsize * size);

/* Reads what gst_bcp_wire_write() wrote. Returns NULL, with *held and *age unspecified, for any other data, such as a
 * name that is not UTF-8: bytes from another process are not trusted. */
G_GNUC_INTERNAL GstBcpResult *gst_bcp_wire_read (const guint8 * data, gsize size, guint version, gboolean * held,
    GstClockTime * age);

G_END_DECLS
