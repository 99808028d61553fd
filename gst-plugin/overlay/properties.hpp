// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The properties of bcpoverlay: their definition, and the conversion between GValues and Settings.
//
// Setters only store the value; it is used from the next frame on.

#pragma once

#include <gst/gst.h>

#include "overlay/settings.hpp"

namespace bcp::overlay {

// Property ids; kPropStats is read-only, and the element itself returns it.
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

// False for an unknown property. Any thread; uses only its arguments.
bool set_setting(Settings& settings, guint id, const GValue* value);
bool get_setting(const Settings& settings, guint id, GValue* value);

}  // namespace bcp::overlay
