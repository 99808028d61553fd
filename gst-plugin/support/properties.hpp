// SPDX-License-Identifier: LGPL-2.1-or-later
// Helpers to define and read the properties of every element.

#pragma once

#include <gst/gst.h>

#include <string>

namespace bcp::gst {

// When a property may be set: before the element starts, or at any time (used from the next frame on).
inline constexpr auto kAtStart =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
inline constexpr auto kLive =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
inline constexpr auto kControllable = static_cast<GParamFlags>(kLive | GST_PARAM_CONTROLLABLE);
inline constexpr auto kReadOnly = static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
// Write-only.
inline constexpr auto kSecret =
    static_cast<GParamFlags>(G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);

// A null string property is normal, not an error.
inline std::string text(const GValue* value) {
  const char* chars = g_value_get_string(value);
  return chars ? chars : "";
}

inline void set_text(GValue* value, const std::string& chars) {
  g_value_set_string(value, chars.empty() ? nullptr : chars.c_str());
}

// Enumerations. REQUIRES: `values` has static storage and ends with kEndOfValues (as GLib requires).
template <typename Enum>
constexpr GEnumValue enum_value(Enum value, const char* description, const char* nick) {
  return {static_cast<gint>(value), description, nick};
}
inline constexpr GEnumValue kEndOfValues{0, nullptr, nullptr};

inline GType register_enum(const char* name, const GEnumValue* values) {
  const GType type = g_enum_register_static(name, values);
  gst_type_mark_as_plugin_api(type, static_cast<GstPluginAPIFlags>(0));
  return type;
}

template <typename Enum>
Enum choice(const GValue* value) {
  return static_cast<Enum>(g_value_get_enum(value));
}

template <typename Enum>
void set_choice(GValue* value, Enum chosen) {
  g_value_set_enum(value, static_cast<gint>(chosen));
}

}  // namespace bcp::gst
