// SPDX-License-Identifier: LGPL-2.1-or-later
// What a run of bcppublish has built up: where it writes, what it has published, which labels are on.
//
// Made at start, dropped at stop. In between only the streaming thread touches it, but for the line writer, whose
// waiting others may cancel, and the MQTT client, whose counts others may read.

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

// Lines to the location, since start. Any thread.
struct LineCounts {
  std::atomic<std::uint64_t> written{0}, lost{0};
};

class Stream {
 public:
  // `element` and `counts` outlive the stream. `append`: keep what the file holds.
  static Result<std::unique_ptr<Stream>> open(GstElement* element, const Settings& settings, bool append,
                                              LineCounts& counts);

  // Publishes the new results on `buffer`, and the labels that came and went with them.
  void process(GstBuffer* buffer, const GstSegment& segment, const Settings& settings);
  // The stream is over: no label is shown any more.
  void end(const Settings& settings);
  // The run is over. Waits for a broker as long as the settings allow.
  void finish(const Settings& settings);

  LineWriter* writer() { return writer_.get(); }  // null: nothing is written
  std::shared_ptr<MqttClient> client() const { return mqtt_ ? mqtt_->client() : nullptr; }

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
  std::vector<gst::BcpResultPtr> published_;             // from the last buffer that had any
  std::map<std::string, decide::EventTracker> sources_;  // the labels that are on
  GstClockTime now_ = GST_CLOCK_TIME_NONE;               // stream time of the last result
  bool warned_ = false;
};

}  // namespace bcp::publish
