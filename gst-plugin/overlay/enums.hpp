// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The enumerations of bcpoverlay as GTypes, with the values of the C++ enums.

#pragma once

#include <glib-object.h>

namespace bcp::overlay {

GType position_type();
GType show_type();

}  // namespace bcp::overlay
