// SPDX-License-Identifier: LGPL-2.1-or-later
// bcp-rtsp-server: serves a pipeline over RTSP; all viewers share one running pipeline.
//
//   bcp-rtsp-server [--port 8554] [--path /labels] [--address 127.0.0.1] [--user NAME --password-file FILE]
//                   [--tls-cert FILE --tls-key FILE] -- LAUNCH LINE
//
// The line has the syntax of gst-launch-1.0, and ends in a payloader named pay0. It runs while there is a viewer. The
// address is printed when the server listens; port 0 takes a free one. Exit codes: 0 stopped by a signal, 1 failure,
// 2 the command line was wrong.

#include <glib-unix.h>
#include <gst/rtsp-server/rtsp-server.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "rtsp-server/served_media.hpp"

namespace {

struct Unref {
  void operator()(gpointer object) const { g_object_unref(object); }
};
template <typename T>
using Ref = std::unique_ptr<T, Unref>;

struct Options {
  std::string address = "127.0.0.1";
  int port = 8554;
  std::string path = "/labels";
  std::string user, password_file;  // empty: no authentication
  std::string tls_cert, tls_key;    // PEM files; empty: no TLS
  std::string launch;
};

int fail(const std::string& sentence) {
  std::fprintf(stderr, "bcp-rtsp-server: %s\n", sentence.c_str());
  return 1;
}

// The error in the line, or empty: reported at start, not when the first viewer connects.
std::string fault_of(const std::string& launch) {
  GError* error = nullptr;
  const Ref<GstElement> bin(GST_ELEMENT(gst_parse_bin_from_description(launch.c_str(), FALSE, &error)));
  std::string fault;
  if (error) {
    fault = std::string("the pipeline cannot be made: ") + error->message;
  } else if (const Ref<GstElement> payloader(gst_bin_get_by_name(GST_BIN(bin.get()), "pay0")); !payloader) {
    fault =
        "no element of the pipeline has the name pay0: give it to the payloader at the end, as in rtph264pay name=pay0";
  }
  if (error) g_error_free(error);
  return fault;
}

// The words as one line. A space inside a word belongs to it, as with gst-launch-1.0; a single word is a whole line.
std::string joined(const std::vector<std::string>& words) {
  if (words.size() == 1) return words.front();
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    for (const char c : word) {
      if (c == ' ' || c == '\t' || c == '\n') line += '\\';
      line += c;
    }
  }
  return line;
}

// Adds the user, with RTSP digest authentication, which never sends the password. Returns the error, or empty.
std::string add_user(GstRTSPAuth* auth, const Options& options, GstRTSPToken* token) {
  std::string password;
  std::ifstream file(options.password_file);
  if (!std::getline(file, password) || password.empty())
    return "there is no password in " + options.password_file + ": write it into the first line";
  gst_rtsp_auth_set_supported_methods(auth, GST_RTSP_AUTH_DIGEST);
  gst_rtsp_auth_add_digest(auth, options.user.c_str(), password.c_str(), token);
  return {};
}

// Makes the server answer in TLS (rtsps://). Returns the error, or empty.
std::string add_certificate(GstRTSPAuth* auth, const Options& options) {
  GError* error = nullptr;
  const Ref<GTlsCertificate> certificate(
      g_tls_certificate_new_from_files(options.tls_cert.c_str(), options.tls_key.c_str(), &error));
  if (error) {
    std::string fault = "the certificate " + options.tls_cert + " with the key " + options.tls_key +
                        " cannot be used: " + error->message + "; give two PEM files";
    g_error_free(error);
    return fault;
  }
  gst_rtsp_auth_set_tls_certificate(auth, certificate.get());
  return {};
}

// Who may watch, and whether over TLS. Returns the error, or empty.
std::string protect(GstRTSPServer* server, GstRTSPMediaFactory* factory, const Options& options) {
  if (options.user.empty() && options.tls_cert.empty()) return {};
  constexpr const char* kRole = "watcher";
  const Ref<GstRTSPAuth> auth(gst_rtsp_auth_new());
  GstRTSPToken* token = gst_rtsp_token_new(GST_RTSP_TOKEN_MEDIA_FACTORY_ROLE, G_TYPE_STRING, kRole, nullptr);
  std::string fault;
  if (options.user.empty())
    gst_rtsp_auth_set_default_token(auth.get(), token);
  else
    fault = add_user(auth.get(), options, token);
  gst_rtsp_token_unref(token);
  if (fault.empty() && !options.tls_cert.empty()) fault = add_certificate(auth.get(), options);
  if (!fault.empty()) return fault;
  gst_rtsp_server_set_auth(server, auth.get());
  gst_rtsp_media_factory_add_role(factory, kRole, GST_RTSP_PERM_MEDIA_FACTORY_ACCESS, G_TYPE_BOOLEAN, TRUE,
                                  GST_RTSP_PERM_MEDIA_FACTORY_CONSTRUCT, G_TYPE_BOOLEAN, TRUE, nullptr);
  return {};
}

gboolean quit(gpointer loop) {
  g_main_loop_quit(static_cast<GMainLoop*>(loop));
  return G_SOURCE_REMOVE;
}

int serve(const Options& options) {
  if (const std::string fault = fault_of(options.launch); !fault.empty()) return fail(fault);
  const Ref<GstRTSPServer> server(gst_rtsp_server_new());
  gst_rtsp_server_set_address(server.get(), options.address.c_str());
  gst_rtsp_server_set_service(server.get(), std::to_string(options.port).c_str());

  GstRTSPMediaFactory* factory = gst_rtsp_media_factory_new();
  gst_rtsp_media_factory_set_launch(factory, ("( " + options.launch + " )").c_str());
  gst_rtsp_media_factory_set_shared(factory, TRUE);
  gst_rtsp_media_factory_set_media_gtype(factory, served_media_get_type());
  served_media_set_server(server.get());
  const Ref<GstRTSPMountPoints> mounts(gst_rtsp_server_get_mount_points(server.get()));
  gst_rtsp_mount_points_add_factory(mounts.get(), options.path.c_str(), factory);

  if (const std::string fault = protect(server.get(), factory, options); !fault.empty()) return fail(fault);

  if (gst_rtsp_server_attach(server.get(), nullptr) == 0) {
    return fail("cannot listen on " + options.address + ":" + std::to_string(options.port) +
                ": another program may use the port; choose another with --port (0 takes a free one)");
  }
  GMainLoop* loop = g_main_loop_new(nullptr, FALSE);
  g_unix_signal_add(SIGINT, quit, loop);
  g_unix_signal_add(SIGTERM, quit, loop);
  // Only now: a program that has read the address may send a signal at once.
  std::printf("%s://%s:%d%s\n", options.tls_cert.empty() ? "rtsp" : "rtsps", options.address.c_str(),
              gst_rtsp_server_get_bound_port(server.get()), options.path.c_str());
  std::fflush(stdout);
  g_main_loop_run(loop);
  g_main_loop_unref(loop);
  // Closes the connections of viewers and stops the pipeline.
  g_list_free(gst_rtsp_server_client_filter(
      server.get(), [](GstRTSPServer*, GstRTSPClient*, gpointer) { return GST_RTSP_FILTER_REMOVE; }, nullptr));
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Serves a GStreamer pipeline over RTSP.", "bcp-rtsp-server");
  Options options;
  std::vector<std::string> words;
  app.add_option("--address", options.address, "Address to listen on; 0.0.0.0 allows other machines")
      ->capture_default_str();
  app.add_option("--port", options.port, "Port to listen on; 0 takes a free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--path", options.path, "Path in the stream's address, after the port")
      ->check([](const std::string& path) { return path.rfind('/', 0) == 0 ? "" : "a path begins with /"; })
      ->capture_default_str();
  CLI::Option* user = app.add_option("--user", options.user, "Allow only this user; needs --password-file");
  CLI::Option* password_file =
      app.add_option("--password-file", options.password_file, "File whose first line is the user's password");
  user->needs(password_file);
  password_file->needs(user);
  CLI::Option* tls_cert =
      app.add_option("--tls-cert", options.tls_cert, "Serve rtsps:// with this certificate, a PEM file");
  CLI::Option* tls_key = app.add_option("--tls-key", options.tls_key, "The key of the certificate, a PEM file");
  tls_cert->needs(tls_key);
  tls_key->needs(tls_cert);
  app.add_option("LAUNCH", words, "The pipeline, in the syntax of gst-launch-1.0; put -- before it")->required();
  app.footer(
      "Example:\n"
      "  bcp-rtsp-server -- videotestsrc is-live=true ! bcptagger ! bcpoverlay ! videoconvert ! x264enc "
      "tune=zerolatency "
      "! rtph264pay name=pay0");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  gst_init(nullptr, nullptr);
  options.launch = joined(words);
  return serve(options);
} catch (const std::exception& error) {
  return fail(error.what());
}
