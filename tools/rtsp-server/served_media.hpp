// SPDX-License-Identifier: LGPL-2.1-or-later
// The run of a pipeline that is served, which tells when it fails.

#pragma once

#include <gst/rtsp-server/rtsp-server.h>

// A GstRTSPMedia that prints the errors of its pipeline to standard error, without the passwords in addresses, and then
// lets those who watch go: whoever comes again gets a new run. For gst_rtsp_media_factory_set_media_gtype().
GType served_media_get_type();

// The server whose watchers are let go; it outlives every media. Null: none are.
void served_media_set_server(GstRTSPServer* server);
