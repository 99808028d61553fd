// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The properties of bcptagger: one table with a row for each property, used to install, read and set them.
//
// Setters only store the value. start() or the next frame checks it and reports errors on the bus.

#pragma once

#include <gst/gst.h>

#include "tagger/property_row.hpp"

namespace bcp::tagger {

// Property ids follow the order of the table, from 1.
void install_properties(GObjectClass* object_class);

// False for an unknown property, and when setting a read-only one. Any thread; uses only its arguments.
bool set_property(Settings& settings, guint id, const GValue* value);
bool get_property(const PropertySource& source, guint id, GValue* value);

}  // namespace bcp::tagger
