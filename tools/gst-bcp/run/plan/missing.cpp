// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/missing.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <vector>

namespace bcp::cli::run {
namespace {

struct Home {
  std::string_view what, package;
};

constexpr std::string_view kGood = "gstreamer1.0-plugins-good", kBad = "gstreamer1.0-plugins-bad",
                           kUgly = "gstreamer1.0-plugins-ugly", kBase = "gstreamer1.0-plugins-base",
                           kLibav = "gstreamer1.0-libav";

constexpr std::array kElements = {
    Home{"x264enc", kUgly},       Home{"openh264enc", kBad},     Home{"x265enc", kBad},
    Home{"vah264enc", kBad},      Home{"vah264lpenc", kBad},     Home{"nvh264enc", kBad},
    Home{"qsvh264enc", kBad},     Home{"v4l2h264enc", kGood},    Home{"vaapih264enc", "gstreamer1.0-vaapi"},
    Home{"vp8enc", kGood},        Home{"vp9enc", kGood},         Home{"h264parse", kBad},
    Home{"mp4mux", kGood},        Home{"qtmux", kGood},          Home{"matroskamux", kGood},
    Home{"webmmux", kGood},       Home{"avenc_aac", kLibav},     Home{"fdkaacenc", kBad},
    Home{"voaacenc", kBad},       Home{"opusenc", kBase},        Home{"vorbisenc", kBase},
    Home{"aacparse", kGood},      Home{"mpegaudioparse", kGood}, Home{"ac3parse", kGood},
    Home{"flacparse", kGood},     Home{"opusparse", kBad},       Home{"videoflip", kGood},
    Home{"videoscale", kBase},    Home{"videoconvert", kBase},   Home{"audioconvert", kBase},
    Home{"audioresample", kBase}, Home{"uridecodebin", kBase},   Home{"rtspsrc", kGood},
    Home{"souphttpsrc", kGood},
};

// The package for an installer text, by its beginning; the first match counts.
constexpr std::array kRequests = {
    Home{"urisource-rtsp", kGood},
    Home{"urisource-http", kGood},
    Home{"urisource-rtmp", kBad},
    Home{"urisource-srt", kBad},
    Home{"urisource-udp", kGood},
    Home{"urisource-v4l2", kGood},
    Home{"decoder-video/x-vp8", kGood},
    Home{"decoder-video/x-vp9", kGood},
    Home{"decoder-video/x-theora", kBase},
    Home{"decoder-video/x-av1", kBad},
    Home{"decoder-image/jpeg", kGood},
    Home{"decoder-audio/x-vorbis", kBase},
    Home{"decoder-audio/x-opus", kBase},
    Home{"decoder-application/x-rtp", kGood},
    Home{"decoder-application/x-hls", kBad},
    Home{"decoder-application/dash+xml", kBad},
    Home{"decoder-application/ogg", kBase},
    Home{"decoder-video/mpegts", kBad},
    Home{"decoder-video/quicktime", kGood},
    Home{"decoder-video/x-matroska", kGood},
    Home{"decoder-video/webm", kGood},
    Home{"decoder-video/x-msvideo", kGood},
    Home{"decoder-video/x-flv", kGood},
    Home{"decoder-video/x-ms-asf", kUgly},
    Home{"decoder-application/mxf", kBad},
    Home{"decoder-", kLibav},
};

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> fields(1);
  for (const char c : text) {
    if (c == by)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

}  // namespace

std::string package_of(const std::string& element) {
  const auto home = std::find_if(kElements.begin(), kElements.end(), [&](const Home& h) { return h.what == element; });
  return home == kElements.end() ? "" : std::string(home->package);
}

std::string missing_sentence(const std::string& input, const std::string& installer_detail) {
  const std::vector<std::string> fields = split(installer_detail, '|');
  const std::string what = fields.size() > 3 && !fields[3].empty() ? fields[3] : "a plugin";
  std::string package;
  if (fields.size() > 4) {
    const auto home =
        std::find_if(kRequests.begin(), kRequests.end(), [&](const Home& h) { return fields[4].starts_with(h.what); });
    if (home != kRequests.end()) package = home->package;
    if (fields[4].starts_with("element-")) package = package_of(fields[4].substr(8));
  }
  if (package.empty() && fields.size() > 4 && fields[4].starts_with("urisource-"))
    return input + " cannot be read: GStreamer has no " + what + "; check the scheme of the address";
  return input + " cannot be read: GStreamer has no " + what + "; install " +
         (package.empty() ? std::string(kLibav) + ", gstreamer1.0-plugins-bad and -ugly" : package);
}

std::string undecodable_picture(const std::string& input, const std::string& path) {
  std::string head(12, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(head.data(), 12) || head.substr(4, 4) != "ftyp") return {};
  const std::string brand = head.substr(8);
  const auto sentence = [&](const std::string& kind, const std::string& tool) {
    return input + " cannot be read: GStreamer has no decoder for " + kind +
           " pictures; convert it to JPEG or PNG, for example with " + tool;
  };
  if (brand == "avif" || brand == "avis") return sentence("AVIF", "avifdec (package libavif-bin)");
  if (brand.starts_with("hei") || brand.starts_with("hev") || brand == "mif1" || brand == "msf1")
    return sentence("HEIC", "heif-convert (package libheif-examples)");
  return {};
}

}  // namespace bcp::cli::run
