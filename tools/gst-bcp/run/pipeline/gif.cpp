// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/gif.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "gst-bcp/run/pipeline/early_end.hpp"
#include "gst-bcp/run/plan/recipe.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

constexpr std::uint16_t kShortestDelay = 2;  // hundredths of a second; browsers treat less as "not set"
constexpr std::uint16_t kUsualDelay = 10;    // used then

// The blocks of a GIF, one after the other. Past the end of the file, all reads return zero.
class GifReader {
 public:
  explicit GifReader(const std::string& path) : file_(path, std::ios::binary) {}

  std::vector<GstClockTime> durations() {
    std::string signature(6, '\0');
    if (!file_.read(signature.data(), 6) || (signature != "GIF87a" && signature != "GIF89a")) return {};
    skip(4);
    const auto flags = byte();
    skip(2);
    if (!flags) return {};
    skip_colours(*flags);
    std::vector<GstClockTime> all;
    std::uint16_t delay = 0;
    while (const auto kind = byte()) {
      if (*kind == 0x21) {
        if (const auto found = read_extension()) delay = *found;
      } else if (*kind == 0x2C) {
        if (!skip_image()) break;
        all.push_back((delay < kShortestDelay ? kUsualDelay : delay) * (GST_SECOND / 100));
        delay = 0;
      } else {
        break;  // the trailer, or invalid
      }
    }
    return all;
  }

 private:
  std::optional<std::uint8_t> byte() {
    const int value = file_.get();
    if (value == std::ifstream::traits_type::eof()) return std::nullopt;
    return static_cast<std::uint8_t>(value);
  }
  void skip(std::streamsize count) { file_.ignore(count); }
  void skip_colours(std::uint8_t flags) {
    if (flags & 0x80) skip(3 * (std::streamsize{2} << (flags & 7)));
  }
  // False: the file ends inside.
  bool skip_blocks() {
    while (const auto size = byte()) {
      if (*size == 0) return true;
      skip(*size);
    }
    return false;
  }
  // The delay, where the extension is a graphic control.
  std::optional<std::uint16_t> read_extension() {
    std::optional<std::uint16_t> delay;
    if (const auto label = byte(); label && *label == 0xF9) {
      skip(2);  // its size and its flags
      const auto low = byte(), high = byte();
      skip(1);
      if (low && high) delay = static_cast<std::uint16_t>(*low | *high << 8);
    }
    skip_blocks();
    return delay;
  }
  bool skip_image() {
    skip(8);
    const auto flags = byte();
    if (!flags) return false;
    skip_colours(*flags);
    skip(1);
    return skip_blocks();
  }

  std::ifstream file_;
};

struct OnePass {
  GstElement* pipeline;  // outlives the probe
  std::vector<GstClockTime> durations;
  std::size_t next = 0;
  GstClockTime time = 0;
};

GstPadProbeReturn on_gif_frame(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto& pass = *static_cast<OnePass*>(data);
  if (pass.next == pass.durations.size()) return GST_PAD_PROBE_DROP;
  GstBuffer* frame = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  info->data = frame;
  GST_BUFFER_PTS(frame) = pass.time;
  GST_BUFFER_DURATION(frame) = pass.durations[pass.next];
  pass.time += pass.durations[pass.next];
  if (++pass.next == pass.durations.size()) end_early(pass.pipeline, pass.time);
  return GST_PAD_PROBE_OK;
}

}  // namespace

std::vector<GstClockTime> gif_durations(const std::string& path) {
  return GifReader(path).durations();
}

void play_gif_once(GstElement* pipeline, std::vector<GstClockTime> durations) {
  const gst::ElementPtr inlet(gst_bin_get_by_name(GST_BIN(pipeline), kVideoInlet));
  if (!inlet || durations.empty()) return;
  const gst::PadPtr pad(gst_element_get_static_pad(inlet.get(), "src"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_gif_frame, new OnePass{pipeline, std::move(durations)},
                    [](gpointer data) { delete static_cast<OnePass*>(data); });
}

}  // namespace bcp::cli::run
