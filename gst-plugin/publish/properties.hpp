// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of bcppublish: their definition, and the conversion between GValues and Settings.
//
// Setters only store the value; start() checks it and reports errors on the bus. No getter returns a password:
// mqtt-password is write-only, and mqtt-address is returned without its password.

#pragma once

#include <gst/gst.h>

#include "publish/settings.hpp"

namespace bcp::publish {

// Property ids; kPropStats is read-only, and the element itself returns it.
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

// False for an unknown property. Any thread; uses only its arguments.
bool set_setting(Settings& settings, guint id, const GValue* value);
bool get_setting(const Settings& settings, guint id, GValue* value);

}  // namespace bcp::publish
