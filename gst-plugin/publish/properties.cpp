// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish/properties.hpp"

#include "mqtt/mqtt_address.hpp"
#include "support/properties.hpp"

namespace bcp::publish {
namespace {

using gst::kAtStart, gst::kLive, gst::kReadOnly, gst::kSecret, gst::set_text, gst::text;

GType drop_policy_type() {
  static const GEnumValue values[] = {
      gst::enum_value(mqtt::DropPolicy::kOldest, "Drop the oldest message", "oldest"),
      gst::enum_value(mqtt::DropPolicy::kNewest, "Drop the newest message", "newest"),
      gst::kEndOfValues,
  };
  static const GType type = gst::register_enum("GstBcpDropPolicy", values);
  return type;
}

void install_mqtt_properties(GObjectClass* object_class) {
  const MqttSettings defaults;
  const auto install = [&](Property id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };
  const auto install_text = [&](Property id, const char* name, const char* nick, const char* blurb,
                                const char* initial = nullptr, GParamFlags flags = kAtStart) {
    install(id, g_param_spec_string(name, nick, blurb, initial, flags));
  };

  install_text(kPropMqttAddress, "mqtt-address", "MQTT Address",
               "MQTT broker to publish to: mqtt://host[:1883], or mqtts://host[:8883] for TLS. Default: no broker. A "
               "password in the address is not returned when the property is read");
  install_text(
      kPropMqttTopic, "mqtt-topic", "MQTT Topic",
      "Prefix of all topics; {source} is replaced by the name of the stream. Results go to TOPIC/result, label "
      "events to TOPIC/event, online or offline to TOPIC/status",
      defaults.topic.c_str());
  install_text(kPropMqttUsername, "mqtt-username", "MQTT User Name", "User name for the broker");
  install_text(kPropMqttPassword, "mqtt-password", "MQTT Password",
               "Password for the broker. Other users of the machine can see it on a command line, so prefer "
               "mqtt-password-file",
               nullptr, kSecret);
  install_text(kPropMqttPasswordFile, "mqtt-password-file", "MQTT Password File",
               "File whose first line is the password for the broker");
  install_text(kPropMqttClientId, "mqtt-client-id", "MQTT Client Id",
               "Client id; must be unique at the broker. Default: a new random id for each connection");
  install(
      kPropMqttQos,
      g_param_spec_int("mqtt-qos", "MQTT Quality of Service",
                       "QoS of messages. 0 = may be lost; 1 = not lost, may arrive twice; 2 = arrives twice only if "
                       "the connection was lost in between",
                       0, 2, defaults.quality, kAtStart));
  install(kPropMqttRetain, g_param_spec_boolean("mqtt-retain", "MQTT Retain",
                                                "Retain the last result at the broker, for later subscribers",
                                                defaults.retain, kAtStart));
  install_text(kPropMqttCaFile, "mqtt-ca-file", "MQTT Authority File",
               "PEM file of the authority that signed the broker's certificate. Default: the authorities the system "
               "trusts");
  install_text(kPropMqttCertFile, "mqtt-cert-file", "MQTT Certificate File", "PEM file of the client certificate");
  install_text(kPropMqttKeyFile, "mqtt-key-file", "MQTT Key File", "PEM file of the key of the client certificate");
  install(kPropMqttInsecure,
          g_param_spec_boolean("mqtt-insecure", "MQTT Insecure",
                               "Do not check that the certificate is for this host; its authority is still checked",
                               defaults.insecure, kAtStart));
  install(kPropMqttKeepalive, g_param_spec_int("mqtt-keepalive", "MQTT Keep-Alive",
                                               "Seconds without traffic after which the connection is checked", 5,
                                               65535, defaults.keepalive, kAtStart));
  install(kPropMqttQueueSize,
          g_param_spec_uint("mqtt-queue-size", "MQTT Queue Size",
                            "Maximum number of messages queued while the broker is unreachable or slow; if it is full, "
                            "messages are dropped (mqtt-drop-policy) and counted",
                            1, 1'000'000, defaults.queue_size, kAtStart));
  install(kPropMqttDropPolicy,
          g_param_spec_enum("mqtt-drop-policy", "MQTT Drop Policy", "Which message is dropped when the queue is full",
                            drop_policy_type(), static_cast<gint>(defaults.drop_policy), kAtStart));
  install(kPropMqttFlushTimeout,
          g_param_spec_uint64("mqtt-flush-timeout", "MQTT Flush Timeout",
                              "Maximum nanoseconds that a stop waits until queued messages are sent", 0,
                              600 * GST_SECOND, static_cast<guint64>(defaults.flush_timeout.count()), kAtStart));
  install_text(kPropDiscoveryPrefix, "discovery-prefix", "Discovery Prefix",
               "Announce labels to Home Assistant under this topic prefix, usually homeassistant. Default: no "
               "announcement");
  install(kPropDiscoveryLabels,
          g_param_spec_uint("discovery-labels", "Discovery Labels",
                            "Announce all labels at start if there are at most this many; else each label when it is "
                            "first shown",
                            0, G_MAXUINT, defaults.discovery_labels, kAtStart));
}

bool set_mqtt_setting(MqttSettings& s, guint id, const GValue* value) {
  switch (id) {
    case kPropMqttAddress:
      s.address = text(value);
      break;
    case kPropMqttTopic:
      s.topic = text(value);
      break;
    case kPropMqttUsername:
      s.username = text(value);
      break;
    case kPropMqttPassword:
      s.password = text(value);
      break;
    case kPropMqttPasswordFile:
      s.password_file = text(value);
      break;
    case kPropMqttClientId:
      s.client_id = text(value);
      break;
    case kPropMqttQos:
      s.quality = g_value_get_int(value);
      break;
    case kPropMqttRetain:
      s.retain = g_value_get_boolean(value);
      break;
    case kPropMqttCaFile:
      s.ca_file = text(value);
      break;
    case kPropMqttCertFile:
      s.certificate_file = text(value);
      break;
    case kPropMqttKeyFile:
      s.key_file = text(value);
      break;
    case kPropMqttInsecure:
      s.insecure = g_value_get_boolean(value);
      break;
    case kPropMqttKeepalive:
      s.keepalive = g_value_get_int(value);
      break;
    case kPropMqttQueueSize:
      s.queue_size = g_value_get_uint(value);
      break;
    case kPropMqttDropPolicy:
      s.drop_policy = gst::choice<mqtt::DropPolicy>(value);
      break;
    case kPropMqttFlushTimeout:
      s.flush_timeout = std::chrono::nanoseconds(g_value_get_uint64(value));
      break;
    case kPropDiscoveryPrefix:
      s.discovery_prefix = text(value);
      break;
    case kPropDiscoveryLabels:
      s.discovery_labels = g_value_get_uint(value);
      break;
    default:
      return false;
  }
  return true;
}

bool get_mqtt_setting(const MqttSettings& s, guint id, GValue* value) {
  switch (id) {
    case kPropMqttAddress:
      set_text(value, mqtt::without_password(s.address));
      break;
    case kPropMqttTopic:
      set_text(value, s.topic);
      break;
    case kPropMqttUsername:
      set_text(value, s.username);
      break;
    case kPropMqttPasswordFile:
      set_text(value, s.password_file);
      break;
    case kPropMqttClientId:
      set_text(value, s.client_id);
      break;
    case kPropMqttQos:
      g_value_set_int(value, s.quality);
      break;
    case kPropMqttRetain:
      g_value_set_boolean(value, s.retain);
      break;
    case kPropMqttCaFile:
      set_text(value, s.ca_file);
      break;
    case kPropMqttCertFile:
      set_text(value, s.certificate_file);
      break;
    case kPropMqttKeyFile:
      set_text(value, s.key_file);
      break;
    case kPropMqttInsecure:
      g_value_set_boolean(value, s.insecure);
      break;
    case kPropMqttKeepalive:
      g_value_set_int(value, s.keepalive);
      break;
    case kPropMqttQueueSize:
      g_value_set_uint(value, s.queue_size);
      break;
    case kPropMqttDropPolicy:
      gst::set_choice(value, s.drop_policy);
      break;
    case kPropMqttFlushTimeout:
      g_value_set_uint64(value, static_cast<guint64>(s.flush_timeout.count()));
      break;
    case kPropDiscoveryPrefix:
      set_text(value, s.discovery_prefix);
      break;
    case kPropDiscoveryLabels:
      g_value_set_uint(value, s.discovery_labels);
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace

void install_properties(GObjectClass* object_class) {
  const Settings defaults;
  const auto install = [&](Property id, GParamSpec* spec) { g_object_class_install_property(object_class, id, spec); };
  install(kPropLocation,
          g_param_spec_string("location", "Location",
                              "File to write to (- = standard output). Default: -, or no file if mqtt-address is set",
                              "-", kAtStart));
  install(kPropAllLabels,
          g_param_spec_boolean("all-labels", "All labels", "Publish every label, not only the shown ones",
                               defaults.all_labels, kLive));
  install(kPropAppend,
          g_param_spec_boolean("append", "Append", "Append to an existing file instead of emptying it at first start",
                               defaults.append, kAtStart));
  install(kPropEvents,
          g_param_spec_boolean("events", "Events", "Also write a line to location when a label appears or disappears",
                               defaults.events, kLive));
  install_mqtt_properties(object_class);
  install(kPropStats,
          g_param_spec_boxed("stats", "Statistics",
                             "Counters since start: lines written and lost; for MQTT whether the broker is connected, "
                             "messages published, queued and dropped, and reconnects",
                             GST_TYPE_STRUCTURE, kReadOnly));
}

bool set_setting(Settings& s, guint id, const GValue* value) {
  switch (id) {
    case kPropLocation:
      s.location = text(value);
      return true;
    case kPropAppend:
      s.append = g_value_get_boolean(value);
      return true;
    case kPropAllLabels:
      s.all_labels = g_value_get_boolean(value);
      return true;
    case kPropEvents:
      s.events = g_value_get_boolean(value);
      return true;
    default:
      return set_mqtt_setting(s.mqtt, id, value);
  }
}

bool get_setting(const Settings& s, guint id, GValue* value) {
  switch (id) {
    case kPropLocation:
      g_value_set_string(value, s.location.value_or("-").c_str());
      return true;
    case kPropAppend:
      g_value_set_boolean(value, s.append);
      return true;
    case kPropAllLabels:
      g_value_set_boolean(value, s.all_labels);
      return true;
    case kPropEvents:
      g_value_set_boolean(value, s.events);
      return true;
    default:
      return get_mqtt_setting(s.mqtt, id, value);
  }
}

}  // namespace bcp::publish
