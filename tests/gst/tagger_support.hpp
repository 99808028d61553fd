// SPDX-License-Identifier: LGPL-2.1-or-later
// A bcptagger in a harness, frames of one colour (the labels of the toy model are colours), and its results.

#pragma once

#include <gst/video/video.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>

#include "support.hpp"

namespace bcp::test {

struct Colour {
  std::uint8_t r, g, b;
};
inline constexpr Colour kRed{255, 0, 0}, kGreen{0, 255, 0}, kBlue{0, 0, 255}, kYellow{255, 255, 0},
    kWhite{255, 255, 255};

inline const std::string kBundles = BCP_TEST_DATA "/bundles/";

// A plain RGB frame.
inline gst::BufferPtr frame(Colour colour, GstClockTime pts = 0, int width = 64, int height = 48) {
  const int stride = GST_ROUND_UP_4(3 * width);
  gst::BufferPtr buffer(
      gst_buffer_new_allocate(nullptr, static_cast<gsize>(stride) * static_cast<gsize>(height), nullptr));
  GstMapInfo map;
  gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) std::memcpy(map.data + y * stride + 3 * x, &colour, 3);
  }
  gst_buffer_unmap(buffer.get(), &map);
  GST_BUFFER_PTS(buffer.get()) = pts;
  GST_BUFFER_DURATION(buffer.get()) = 40 * GST_MSECOND;
  return buffer;
}

inline std::string rgb_caps(int width = 64, int height = 48) {
  return "video/x-raw,format=RGB,width=" + std::to_string(width) + ",height=" + std::to_string(height) +
         ",framerate=25/1";
}

// The labels shown on a buffer, with their probability.
using Shown = std::map<std::string, double>;
inline Shown shown(GstBuffer* buffer) {
  Shown result;
  const GstBcpMeta* meta = gst_buffer_get_bcp_meta(buffer);
  if (!meta) return result;
  const GstBcpLabels* labels = gst_bcp_result_get_labels(meta->result);
  for (guint k = 0; k < gst_bcp_labels_get_size(labels); ++k) {
    if (!gst_bcp_result_is_shown(meta->result, k)) continue;
    result[gst_bcp_labels_get_name(labels, k)] = gst_bcp_result_get_probability(meta->result, k);
  }
  return result;
}

// The most likely label of a buffer, or "" without a result.
inline std::string best(GstBuffer* buffer) {
  std::string name;
  double most = 0;
  for (const auto& [label, probability] : shown(buffer)) {
    if (probability > most) most = probability, name = label;
  }
  return name;
}

// Waits for the next element message of this name; null after a timeout.
inline gst::StructurePtr await(GstBus* bus, const char* name) {
  while (const gst::MessagePtr message{gst_bus_timed_pop_filtered(bus, 30 * GST_SECOND, GST_MESSAGE_ELEMENT)}) {
    const GstStructure* structure = gst_message_get_structure(message.get());
    if (gst_structure_has_name(structure, name)) return gst::StructurePtr(gst_structure_copy(structure));
  }
  return nullptr;
}

// A harness is a live pipeline, but the default here is mode=sync and skip-static=off: frames wait for their labels,
// and equal frames are scored one by one.
class Tagger {
 public:
  explicit Tagger(const std::string& properties = "", const std::string& bundle = "toy")
      : harness_(harness(("bcptagger name=tagger mode=sync skip-static=off decision=softmax model=" + kBundles +
                          bundle + " " + properties)
                             .c_str())),
        element_(gst_harness_find_element(harness_.get(), "bcptagger")),
        bus_(listen(harness_->element)) {
    gst_bus_set_sync_handler(bus_.get(), count_answers, this, nullptr);
  }
  ~Tagger() { gst_bus_set_sync_handler(bus_.get(), nullptr, nullptr, nullptr); }

  GstHarness* get() const { return harness_.get(); }
  GstElement* element() const { return element_.get(); }

  void caps(const std::string& caps) { gst_harness_set_src_caps_str(harness_.get(), caps.c_str()); }
  gst::BufferPtr push(gst::BufferPtr buffer) {
    return gst::BufferPtr(gst_harness_push_and_pull(harness_.get(), buffer.release()));
  }
  // Sets a property that changes the labels, pushes frames until the element has answered, and returns the first frame
  // after the answer.
  gst::BufferPtr change(const char* property, const char* value, Colour colour, GstClockTime pts = 0) {
    const int before = answers_;
    g_object_set(element(), property, value, nullptr);
    gst::BufferPtr out;
    const gint64 end = g_get_monotonic_time() + 60 * G_TIME_SPAN_SECOND;
    while (answers_ == before && g_get_monotonic_time() < end) {
      out = push(frame(colour, pts));
      if (answers_ == before) g_usleep(1000);
    }
    EXPECT_GT(answers_, before) << property << " was never answered";
    return out;
  }
  void event(GstEvent* event) { EXPECT_TRUE(gst_harness_push_event(harness_.get(), event)); }
  std::vector<Message> faults() const { return test::faults(bus_.get()); }

  template <typename T>
  T stat(const char* field) const {
    GstStructure* all = nullptr;
    g_object_get(element(), "stats", &all, nullptr);
    const gst::StructurePtr owner(all);
    T value{};
    const GValue* found = gst_structure_get_value(all, field);
    if (!found) {
      ADD_FAILURE() << "no " << field << " in stats";
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = g_value_get_string(found);
    } else if (G_VALUE_HOLDS_UINT64(found)) {
      value = static_cast<T>(g_value_get_uint64(found));
    } else if (G_VALUE_HOLDS_UINT(found)) {
      value = static_cast<T>(g_value_get_uint(found));
    } else {
      value = static_cast<T>(g_value_get_double(found));
    }
    return value;
  }

  gst::StructurePtr await(const char* name) const { return test::await(bus_.get(), name); }

  // The element messages of this name waiting on the bus.
  std::vector<gst::StructurePtr> messages(const char* name) const {
    std::vector<gst::StructurePtr> all;
    while (const gst::MessagePtr message{gst_bus_pop_filtered(bus_.get(), GST_MESSAGE_ELEMENT)}) {
      const GstStructure* structure = gst_message_get_structure(message.get());
      if (gst_structure_has_name(structure, name)) all.emplace_back(gst_structure_copy(structure));
    }
    return all;
  }

 private:
  // A change of labels is answered by either of these.
  static GstBusSyncReply count_answers(GstBus*, GstMessage* message, gpointer self) {
    const GstStructure* structure = gst_message_get_structure(message);
    const bool active = structure && gst_structure_has_name(structure, "bcp-labels-active");
    if (active || GST_MESSAGE_TYPE(message) == GST_MESSAGE_WARNING) ++static_cast<Tagger*>(self)->answers_;
    return GST_BUS_PASS;
  }

  std::atomic<int> answers_ = 0;
  Harness harness_;
  gst::ElementPtr element_;
  gst::BusPtr bus_;
};

}  // namespace bcp::test
