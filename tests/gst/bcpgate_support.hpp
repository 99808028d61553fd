// SPDX-License-Identifier: LGPL-2.1-or-later
// A bcpgate in a harness, with a record of what leaves it.

#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace bcp::test {

// A result over these names: those with 0.5 and more are shown.
using Probabilities = std::vector<std::pair<const char*, double>>;

inline gst::BcpResultPtr result_of(const Probabilities& probabilities, gint region = -1) {
  std::vector<const char*> names;
  std::vector<Score> scores;
  for (const auto& [name, probability] : probabilities) {
    names.push_back(name);
    Score score;
    score.probability = probability;
    if (probability >= 0.5) score.flags = GST_BCP_SCORE_SHOWN;
    scores.push_back(score);
  }
  const gst::BcpLabelsPtr labels(gst_bcp_labels_new(names.data(), static_cast<guint>(names.size())));
  return make_result(labels.get(), scores, {.source_id = "door", .pts = 0, .region_id = region});
}

inline gst::BcpResultPtr person(double probability) {
  return result_of({{"person", probability}, {"car", 0.1}});
}

// Frames are a tenth of a second long; frame n begins at n tenths.
inline constexpr GstClockTime kGateFrame = GST_SECOND / 10;
inline constexpr char kGateRaw[] = "video/x-raw,format=GRAY8,width=4,height=4,framerate=10/1";
inline constexpr char kGateEncoded[] = "video/x-h264,stream-format=byte-stream,alignment=au,framerate=10/1";

class GateHarness {
 public:
  explicit GateHarness(const std::string& properties, const char* caps = kGateRaw)
      : element(gst_parse_launch(("bcpgate " + properties).c_str(), nullptr)) {
    gst_object_ref_sink(element.get());
    bus = listen(element.get());
    const gst::PadPtr src(gst_element_get_static_pad(element.get(), "src"));
    gst_pad_add_probe(src.get(),
                      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
                      &GateHarness::record, this, nullptr);
    h.reset(gst_harness_new_with_element(element.get(), "sink", "src"));
    gst_harness_set_src_caps_str(h.get(), caps);
    left.clear();
  }
  GateHarness(const GateHarness&) = delete;
  GateHarness& operator=(const GateHarness&) = delete;
  ~GateHarness() {
    h.reset();                              // while the record is there
    gst_bus_set_flushing(bus.get(), TRUE);  // messages hold on to the element, and the element to the bus
  }

  static gst::BufferPtr frame(GstClockTime pts, const gst::BcpResultPtr& result, bool delta = false) {
    gst::BufferPtr buffer(gst_buffer_new_allocate(nullptr, 16, nullptr));
    GST_BUFFER_PTS(buffer.get()) = pts;
    GST_BUFFER_DURATION(buffer.get()) = kGateFrame;
    if (delta) GST_BUFFER_FLAG_SET(buffer.get(), GST_BUFFER_FLAG_DELTA_UNIT);
    if (result) attach(buffer.get(), result);
    return buffer;
  }

  GstFlowReturn push(gst::BufferPtr buffer) { return gst_harness_push(h.get(), buffer.release()); }
  GstFlowReturn push(unsigned number, const gst::BcpResultPtr& result, bool delta = false) {
    return push(frame(number * kGateFrame, result, delta));
  }
  // Frames `from` to `to`, the last one too. Every `interval`th is a key frame, from frame 0 on.
  void push_range(unsigned from, unsigned to, double probability, unsigned interval = 1) {
    const gst::BcpResultPtr result = person(probability);
    for (unsigned n = from; n <= to; ++n) EXPECT_EQ(push(n, result, n % interval != 0), GST_FLOW_OK);
  }
  bool push(GstEvent* event) { return gst_harness_push_event(h.get(), event); }

  bool is_open() const {
    gboolean open = FALSE;
    g_object_get(element.get(), "open", &open, nullptr);
    return open;
  }
  guint64 stat(const char* name) const { return count_in_stats(element.get(), name); }

  // What left since the last call: numbers of frames, ! before one with DISCONT, "gap FROM-TO" in numbers of frames,
  // names of other events.
  std::vector<std::string> out() { return std::exchange(left, {}); }
  // Of that, the buffers.
  std::vector<std::string> frames() {
    std::vector<std::string> all = out();
    std::erase_if(all, [](const std::string& item) { return g_ascii_isalpha(item[0]); });
    return all;
  }

  gst::ElementPtr element;
  gst::BusPtr bus;
  Harness h;
  std::vector<std::string> left;

 private:
  static std::string number(GstClockTime time) {
    return GST_CLOCK_TIME_IS_VALID(time) ? std::to_string(time / kGateFrame) : "?";
  }

  static GstPadProbeReturn record(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto& left = static_cast<GateHarness*>(data)->left;
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
      GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
      const bool discont = GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT);
      left.push_back((discont ? "!" : "") + number(GST_BUFFER_PTS(buffer)));
      return GST_PAD_PROBE_OK;
    }
    GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
    std::string name = gst_event_type_get_name(GST_EVENT_TYPE(event));
    if (GST_EVENT_TYPE(event) == GST_EVENT_GAP) {
      GstClockTime start, duration;
      gst_event_parse_gap(event, &start, &duration);
      name += " " + number(start) + "-" + number(start + duration);
    }
    left.push_back(name);
    return GST_PAD_PROBE_OK;
  }
};

using Items = std::vector<std::string>;

// The element messages of this name that wait on the bus; the others are dropped.
inline std::vector<gst::MessagePtr> element_messages(GstBus* bus, const char* name) {
  std::vector<gst::MessagePtr> all;
  while (gst::MessagePtr message{gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT)}) {
    if (gst_message_has_name(message.get(), name)) all.push_back(std::move(message));
  }
  return all;
}

}  // namespace bcp::test
