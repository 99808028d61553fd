// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/filter_table.hpp"

#include <algorithm>
#include <cmath>

namespace bcp::image {
namespace {

constexpr double kSupport = 2;  // the bicubic kernel is 0 from here on

double bicubic(double x) {
  constexpr double a = -0.5;  // Pillow's choice; OpenCV's and torch's is -0.75
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < kSupport) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

}  // namespace

FilterTable bicubic_table(int source, int target, const std::vector<int>& outputs) {
  const double scale = static_cast<double>(source) / target;
  const double stretch = std::max(scale, 1.0);  // widening the kernel when shrinking is what avoids aliasing
  const double support = kSupport * stretch;

  FilterTable table;
  table.begin = source;
  for (const int output : outputs) {
    const double centre = (output + 0.5) * scale;
    const int first = std::max(static_cast<int>(centre - support + 0.5), 0);
    const int last = std::min(static_cast<int>(centre + support + 0.5), source);
    table.entries.push_back({first, last - first});
    table.begin = std::min(table.begin, first);
    table.end = std::max(table.end, last);
    table.taps = std::max(table.taps, (last - first + 3) / 4 * 4);
  }

  table.weights.resize(outputs.size() * static_cast<std::size_t>(table.taps));
  std::vector<double> exact;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    FilterTable::Entry& entry = table.entries[i];
    const double centre = (outputs[i] + 0.5) * scale;
    exact.clear();
    double sum = 0;
    for (int k = 0; k < entry.count; ++k) {
      exact.push_back(bicubic((entry.first + k - centre + 0.5) / stretch));
      sum += exact.back();
    }
    float* weights = &table.weights[i * static_cast<std::size_t>(table.taps)];
    for (const double w : exact) *weights++ = static_cast<float>(w / sum);
    entry.first -= table.begin;
  }
  return table;
}

}  // namespace bcp::image
