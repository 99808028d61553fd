// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The enumerations of bcptagger as GTypes, with the values of the C++ enums.

#pragma once

#include <glib-object.h>

namespace bcp::tagger {

GType provider_type();
GType precision_type();
GType preset_type();
GType correction_type();
GType decision_type();
GType mode_type();
GType coverage_type();
GType inference_region_type();
GType skip_static_type();
GType post_messages_type();
GType prior_mode_type();

}  // namespace bcp::tagger
