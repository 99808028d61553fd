// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/label_rows.hpp"

#include <algorithm>
#include <utility>

#include "adapt/vectors.hpp"

namespace bcp::adapt {
namespace {

constexpr std::size_t kRowNumbers = std::size_t{1} << 23, kAhead = 24;

}  // namespace

void LabelRow::scale(double factor) {
  for (float& value : values) value *= static_cast<float>(factor);
}

std::size_t LabelRows::most_rows(std::size_t labels) {
  return std::min(labels, kRowNumbers / std::max<std::size_t>(labels, 1));
}

std::size_t LabelRows::lightest() const {
  const auto found = std::min_element(rows_.begin(), rows_.end(), [&](const LabelRow& x, const LabelRow& y) {
    return weights_[x.label] < weights_[y.label];
  });
  return static_cast<std::size_t>(found - rows_.begin());
}

bool LabelRows::has_room(std::size_t label) const {
  if (rows_.size() < most_rows(places_.size())) return true;
  return !rows_.empty() && weights_[label] > 2 * weights_[rows_[lightest()].label];
}

void LabelRows::insert(LabelRow row) {
  if (rows_.size() < most_rows(places_.size())) {
    places_[row.label] = static_cast<std::int32_t>(rows_.size());
    rows_.push_back(std::move(row));
    return;
  }
  const std::size_t place = lightest();
  places_[rows_[place].label] = -1;
  places_[row.label] = static_cast<std::int32_t>(place);
  rows_[place] = std::move(row);
}

void LabelRows::add(std::size_t label, double weight, std::span<const float> values) {
  vectors::add_to_floats(static_cast<float>(weight), values, rows_[static_cast<std::size_t>(places_[label])].values);
}

void LabelRows::replace(std::vector<LabelRow> rows) {
  std::sort(rows.begin(), rows.end(), [&](const LabelRow& x, const LabelRow& y) {
    const double of_x = weights_[x.label], of_y = weights_[y.label];
    return of_x != of_y ? of_x > of_y : x.label < y.label;
  });
  rows.resize(std::min(rows.size(), most_rows(places_.size())));
  rows_ = std::move(rows);
  note_places();
}

void LabelRows::add_column(std::size_t a, double scale, std::span<double> out) const {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    // One number of each row, so none of them would be in the cache.
    if (r + kAhead < rows_.size()) __builtin_prefetch(&rows_[r + kAhead].values[a]);
    out[rows_[r].label] += scale * double{rows_[r].values[a]};
  }
  const LabelRow* own = find(a);
  if (!own) return;
  const vectors::FloatTerm term{scale, own->values.data()};
  vectors::add_floats(std::span(&term, 1), out);
}

double LabelRows::at(std::size_t i, std::size_t j) const {
  const LabelRow *of_i = find(i), *of_j = find(j);
  return (of_i ? double{of_i->values[j]} : 0) + (of_j ? double{of_j->values[i]} : 0);
}

void LabelRows::scale(double factor, double lightest) {
  for (double& weight : weights_) weight *= factor;
  std::erase_if(rows_, [&](const LabelRow& row) { return weights_[row.label] < lightest; });
  for (LabelRow& row : rows_) row.scale(factor);
  note_places();
}

void LabelRows::note_places() {
  std::fill(places_.begin(), places_.end(), -1);
  for (std::size_t r = 0; r < rows_.size(); ++r) places_[rows_[r].label] = static_cast<std::int32_t>(r);
}

}  // namespace bcp::adapt
