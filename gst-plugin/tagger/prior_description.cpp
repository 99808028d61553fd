// SPDX-License-Identifier: LGPL-2.1-or-later

#include <algorithm>
#include <cmath>

#include "tagger/prior.hpp"

namespace bcp::tagger {
namespace {

constexpr unsigned kMostLabels = 100;  // the pairs grow with their square

void append_number(GValue& array, double number) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, G_TYPE_DOUBLE);
  g_value_set_double(&value, number);
  gst_value_array_append_and_take_value(&array, &value);
}

void take_numbers(GstStructure* into, const char* field, const std::vector<double>& numbers) {
  GValue array = G_VALUE_INIT;
  g_value_init(&array, GST_TYPE_ARRAY);
  for (const double number : numbers) append_number(array, number);
  gst_structure_take_value(into, field, &array);
}

void take_names(GstStructure* into, const char* field, const std::vector<std::string>& names) {
  GValue array = G_VALUE_INIT;
  g_value_init(&array, GST_TYPE_ARRAY);
  for (const std::string& name : names) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_STRING);
    g_value_set_string(&value, name.c_str());
    gst_value_array_append_and_take_value(&array, &value);
  }
  gst_structure_take_value(into, field, &array);
}

}  // namespace

GstStructure* Prior::describe(unsigned most) const {
  std::shared_ptr<prior::Learnt> learnt;
  {
    const std::lock_guard lock(mutex_);
    learnt = learnt_.lock();
    if (!group_ || !learnt) return nullptr;
  }
  const prior::LearntTable table = learnt->table(std::min(most, kMostLabels));
  const decide::Taught taught = learnt->taught().sum();
  std::vector<std::pair<std::string, double>> offsets;
  for (const auto& [name, offset] : taught.offsets()) offsets.emplace_back(name, offset.mean);
  std::stable_sort(offsets.begin(), offsets.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  if (offsets.size() > kMostLabels) offsets.resize(kMostLabels);
  std::vector<std::string> names;
  std::vector<double> shifts;
  for (const auto& [name, shift] : offsets) {
    names.push_back(name);
    shifts.push_back(taught.offset() + shift);
  }
  GstStructure* made = gst_structure_new("bcp-learnt", "samples", G_TYPE_DOUBLE, table.samples, "statements",
                                         G_TYPE_UINT64, guint64{taught.statements()}, nullptr);
  take_names(made, "labels", table.labels);
  take_numbers(made, "frequency", table.frequency);
  take_numbers(made, "conditional", table.conditional);
  take_names(made, "taught-labels", names);
  take_numbers(made, "taught-offsets", shifts);
  return made;
}

}  // namespace bcp::tagger
