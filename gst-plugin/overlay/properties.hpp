// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The properties of bcpoverlay: their specification, and the way between GValues and Settings.
//
// Setters store; a change takes effect at the next frame.

#pragma once

#include <gst/gst.h>

#include "overlay/settings.hpp"

namespace bcp::overlay {

// Property ids; kPropStats is read-only and answered by the element itself.
enum Property : guint {
  kPropEnabled = 1,
  kPropPosition,
  kPropFont,
  kPropScale,
  kPropOpacity,
  kPropMaxLines,
  kPropShow,
  kPropCompare,
  kPropDimAfter,
  kPropStats,
};

void install_properties(GObjectClass* object_class);

// False when there is no such property. Any thread; touches nothing but its arguments.
bool set_setting(Settings& settings, guint id, const GValue* value);
bool get_setting(const Settings& settings, guint id, GValue* value);

}  // namespace bcp::overlay
