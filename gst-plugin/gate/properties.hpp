// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of bcpgate: their specification, and the way between GValues and Settings.
//
// Setters store. A condition that is wrong is reported by start() or at the next buffer.

#pragma once

#include <gst/gst.h>

#include "gate/settings.hpp"

namespace bcp::gate {

// Property ids; kPropOpen and kPropStats are read-only and answered by the element itself.
enum Property : guint {
  kPropCondition = 1,
  kPropPreRoll,
  kPropPostRoll,
  kPropMaxSizeBytes,
  kPropMaxSizeBuffers,
  kPropSendGaps,
  kPropOpen,
  kPropStats,
};

void install_properties(GObjectClass* object_class);

// False when there is no such property. Any thread; touches nothing but its arguments.
bool set_setting(Settings& settings, guint id, const GValue* value);
bool get_setting(const Settings& settings, guint id, GValue* value);

}  // namespace bcp::gate
