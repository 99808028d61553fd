// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of bcppublish: their specification, and the way between GValues and Settings.
//
// Setters store; they open no file and check nothing that start() would not report on the bus. No getter tells a
// password: mqtt-password cannot be read, and mqtt-address is read back without one.

#pragma once

#include <gst/gst.h>

#include "publish/settings.hpp"

namespace bcp::publish {

// Property ids; kPropStats is read-only and answered by the element itself.
enum Property : guint {
  kPropLocation = 1,
  kPropAppend,
  kPropAllLabels,
  kPropEvents,
  kPropMqttAddress,
  kPropMqttTopic,
  kPropMqttUsername,
  kPropMqttPassword,
  kPropMqttPasswordFile,
  kPropMqttClientId,
  kPropMqttQos,
  kPropMqttRetain,
  kPropMqttCaFile,
  kPropMqttCertFile,
  kPropMqttKeyFile,
  kPropMqttInsecure,
  kPropMqttKeepalive,
  kPropMqttQueueSize,
  kPropMqttDropPolicy,
  kPropMqttFlushTimeout,
  kPropDiscoveryPrefix,
  kPropDiscoveryLabels,
  kPropStats,
};

void install_properties(GObjectClass* object_class);

// False when there is no such property. Any thread; touches nothing but its arguments.
bool set_setting(Settings& settings, guint id, const GValue* value);
bool get_setting(const Settings& settings, guint id, GValue* value);

}  // namespace bcp::publish
