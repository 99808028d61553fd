// SPDX-License-Identifier: LGPL-2.1-or-later
// The state of a running bcppublish: its outputs, the published results, and the labels that are on.
//
// Created at start, destroyed at stop. In between only the streaming thread uses it, with two exceptions: other threads
// may cancel a wait of the line writer, and read the counts of the MQTT client.

#pragma once

#include <gst/bcp/gstbcpmeta.h>
#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "decide/events.hpp"
#include "publish/line_writer.hpp"
#include "publish/mqtt_publisher.hpp"
#include "publish/result_json.hpp"
#include "publish/settings.hpp"
#include "support/owners.hpp"

namespace bcp::publish {

// Lines written and lost since start. Any thread.
struct LineCounts {
  std::atomic<std::uint64_t> written{0}, lost{0};
};

class Stream {
 public:
  // `append`: do not empty the file. REQUIRES: `element` and `counts` outlive the stream.
  static Result<std::unique_ptr<Stream>> open(GstElement* element, const Settings& settings, bool append,
                                              LineCounts& counts);

  // Publishes the new results on `buffer`, and events for labels that appeared or disappeared.
  void process(GstBuffer* buffer, const GstSegment& segment, const Settings& settings);
  // At the end of the stream: publishes label-off events.
  void end(const Settings& settings);
  // At stop. Waits for the broker, at most the flush timeout.
  void finish(const Settings& settings);

  LineWriter* writer() { return writer_.get(); }  // null: no location
  std::shared_ptr<mqtt::MqttClient> client() const { return mqtt_ ? mqtt_->client() : nullptr; }

 private:
  Stream(GstElement* element, LineCounts& counts, std::unique_ptr<LineWriter> writer,
         std::unique_ptr<MqttPublisher> mqtt);
  void publish(GstBcpResult* result, GstBuffer* buffer, const GstSegment& segment, const Settings& settings);
  void follow_labels(GstBcpResult* result, GstBuffer* buffer, const Settings& settings);
  void publish_events(const std::vector<decide::Event>& events, const std::string& source, GstBcpResult* result,
                      const Settings& settings);
  void write(const std::string& line);

  GstElement* const element_;
  LineCounts& counts_;
  const std::unique_ptr<LineWriter> writer_;
  const std::unique_ptr<MqttPublisher> mqtt_;
  ResultJson json_;
  std::vector<gst::BcpResultPtr> published_;             // of the last buffer with new results
  std::map<std::string, decide::EventTracker> sources_;  // the labels that are on, for each source
  GstClockTime now_ = GST_CLOCK_TIME_NONE;               // stream time of the last result
  bool warned_ = false;
};

}  // namespace bcp::publish
