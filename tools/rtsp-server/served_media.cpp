// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rtsp-server/served_media.hpp"

#include <cstdio>

#include "gst-bcp/common/address.hpp"

namespace {

struct ServedMedia {
  GstRTSPMedia parent;
};
struct ServedMediaClass {
  GstRTSPMediaClass parent;
};

GstRTSPServer* the_server = nullptr;  // set once, before the first viewer connects

GstRTSPFilterResult let_go(GstRTSPServer*, GstRTSPClient*, gpointer) {
  return GST_RTSP_FILTER_REMOVE;
}

}  // namespace

G_DEFINE_TYPE(ServedMedia, served_media, GST_TYPE_RTSP_MEDIA)  // NOLINT

static gboolean served_media_handle_message(GstRTSPMedia* media, GstMessage* message) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError* error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    std::fprintf(stderr, "bcp-rtsp-server: the pipeline failed: %s: %s\n", GST_OBJECT_NAME(GST_MESSAGE_SRC(message)),
                 bcp::cli::run::without_secrets(error->message).c_str());
    g_error_free(error);
    // From the main loop: this is a thread of the media, which ends with its last viewer.
    if (the_server)
      g_idle_add(
          [](gpointer server) -> gboolean {
            g_list_free(gst_rtsp_server_client_filter(GST_RTSP_SERVER(server), let_go, nullptr));
            return G_SOURCE_REMOVE;
          },
          the_server);
  }
  return GST_RTSP_MEDIA_CLASS(served_media_parent_class)->handle_message(media, message);
}

static void served_media_class_init(ServedMediaClass* type) {
  GST_RTSP_MEDIA_CLASS(type)->handle_message = served_media_handle_message;
}

static void served_media_init(ServedMedia*) {}

void served_media_set_server(GstRTSPServer* server) {
  the_server = server;
}
