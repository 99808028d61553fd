// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_BCP_GATE (gst_bcp_gate_get_type())
G_DECLARE_FINAL_TYPE(GstBcpGate, gst_bcp_gate, GST, BCP_GATE, GstElement)
GST_ELEMENT_REGISTER_DECLARE(bcpgate)

G_END_DECLS
