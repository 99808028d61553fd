// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of properties of bcptagger: each one has its own value in Settings.

#include <map>

#include "support.hpp"

namespace bcp::test {
namespace {

// A value that can be compared and printed.
std::string shown(GObject* object, const GParamSpec* spec) {
  GValue value = G_VALUE_INIT;
  g_object_get_property(object, spec->name, g_value_init(&value, spec->value_type));
  const gst::CharPtr text(g_strdup_value_contents(&value));
  g_value_unset(&value);
  return text.get();
}

// Sets another value than the default.
void set_another(GObject* object, const GParamSpec* spec) {
  const char* name = spec->name;
  if (G_IS_PARAM_SPEC_STRING(spec)) {
    g_object_set(object, name, (std::string("another ") + name).c_str(), nullptr);
  } else if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    g_object_set(object, name, !G_PARAM_SPEC_BOOLEAN(spec)->default_value, nullptr);
  } else if (G_IS_PARAM_SPEC_INT(spec)) {
    const auto* i = G_PARAM_SPEC_INT(spec);
    g_object_set(object, name, i->default_value == i->maximum ? i->minimum : i->default_value + 1, nullptr);
  } else if (G_IS_PARAM_SPEC_UINT(spec)) {
    g_object_set(object, name, G_PARAM_SPEC_UINT(spec)->default_value + 1, nullptr);
  } else if (G_IS_PARAM_SPEC_UINT64(spec)) {
    g_object_set(object, name, G_PARAM_SPEC_UINT64(spec)->default_value + 1, nullptr);
  } else if (G_IS_PARAM_SPEC_DOUBLE(spec)) {
    const auto* d = G_PARAM_SPEC_DOUBLE(spec);
    g_object_set(object, name, d->default_value == d->maximum ? d->minimum + 0.25 : d->maximum, nullptr);
  } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    const auto* e = G_PARAM_SPEC_ENUM(spec);
    const gint last = e->enum_class->values[e->enum_class->n_values - 1].value;
    g_object_set(object, name, e->default_value == last ? e->enum_class->values[0].value : last, nullptr);
  } else {
    ADD_FAILURE() << name << " has a type that this test does not know";
  }
}

struct Properties {
  Properties() : element(gst_element_factory_make("bcptagger", nullptr)) {
    guint count = 0;
    GParamSpec** all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element.get()), &count);
    for (guint i = 0; i < count; ++i) {
      if (all[i]->owner_type == G_OBJECT_TYPE(element.get())) specs.push_back(all[i]);
    }
    g_free(all);
  }
  std::map<std::string, std::string> values() const {
    std::map<std::string, std::string> found;
    for (const GParamSpec* spec : specs) found[spec->name] = shown(G_OBJECT(element.get()), spec);
    found.erase("stats");  // rates and times
    return found;
  }
  gst::ElementPtr element;
  std::vector<GParamSpec*> specs;
};

TEST(BcpTaggerProperties, ShowTheirDefaultsAtFirst) {
  const Properties properties;
  ASSERT_GT(properties.specs.size(), 30U);
  for (GParamSpec* spec : properties.specs) {
    GValue value = G_VALUE_INIT;
    g_object_get_property(G_OBJECT(properties.element.get()), spec->name, g_value_init(&value, spec->value_type));
    if (spec->flags & G_PARAM_WRITABLE) {
      EXPECT_TRUE(g_param_value_defaults(spec, &value)) << spec->name;
    } else {
      EXPECT_TRUE(std::string(spec->name) == "stats" || std::string(spec->name) == "labels-in-use") << spec->name;
      EXPECT_NE(g_value_get_boxed(&value), nullptr);
    }
    g_value_unset(&value);
  }
}

TEST(BcpTaggerProperties, ReturnWhatWasSetAndDoNotChangeOthers) {
  const auto before = Properties().values();
  for (const GParamSpec* spec : Properties().specs) {
    if (!(spec->flags & G_PARAM_WRITABLE)) continue;
    const Properties properties;
    set_another(G_OBJECT(properties.element.get()), spec);
    auto after = properties.values();
    EXPECT_NE(after[spec->name], before.at(spec->name)) << spec->name;
    if (std::string(spec->name) == "preset") continue;  // other values follow from it
    after[spec->name] = before.at(spec->name);
    EXPECT_EQ(after, before) << spec->name;
  }
}

TEST(BcpTaggerProperties, TakePrecedenceOverThePreset) {
  const Properties properties;
  g_object_set(properties.element.get(), "shrinkage", 3.0, nullptr);
  gst_util_set_object_arg(G_OBJECT(properties.element.get()), "preset", "paper");
  double shrinkage = 0, distance = 1;
  g_object_get(properties.element.get(), "shrinkage", &shrinkage, "novelty-distance", &distance, nullptr);
  EXPECT_EQ(shrinkage, 3.0);
  EXPECT_EQ(distance, 0.0) << "the paper learns every frame";
}

}  // namespace
}  // namespace bcp::test
