// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The properties of bcptagger: one table, a row a property, from which they are installed, read and set.
//
// Setters store; they open no file and check nothing that start() or the next frame would not report on the bus.

#pragma once

#include <gst/gst.h>

#include "tagger/property_row.hpp"

namespace bcp::tagger {

// Property ids follow the order of the table, from 1.
void install_properties(GObjectClass* object_class);

// False when there is no such property, or it is read-only. Any thread; touches nothing but its arguments.
bool set_property(Settings& settings, guint id, const GValue* value);
bool get_property(const PropertySource& source, guint id, GValue* value);

}  // namespace bcp::tagger
