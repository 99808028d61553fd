// SPDX-License-Identifier: LGPL-2.1-or-later
// A bcptagger with a prior-file: frames to learn from, and helpers to check the learnt statistics.

#pragma once

#include <map>

#include "prior/snapshot.hpp"
#include "tagger_support.hpp"

namespace bcp::test {

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

inline constexpr GstClockTime kFrame = 40 * GST_MSECOND;
inline constexpr Colour kLesson[] = {kRed, kYellow, kRed, kGreen, kYellow, kBlue, kYellow};

inline std::string in(const std::string& path, const std::string& more = "") {
  return "preset=paper prior-file=" + path + " " + more;
}

inline void teach(Tagger& tagger) {
  tagger.caps(rgb_caps());
  GstClockTime pts = 0;
  for (const Colour colour : kLesson) tagger.push(frame(colour, pts += kFrame));
}

// A tagger has run and stopped.
inline void run_once(const std::string& properties) {
  Tagger tagger(properties);
  teach(tagger);
}

inline bool emit(const Tagger& tagger, const char* signal) {
  gboolean done = FALSE;
  g_signal_emit_by_name(tagger.element(), signal, &done);
  return done;
}

inline prior::Snapshot load(const std::string& path) {
  auto snapshot = prior::load_snapshot(path);
  EXPECT_TRUE(snapshot) << snapshot.error().message;
  return snapshot ? *std::move(snapshot) : prior::Snapshot{"", {}, adapt::Cooccurrence(0)};
}

// The correction of each label of a frame.
inline std::map<std::string, double> corrections(GstBuffer* buffer) {
  std::map<std::string, double> all;
  const GstBcpResult* result = gst_buffer_get_bcp_meta(buffer)->result;
  const GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  for (guint k = 0; k < gst_bcp_labels_get_size(labels); ++k) {
    all[gst_bcp_labels_get_name(labels, k)] = gst_bcp_result_get_correction(result, k);
  }
  return all;
}

inline double samples(GstBuffer* buffer) {
  return gst_bcp_result_get_samples(gst_buffer_get_bcp_meta(buffer)->result);
}

inline std::vector<std::string> warnings(const Tagger& tagger) {
  std::vector<std::string> all;
  for (const Message& message : tagger.faults()) {
    if (message.type == GST_MESSAGE_WARNING) all.push_back(message.text);
  }
  return all;
}

// A tagger in a pipeline whose messages are kept from the start on.
inline Pipeline three_frames(const std::string& properties, const std::string& bundle = "toy") {
  return pipeline("videotestsrc num-buffers=3 ! bcptagger name=second decision=softmax model=" + kBundles + bundle +
                  " " + properties + " ! fakesink");
}

// Runs it to EOS and stops it. Returns its errors and warnings.
inline std::vector<Message> faults_of(const Pipeline& p) {
  std::vector<Message> all = run(p);
  gst_element_set_state(p.get(), GST_STATE_READY);
  std::erase_if(all, [](const Message& message) { return message.type == GST_MESSAGE_INFO; });
  return all;
}

// The numbers of labels in bcp-prior-loaded: kept, new, dropped.
inline std::vector<guint> loaded(const std::string& properties) {
  const auto p = three_frames(properties + " prior-mode=read-only");
  const gst::BusPtr bus(gst_element_get_bus(p.get()));
  gst_element_set_state(p.get(), GST_STATE_PAUSED);
  const auto message = await(bus.get(), "bcp-prior-loaded");
  std::vector<guint> counts(3);
  double count = 0;
  EXPECT_TRUE(message &&
              gst_structure_get(message.get(), "kept", G_TYPE_UINT, &counts[0], "new", G_TYPE_UINT, &counts[1],
                                "dropped", G_TYPE_UINT, &counts[2], "samples", G_TYPE_DOUBLE, &count, nullptr));
  EXPECT_GE(count, std::size(kLesson));
  return counts;
}

// The one error with which the element refuses to start.
inline std::string start_error(const std::string& properties) {
  const auto found = faults_of(three_frames(properties));
  EXPECT_EQ(found.size(), 1u) << properties;
  return found.size() == 1 && found[0].type == GST_MESSAGE_ERROR ? found[0].text : "";
}

}  // namespace bcp::test
