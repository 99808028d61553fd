// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/filter_table.hpp"

#include <algorithm>
#include <cmath>

namespace bcp::image {
namespace {

struct Kernel {
  double (*at)(double);
  double support;  // the filter is 0 from here on
};

double bicubic(double x) {
  constexpr double a = -0.5;  // Pillow's choice; OpenCV's and torch's is -0.75
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

double bilinear(double x) {
  return std::max(1 - std::abs(x), 0.0);
}

Kernel kernel_of(Filter filter) {
  return filter == Filter::kBilinear ? Kernel{bilinear, 1} : Kernel{bicubic, 2};
}

}  // namespace

FilterTable filter_table(Filter filter, int source, int target, const std::vector<int>& outputs) {
  const Kernel kernel = kernel_of(filter);
  const double scale = static_cast<double>(source) / target;
  const double stretch = std::max(scale, 1.0);  // a wider kernel avoids aliasing when shrinking
  const double support = kernel.support * stretch, shrink = 1 / stretch;

  FilterTable table;
  table.begin = source;
  std::vector<double> exact;
  for (const int output : outputs) {
    const double centre = (output + 0.5) * scale;
    // Halves are rounded up, like in Pillow.
    const int first = std::max(static_cast<int>(std::floor(centre - support + 0.5)), 0);
    const int last = std::min(static_cast<int>(std::floor(centre + support + 0.5)), source);
    table.entries.push_back({first, last - first});
    table.begin = std::min(table.begin, first);
    table.end = std::max(table.end, last);
    table.taps = std::max(table.taps, last - first);

    exact.clear();
    double sum = 0;
    for (int sample = first; sample < last; ++sample) {
      exact.push_back(kernel.at((sample - centre + 0.5) * shrink));
      sum += exact.back();
    }
    for (const double w : exact)
      table.weights.push_back(static_cast<std::int32_t>(std::lround(w / sum * (1 << kWeightBits))));
  }
  for (FilterTable::Entry& entry : table.entries) entry.first -= table.begin;
  return table;
}

FilterTable rounded(FilterTable table) {
  constexpr std::int32_t kStep = 1 << (kWeightBits - kRoundedBits);
  const auto nearest = [](std::int32_t value) {
    return static_cast<std::int32_t>(std::lround(static_cast<double>(value) / kStep)) * kStep;
  };
  auto weight = table.weights.begin();
  for (const FilterTable::Entry& entry : table.entries) {
    const auto end = weight + entry.count;
    const auto largest = std::max_element(weight, end);
    std::int32_t lost = 0;
    for (; weight != end; ++weight) {
      lost += *weight - nearest(*weight);
      *weight = nearest(*weight);
    }
    *largest += nearest(lost);
  }
  return table;
}

}  // namespace bcp::image
