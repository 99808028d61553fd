// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/broker/camera.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "mqtt/event_json.hpp"
#include "mqtt/topics.hpp"

namespace bcp::cli::run {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> seconds_of(GstClockTime time) {
  if (!GST_CLOCK_TIME_IS_VALID(time)) return std::nullopt;
  return static_cast<double>(time) / GST_SECOND;
}

std::string utc_text(std::chrono::system_clock::time_point when) {
  using namespace std::chrono;
  const auto day = floor<days>(when);
  const year_month_day date(day);
  const hh_mm_ss time(floor<milliseconds>(when - day));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()}, static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()));
  return text.data();
}

}  // namespace

BrokerCamera::BrokerCamera(mqtt::MqttClient& client, const MqttOptions& options, MqttRules rules,
                           const std::string& name)
    : client_(client),
      name_(name),
      topic_(mqtt_topic(options) + "/" + mqtt::topic_for("{source}", name)),
      topics_(topic_),
      only_(std::move(rules.labels)),
      images_(rules.images.value_or(options.images)),
      control_(rules.control.value_or(options.control)) {
  set_there(false);
  if (!images_) client_.set_state(topics_.image, "");  // of an earlier run
  if (options.discovery_prefix.empty()) return;
  const std::string run_status = mqtt_topic(options) + "/status";
  const mqtt::HomeAssistantDevice device{.prefix = options.discovery_prefix,
                                         .source = name,
                                         .topic = topic_,
                                         .status_topics = {run_status, topics_.status}};
  const auto remember = [&client](const std::string& topic, std::string payload) {
    client.set_state(topic, std::move(payload));
  };
  mqtt::announce_camera(device, run_status, {.image = images_, .labels = control_}, remember);
  home_.emplace(device, remember);
  client_.switch_off(mqtt::HomeAssistant::state_topic(topic_, "+"));
}

void BrokerCamera::set_there(bool there) {
  if (there_ == there) return;
  there_ = there;
  if (!there) send_events(tracker_.finish(seconds_of(now_)));
  client_.set_state(topics_.status, there ? mqtt::kOnline : mqtt::kOffline);
}

void BrokerCamera::set_labels(const std::vector<std::string>& labels) {
  const bool is_first = !labels_;
  labels_ = labels;
  refusal_.clear();
  send_labels();
  if (!home_) return;
  std::vector<std::string> sensors;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(sensors),
               [this](const std::string& label) { return is_sent(label); });
  home_->set_labels(sensors);
  // Sensors of labels that an earlier run had. Not before the labels are known: Home Assistant would forget how people
  // have named the sensors. A long list announces its labels one by one, so nothing is known of the others.
  if (is_first && home_->announces_all()) client_.delete_others(home_->config_filter());
}

bool BrokerCamera::is_sent(const std::string& label) const {
  return only_.empty() || std::find(only_.begin(), only_.end(), label) != only_.end();
}

void BrokerCamera::refuse_labels(const std::string& sentence) {
  refusal_ = sentence;
  send_labels();
}

// Without control too: which labels are requested is worth knowing.
void BrokerCamera::send_labels() {
  if (labels_) client_.set_state(topics_.labels, mqtt::label_list(*labels_));
  Json about{{"count", labels_ ? labels_->size() : 0}, {"error", nullptr}};
  if (!refusal_.empty()) about["error"] = refusal_;
  client_.set_state(topics_.labels_attributes, about.dump(-1, ' ', false, Json::error_handler_t::replace));
}

bool BrokerCamera::see(const Seen& seen) {
  now_ = seen.time;
  std::vector<ShownLabel> labels;
  std::copy_if(seen.labels.begin(), seen.labels.end(), std::back_inserter(labels),
               [this](const ShownLabel& label) { return is_sent(label.name); });
  const std::vector<std::uint8_t> all(labels.size(), 1);
  std::vector<double> probability;
  for (const ShownLabel& label : labels) probability.push_back(label.probability);
  const auto name = [&labels](std::size_t k) { return labels[k].name; };
  const std::vector<decide::Event> events = tracker_.update(all, probability, name, seconds_of(now_));
  send_events(events);
  for (const decide::Event& event : events)
    if (event.on) return true;
  return false;
}

// The event of bcppublish, with the time of day and what Home Assistant expects of an event.
void BrokerCamera::send_events(const std::vector<decide::Event>& events) {
  const auto now = Wall::now();
  for (const decide::Event& event : events) {
    if (event.on) since_[event.label] = now;
    Json line = Json::parse(mqtt::event_line(event, name_, now_));
    line["event_type"] = event.on ? mqtt::kAppeared : mqtt::kDisappeared;
    line["start_utc"] = utc_text(since_[event.label]);
    line["end_utc"] = nullptr;
    if (!event.on) {
      line["end_utc"] = utc_text(now);
      since_.erase(event.label);
    }
    client_.publish({topics_.event, line.dump(), false});
    if (home_) home_->show(event.label, event.on, event.probability);
  }
}

void BrokerCamera::set_image(std::string jpeg) {
  client_.set_state(topics_.image, std::move(jpeg));
}

}  // namespace bcp::cli::run
