// SPDX-License-Identifier: LGPL-2.1-or-later
// A served pipeline that reports its errors.

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

// A GstRTSPMedia that prints the errors of its pipeline to standard error, without the passwords in addresses, and then
// disconnects its viewers: a viewer that reconnects gets a new pipeline. For gst_rtsp_media_factory_set_media_gtype().
GType served_media_get_type();

// The server whose viewers are disconnected; it outlives every media. Null: viewers stay connected.
void served_media_set_server(GstRTSPServer* server);
