/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Included by every public header. Applications include <gst/bcp/gstbcpmeta.h>. */

#pragma once

#include <gst/gst.h>

#if defined(GST_BCP_BUILDING_META) && defined(__GNUC__)
#define GST_BCP_API __attribute__((visibility("default")))
#else
#define GST_BCP_API
#endif
