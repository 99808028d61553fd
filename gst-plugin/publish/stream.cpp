// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish/stream.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "mqtt/event_json.hpp"
#include "support/bus.hpp"
#include "support/labels_shown.hpp"

namespace bcp::publish {
namespace {

// The capture time of the frame if the buffer has it, else the current time; microseconds since 1970.
gint64 utc_us(GstBuffer* buffer) {
  static GstStaticCaps unix_caps = GST_STATIC_CAPS("timestamp/x-unix");
  static GstStaticCaps ntp_caps = GST_STATIC_CAPS("timestamp/x-ntp");
  constexpr GstClockTime kNtpToUnix = 2208988800 * GST_SECOND;  // 1900 to 1970

  const auto reference = [buffer](GstStaticCaps& caps) {
    const gst::CapsPtr wanted(gst_static_caps_get(&caps));
    const auto* meta = gst_buffer_get_reference_timestamp_meta(buffer, wanted.get());
    return meta ? meta->timestamp : GST_CLOCK_TIME_NONE;
  };
  if (const GstClockTime time = reference(unix_caps); GST_CLOCK_TIME_IS_VALID(time)) {
    return static_cast<gint64>(GST_TIME_AS_USECONDS(time));
  }
  if (const GstClockTime time = reference(ntp_caps); GST_CLOCK_TIME_IS_VALID(time) && time >= kNtpToUnix) {
    return static_cast<gint64>(GST_TIME_AS_USECONDS(time - kNtpToUnix));
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

GstClockTime stream_time(const GstSegment& segment, GstClockTime time) {
  if (segment.format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID(time)) return GST_CLOCK_TIME_NONE;
  return gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, time);
}

std::optional<double> seconds(GstClockTime time) {
  if (!GST_CLOCK_TIME_IS_VALID(time)) return std::nullopt;
  return static_cast<double>(time) / GST_SECOND;
}

std::string source_of(const GstBcpResult* result) {
  const char* id = gst_bcp_result_get_source_id(result);
  return id ? id : "";
}

double probability_of(const GstBcpResult* result, const std::string& label) {
  const gint index = result ? gst_bcp_labels_find(gst_bcp_result_get_labels(result), label.c_str()) : -1;
  if (index < 0) return std::numeric_limits<double>::quiet_NaN();
  return gst_bcp_result_get_probability(result, static_cast<guint>(index));
}

}  // namespace

Result<std::unique_ptr<Stream>> Stream::open(GstElement* element, const Settings& settings, bool append,
                                             LineCounts& counts) {
  // Before the file is opened: if the broker's settings are invalid, the file must not be emptied.
  if (settings.has_broker()) {
    if (auto options = settings.mqtt.options(); !options) return options.error();
  }
  std::unique_ptr<LineWriter> writer;
  if (settings.writes()) {
    const auto start = append ? LineWriter::Start::kAppend : LineWriter::Start::kTruncate;
    auto opened = LineWriter::open(settings.location.value_or("-"), start, GST_OBJECT_NAME(element));
    if (!opened) return opened.error();
    writer = *std::move(opened);
  }
  std::unique_ptr<MqttPublisher> mqtt;
  if (settings.has_broker()) {
    auto opened = MqttPublisher::open(element, settings.mqtt);
    if (!opened) return opened.error();
    mqtt = *std::move(opened);
  }
  counts.written = counts.lost = 0;
  return std::unique_ptr<Stream>(new Stream(element, counts, std::move(writer), std::move(mqtt)));
}

Stream::Stream(GstElement* element, LineCounts& counts, std::unique_ptr<LineWriter> writer,
               std::unique_ptr<MqttPublisher> mqtt)
    : element_(element), counts_(counts), writer_(std::move(writer)), mqtt_(std::move(mqtt)) {}

void Stream::process(GstBuffer* buffer, const GstSegment& segment, const Settings& settings) {
  std::vector<gst::BcpResultPtr> fresh;
  gpointer state = nullptr;
  while (GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(buffer, &state)) {
    if (!meta->held) fresh.emplace_back(gst_bcp_result_ref(meta->result));
  }
  if (fresh.empty()) return;
  now_ = stream_time(segment, GST_BUFFER_PTS(buffer));
  // Copies of a buffer (by videorate, or a parser that splits a frame into units) carry the same result as new again.
  bool any = false;
  for (const auto& result : fresh) {
    const auto same = [&result](const auto& other) { return other.get() == result.get(); };
    if (std::any_of(published_.begin(), published_.end(), same)) continue;
    publish(result.get(), buffer, segment, settings);
    any = true;
  }
  // Events are for whole frames only: regions appear and disappear with the detector.
  const auto of_frame = std::find_if(fresh.begin(), fresh.end(),
                                     [](const auto& result) { return gst_bcp_result_get_region_id(result.get()) < 0; });
  if (any && of_frame != fresh.end() && (mqtt_ || settings.events)) follow_labels(of_frame->get(), buffer, settings);
  published_ = std::move(fresh);
}

void Stream::publish(GstBcpResult* result, GstBuffer* buffer, const GstSegment& segment, const Settings& settings) {
  const std::string& line = json_.compose(
      result,
      {.pts = now_, .inference_pts = stream_time(segment, gst_bcp_result_get_pts(result)), .utc_us = utc_us(buffer)},
      settings.all_labels);
  write(line);
  if (mqtt_) mqtt_->result(source_of(result), line);
}

void Stream::follow_labels(GstBcpResult* result, GstBuffer* buffer, const Settings& settings) {
  const std::string source = source_of(result);
  if (mqtt_) mqtt_->set_labels(source, gst_bcp_result_get_labels(result));
  const std::vector<gst::LabelShown> shown = gst::labels_shown(buffer);
  const std::vector<std::uint8_t> all(shown.size(), 1);
  std::vector<double> probability;
  for (const gst::LabelShown& label : shown) probability.push_back(label.probability);
  const auto name = [&shown](std::size_t k) { return shown[k].name; };
  publish_events(sources_[source].update(all, probability, name, seconds(now_)), source, result, settings);
}

void Stream::publish_events(const std::vector<decide::Event>& events, const std::string& source, GstBcpResult* result,
                            const Settings& settings) {
  for (const decide::Event& event : events) {
    const std::string line = mqtt::event_line(event, source, now_);
    if (settings.events) write(line);
    if (!mqtt_) continue;
    mqtt_->event(source, line);
    mqtt_->show(source, event.label, event.on, probability_of(result, event.label));
  }
}

void Stream::end(const Settings& settings) {
  for (auto& [source, events] : sources_) publish_events(events.finish(seconds(now_)), source, nullptr, settings);
}

void Stream::finish(const Settings& settings) {
  end(settings);
  if (mqtt_) mqtt_->finish();
}

void Stream::write(const std::string& line) {
  if (!writer_) return;
  const Status done = writer_->write(line);
  if (done) {
    ++counts_.written;
    return;
  }
  ++counts_.lost;
  if (std::exchange(warned_, true)) return;
  gst::post(element_, GST_MESSAGE_WARNING, {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE},
            done.error().message.c_str());
}

}  // namespace bcp::publish
