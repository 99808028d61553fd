// SPDX-License-Identifier: LGPL-2.1-or-later
//
// One row of the table of properties: a GParamSpec, a getter and a setter for a member of Settings.
//
// Each function makes a row of one type. `field` returns a reference to the member of Settings that the property sets.
// `show` returns the value that the property reports if that is not the member itself (for example the preset's value
// while the property is not set). The default in the GParamSpec is what `show` returns for default Settings.

#pragma once

#include <gst/gst.h>

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "support/guarded.hpp"
#include "support/properties.hpp"
#include "tagger/settings.hpp"
#include "tagger/statistics.hpp"

namespace bcp::tagger {

// What getters read.
struct PropertySource {
  const Settings& settings;
  const gst::Guarded<Statistics>& statistics;
};

struct PropertyRow {
  GParamSpec* spec;  // floating; the class takes ownership
  std::function<void(const PropertySource&, GValue*)> get;
  std::function<void(Settings&, const GValue*)> set;  // empty: read-only
};

// The member of Settings at this path.
#define BCP_FIELD(path)  \
  [](auto& s) -> auto& { \
    return s.path;       \
  }
// The value that the adapter uses: the one that was set, or the preset's.
#define BCP_ADAPTER(path) [](const Settings& s) { return s.adapter().path; }

namespace row {

inline const Settings kDefaults{};

// Name, nick and description (string literals), and when the property may be set.
struct About {
  const char* name;
  const char* nick;
  const char* blurb;
  GParamFlags flags;
};

template <typename Field>
PropertyRow text(const About& a, Field field) {
  const char* initial = field(kDefaults).empty() ? nullptr : field(kDefaults).c_str();
  return {g_param_spec_string(a.name, a.nick, a.blurb, initial, a.flags),
          [field](const PropertySource& from, GValue* value) { gst::set_text(value, field(from.settings)); },
          [field](Settings& s, const GValue* value) { field(s) = gst::text(value); }};
}

template <typename Field, typename Show = Field>
PropertyRow choice(const About& a, GType type, Field field, Show show = {}) {
  using Enum = std::remove_cvref_t<decltype(show(std::declval<const Settings&>()))>;
  return {g_param_spec_enum(a.name, a.nick, a.blurb, type, static_cast<gint>(show(kDefaults)), a.flags),
          [show](const PropertySource& from, GValue* value) { gst::set_choice(value, show(from.settings)); },
          [field](Settings& s, const GValue* value) { field(s) = gst::choice<Enum>(value); }};
}

// For types with one GObject function each to create a GParamSpec, get and set. `make` takes the default.
template <auto Get, auto Set, typename Make, typename Field, typename Show>
PropertyRow plain(Make make, Field field, Show show) {
  return {make(show(kDefaults)), [show](const PropertySource& from, GValue* value) { Set(value, show(from.settings)); },
          [field](Settings& s, const GValue* value) { field(s) = Get(value); }};
}

template <typename Field, typename Show = Field>
PropertyRow boolean(const About& a, Field field, Show show = {}) {
  return plain<g_value_get_boolean, g_value_set_boolean>(
      [&](bool initial) { return g_param_spec_boolean(a.name, a.nick, a.blurb, initial, a.flags); }, field, show);
}

template <typename Field, typename Show = Field>
PropertyRow integer(const About& a, gint least, gint most, Field field, Show show = {}) {
  return plain<g_value_get_int, g_value_set_int>(
      [&](gint initial) { return g_param_spec_int(a.name, a.nick, a.blurb, least, most, initial, a.flags); }, field,
      show);
}

template <typename Field>
PropertyRow whole(const About& a, guint least, guint most, Field field) {
  return plain<g_value_get_uint, g_value_set_uint>(
      [&](guint initial) { return g_param_spec_uint(a.name, a.nick, a.blurb, least, most, initial, a.flags); }, field,
      field);
}

template <typename Field, typename Show>
PropertyRow whole64(const About& a, guint64 least, guint64 most, Field field, Show show) {
  return plain<g_value_get_uint64, g_value_set_uint64>(
      [&](guint64 initial) { return g_param_spec_uint64(a.name, a.nick, a.blurb, least, most, initial, a.flags); },
      field, show);
}

template <typename Field, typename Show = Field>
PropertyRow real(const About& a, double least, double most, Field field, Show show = {}) {
  return plain<g_value_get_double, g_value_set_double>(
      [&](double initial) { return g_param_spec_double(a.name, a.nick, a.blurb, least, most, initial, a.flags); },
      field, show);
}

// A number from 0 to 1; -1 means not set.
template <typename Field>
PropertyRow share(const About& a, Field field) {
  PropertyRow made = real(a, -1, 1, field, [field](const Settings& s) { return field(s).value_or(-1); });
  made.set = [field](Settings& s, const GValue* value) {
    const double share = g_value_get_double(value);
    field(s) = share < 0 ? std::nullopt : std::optional(share);
  };
  return made;
}

// A row whose setter calls `then` after it has stored the value.
template <typename Then>
PropertyRow after(PropertyRow made, Then then) {
  made.set = [set = std::move(made.set), then](Settings& s, const GValue* value) {
    set(s, value);
    then(s);
  };
  return made;
}

}  // namespace row
}  // namespace bcp::tagger
