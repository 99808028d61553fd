// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish/mqtt_publisher.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "mqtt/topics.hpp"
#include "support/bus.hpp"

namespace bcp::publish {
namespace {

constexpr std::chrono::seconds kStartPause{1};

void post_state(GstElement* element, bool connected, const std::string& place) {
  GstStructure* state = gst_structure_new("bcp-mqtt", "connected", G_TYPE_BOOLEAN, static_cast<gboolean>(connected),
                                          "address", G_TYPE_STRING, place.c_str(), nullptr);
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), state));
}

// Posts on the bus. Holds a reference to the element: a slow name lookup can outlive it.
mqtt::MqttListener bus_listener(GstElement* element, const std::string& place) {
  const std::shared_ptr<GstElement> owner(GST_ELEMENT(gst_object_ref(element)), gst::Unref());
  const auto post_change = [owner, place, posted = std::make_shared<std::optional<bool>>()](bool connected) {
    if (std::exchange(*posted, connected) != connected) post_state(owner.get(), connected, place);
  };
  return {
      .connected =
          [owner, place, post_change](bool again) {
            gst::post_info(owner.get(), (again ? "Reconnected to" : "Connected to") +
                                            std::string(" the MQTT broker at ") + place + ".");
            post_change(true);
          },
      .trouble =
          [owner, post_change](const Error& error, bool again) {
            if (!again) {
              gst::post(owner.get(), GST_MESSAGE_WARNING, {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE},
                        error.message.c_str());
            }
            post_change(false);
          },
  };
}

}  // namespace

Result<std::unique_ptr<MqttPublisher>> MqttPublisher::open(GstElement* element, const MqttSettings& settings) {
  Result<mqtt::MqttOptions> options = settings.options();
  if (!options) return options.error();
  std::unique_ptr<MqttPublisher> publisher(new MqttPublisher(element, settings, *std::move(options)));
  if (!mqtt::names_source(settings.topic)) {
    if (Status connected = publisher->connect(settings.topic); !connected) return connected.error();
  }
  return publisher;
}

MqttPublisher::MqttPublisher(GstElement* element, const MqttSettings& settings, mqtt::MqttOptions options)
    : element_(element), settings_(settings), options_(std::move(options)) {}

Status MqttPublisher::connect(const std::string& topic) {
  options_.status_topic = topic + "/status";
  client_ = std::make_shared<mqtt::MqttClient>(options_, settings_.queue_size, settings_.drop_policy,
                                               bus_listener(element_, options_.address.place()));
  return client_->start();
}

void MqttPublisher::start_again() {
  const auto now = std::chrono::steady_clock::now();
  if (!start_at_ || now < *start_at_) return;
  start_at_ = client_->start() ? std::nullopt : std::optional(now + kStartPause);
}

MqttPublisher::Source& MqttPublisher::source(const std::string& name) {
  const auto [it, fresh] = sources_.try_emplace(name);
  Source& source = it->second;
  if (!fresh) return source;
  source.topic = mqtt::topic_for(settings_.topic, name);
  if (!client_) {
    if (const Status connected = connect(source.topic); !connected) {
      start_at_ = std::chrono::steady_clock::now() + kStartPause;
      gst::post_warning(
          element_, {connected.error().code, "No connection to the MQTT broker at " + options_.address.place() + ": " +
                                                 connected.error().message +
                                                 ". Retrying; results are queued and the video continues."});
    }
  }
  if (!settings_.discovery_prefix.empty()) {
    mqtt::HomeAssistantDevice device{.prefix = settings_.discovery_prefix,
                                     .source = name.empty() ? source.topic : name,
                                     .topic = source.topic,
                                     .status_topics = {options_.status_topic},
                                     .announce = settings_.discovery_labels};
    source.home.emplace(std::move(device), [client = client_](const std::string& topic, std::string payload) {
      client->set_state(topic, std::move(payload));
    });
    client_->switch_off(mqtt::HomeAssistant::state_topic(source.topic, "+"));
  }
  return source;
}

void MqttPublisher::result(const std::string& name, std::string line) {
  send({source(name).topic + "/result", std::move(line), settings_.retain});
}

void MqttPublisher::event(const std::string& name, std::string line) {
  send({source(name).topic + "/event", std::move(line), false});
}

void MqttPublisher::send(mqtt::MqttMessage message) {
  start_again();
  if (client_->publish(std::move(message)) || std::exchange(warned_, true)) return;
  const bool oldest = settings_.drop_policy == mqtt::DropPolicy::kOldest;
  gst::post(element_, GST_MESSAGE_WARNING, {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_WRITE},
            ("The MQTT broker at " + options_.address.place() + " is unreachable or too slow: the queue is full (" +
             std::to_string(client_->counts().queued) + " messages), and the " + (oldest ? "oldest" : "newest") +
             " messages are dropped from now on; raise mqtt-queue-size, or publish less. The video continues.")
                .c_str());
}

void MqttPublisher::set_labels(const std::string& name, GstBcpLabels* labels) {
  Source& of = source(name);
  if (!of.home || of.labels.get() == labels) return;
  of.labels.reset(gst_bcp_labels_ref(labels));
  std::vector<std::string> names;
  for (guint i = 0; i < gst_bcp_labels_get_size(labels); ++i) names.emplace_back(gst_bcp_labels_get_name(labels, i));
  of.home->set_labels(names);
}

void MqttPublisher::show(const std::string& name, const std::string& label, bool on, double probability) {
  if (Source& of = source(name); of.home) of.home->show(label, on, probability);
}

void MqttPublisher::finish() {
  if (client_) client_->finish(std::chrono::duration_cast<std::chrono::milliseconds>(settings_.flush_timeout));
}

}  // namespace bcp::publish
