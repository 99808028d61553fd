// SPDX-License-Identifier: LGPL-2.1-or-later
#include "image/filter_table.hpp"

#include <algorithm>
#include <cmath>

namespace bcp::image {
namespace {

// Pillow rounds weights to this. With the same weights, sums that end in a half are rounded in the same direction here,
// within the precision of a float.
constexpr double kWhole = 1 << 22;

struct Kernel {
  double (*at)(double);
  double support;  // it is 0 from here on
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
  const double stretch = std::max(scale, 1.0);  // widening the kernel when shrinking is what avoids aliasing
  const double support = kernel.support * stretch;

  FilterTable table;
  table.begin = source;
  for (const int output : outputs) {
    const double centre = (output + 0.5) * scale;
    // Halves are rounded up, as Pillow rounds them.
    const int first = std::max(static_cast<int>(std::floor(centre - support + 0.5)), 0);
    const int last = std::min(static_cast<int>(std::floor(centre + support + 0.5)), source);
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
      exact.push_back(kernel.at((entry.first + k - centre + 0.5) / stretch));
      sum += exact.back();
    }
    float* weights = &table.weights[i * static_cast<std::size_t>(table.taps)];
    for (const double w : exact) *weights++ = static_cast<float>(std::nearbyint(w / sum * kWhole) / kWhole);
    entry.first -= table.begin;
  }
  return table;
}

}  // namespace bcp::image
