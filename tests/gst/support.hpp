// SPDX-License-Identifier: LGPL-2.1-or-later
// Helpers for the element tests: owners, results to attach, messages of a bus, files to write to.

#pragma once

#include <gst/bcp/gstbcpmeta.h>
#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "results.hpp"
#include "support/owners.hpp"

namespace bcp::test {

struct Teardown {
  void operator()(GstHarness* h) const { gst_harness_teardown(h); }
};
using Harness = std::unique_ptr<GstHarness, Teardown>;

inline Harness harness(const char* launch) {
  return Harness(gst_harness_new_parse(launch));
}

// A pipeline that is set to NULL before it is released.
struct Stop {
  void operator()(GstElement* p) const {
    gst_element_set_state(p, GST_STATE_NULL);
    gst_object_unref(p);
  }
};
using Pipeline = std::unique_ptr<GstElement, Stop>;

inline Pipeline pipeline(const std::string& launch) {
  GError* error = nullptr;
  GstElement* made = gst_parse_launch(launch.c_str(), &error);
  if (error) {
    ADD_FAILURE() << launch << ": " << error->message;
    g_error_free(error);
  }
  return Pipeline(made);
}

inline gst::ElementPtr child(const Pipeline& parent, const char* name) {
  return gst::ElementPtr(gst_bin_get_by_name(GST_BIN(parent.get()), name));
}

// An element message of interest, taken off the bus.
struct Message {
  GstMessageType type = GST_MESSAGE_UNKNOWN;
  GQuark domain = 0;
  int code = 0;
  std::string text;
};

inline Message parse(GstMessage* message) {
  GError* error = nullptr;
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR:
      gst_message_parse_error(message, &error, nullptr);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning(message, &error, nullptr);
      break;
    case GST_MESSAGE_INFO:
      gst_message_parse_info(message, &error, nullptr);
      break;
    default:
      return {GST_MESSAGE_TYPE(message), 0, 0, ""};
  }
  const gst::ErrorPtr owner(error);
  return {GST_MESSAGE_TYPE(message), error->domain, error->code, error->message};
}

// The errors, warnings and infos waiting on `bus`.
inline std::vector<Message> faults(GstBus* bus) {
  std::vector<Message> all;
  constexpr auto types = static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_INFO);
  while (const gst::MessagePtr message{gst_bus_pop_filtered(bus, types)}) all.push_back(parse(message.get()));
  return all;
}

// A field of the element's `stats`; the largest value of the type if the field is missing.
inline guint64 count_in_stats(GstElement* element, const char* name) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  const gst::StructurePtr owner(stats);
  guint64 value = ~guint64{0};
  gst_structure_get_uint64(stats, name, &value);
  return value;
}

// Gives an element outside a pipeline a bus. State messages are dropped: a message left on the bus holds a reference to
// the element, which holds a reference to the bus.
inline gst::BusPtr listen(GstElement* element) {
  gst::BusPtr bus(gst_bus_new());
  gst_bus_set_sync_handler(
      bus.get(),
      [](GstBus*, GstMessage* message, gpointer) {
        if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_STATE_CHANGED) return GST_BUS_PASS;
        gst_message_unref(message);
        return GST_BUS_DROP;
      },
      nullptr, nullptr);
  gst_element_set_bus(element, bus.get());
  return bus;
}

// Runs to EOS or the first error, at most `seconds`. Returns the errors, warnings and infos.
inline std::vector<Message> run(const Pipeline& p, unsigned seconds = 30) {
  const gst::BusPtr bus(gst_element_get_bus(p.get()));
  std::vector<Message> all;
  gst_element_set_state(p.get(), GST_STATE_PLAYING);
  constexpr auto types =
      static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_WARNING | GST_MESSAGE_INFO | GST_MESSAGE_EOS);
  while (true) {
    const gst::MessagePtr message(gst_bus_timed_pop_filtered(bus.get(), seconds * GST_SECOND, types));
    if (!message) {
      ADD_FAILURE() << "no EOS within " << seconds << " s";
      return all;
    }
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS) return all;
    all.push_back(parse(message.get()));
    if (all.back().type == GST_MESSAGE_ERROR) return all;
  }
}

// Calls `fn` for each buffer that leaves `element`. The buffer is writable, and changes are kept.
inline void on_each_buffer(GstElement* element, std::function<void(GstBuffer*)> fn) {
  const gst::PadPtr pad(gst_element_get_static_pad(element, "src"));
  gst_pad_add_probe(
      pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer data) {
        info->data = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
        (*static_cast<std::function<void(GstBuffer*)>*>(data))(GST_PAD_PROBE_INFO_BUFFER(info));
        return GST_PAD_PROBE_OK;
      },
      new std::function<void(GstBuffer*)>(std::move(fn)),
      [](gpointer data) { delete static_cast<std::function<void(GstBuffer*)>*>(data); });
}

// Keeps a reference to each buffer that reaches the sink `element`.
inline void collect(GstElement* element, std::vector<gst::BufferPtr>& into) {
  const gst::PadPtr pad(gst_element_get_static_pad(element, "sink"));
  gst_pad_add_probe(
      pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
      [](GstPad*, GstPadProbeInfo* info, gpointer data) {
        static_cast<std::vector<gst::BufferPtr>*>(data)->emplace_back(gst_buffer_ref(GST_PAD_PROBE_INFO_BUFFER(info)));
        return GST_PAD_PROBE_OK;
      },
      &into, nullptr);
}

// A result over three labels: "car" is anchor and shown, "tree" is shown by plain CLIP only, "boat" not at all.
inline gst::BcpResultPtr street(GstClockTime pts = 0, const char* source = "cam", gint region = -1) {
  const char* names[] = {"boat", "car", "tree"};
  const gst::BcpLabelsPtr labels(gst_bcp_labels_new(names, 3));
  constexpr auto kBothWays = static_cast<GstBcpScoreFlags>(GST_BCP_SCORE_SHOWN | GST_BCP_SCORE_SHOWN_ZERO_SHOT);
  const Score scores[] = {
      {12.5, -0.5, 12.0, 0.01, 0.005, GST_BCP_SCORE_NONE},
      {27.125, 0, 27.125, 0.75, 0.9, kBothWays},
      {25.0, -1.25, 23.75, 0.24, 0.095, GST_BCP_SCORE_SHOWN_ZERO_SHOT},
  };
  return make_result(labels.get(), scores,
                     {.source_id = source,
                      .pts = pts,
                      .region_id = region,
                      .anchor = 1,
                      .anchor_probability = 0.75,
                      .samples = 412,
                      .embedding = {0.6F, 0.8F}});
}

// The same labels by presence: "car" and "tree" are shown, plain CLIP shows "car" only, the frame is mostly "street".
inline gst::BcpResultPtr street_by_presence(GstClockTime pts = 0, bool calibrated = true) {
  const char* names[] = {"boat", "car", "tree"};
  const gst::BcpLabelsPtr labels(gst_bcp_labels_new(names, 3));
  constexpr auto kBothWays = static_cast<GstBcpScoreFlags>(GST_BCP_SCORE_SHOWN | GST_BCP_SCORE_SHOWN_ZERO_SHOT);
  const Score scores[] = {
      {12.5, -0.5, 12.0, 0.0625, 0.03125, GST_BCP_SCORE_NONE, 0.015625, 0.005, -3.5},
      {27.125, 0, 27.125, 0.75, 0.875, kBothWays, 0.8125, 0.5, 4.25},
      {25.0, -1.25, 23.75, 0.1875, 0.625, GST_BCP_SCORE_SHOWN, 0.171875, 0.25, 1.5},
  };
  return make_result(labels.get(), scores,
                     {.source_id = "cam",
                      .pts = pts,
                      .anchor = 1,
                      .anchor_probability = 0.75,
                      .samples = 412,
                      .decision = GST_BCP_DECISION_PRESENCE,
                      .threshold = 0.5,
                      .calibrated = calibrated,
                      .context = "str\xc3\xa9"
                                 "et",
                      .context_weight = 0.375});
}

inline GstBcpMeta* attach(GstBuffer* buffer, const gst::BcpResultPtr& result, bool held = false) {
  return gst_buffer_add_bcp_meta(buffer, result.get(), held, 0);
}

// A temporary folder, removed with the test.
class Folder {
 public:
  Folder() {
    gst::CharPtr made(g_dir_make_tmp("gst-bcp-test-XXXXXX", nullptr));
    path_ = made.get();
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

// Whether the file contains these whole lines.
inline bool has_lines(const std::string& path, const std::string& lines) {
  std::string text = "\n", sought = "\n";
  text.append(contents(path));
  sought.append(lines).append("\n");
  return text.find(sought) != std::string::npos;
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// The lines of a file, each parsed; a test failure for a line that is not JSON.
inline std::vector<nlohmann::ordered_json> json_lines(const std::string& path) {
  std::vector<nlohmann::ordered_json> all;
  std::istringstream in(contents(path));
  for (std::string line; std::getline(in, line);) {
    all.push_back(nlohmann::ordered_json::parse(line, nullptr, false));
    EXPECT_FALSE(all.back().is_discarded()) << line;
  }
  return all;
}

}  // namespace bcp::test
