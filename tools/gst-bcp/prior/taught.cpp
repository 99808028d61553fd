// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/prior/taught.hpp"

#include <algorithm>
#include <cmath>

namespace bcp::cli {

std::vector<TaughtLabel> taught_labels(const decide::Taught& taught) {
  std::vector<TaughtLabel> all;
  for (const auto& [name, offset] : taught.offsets())
    all.push_back({name, offset.mean, std::sqrt(offset.variance), std::sqrt(offset.initial)});
  std::stable_sort(all.begin(), all.end(),
                   [](const TaughtLabel& a, const TaughtLabel& b) { return std::abs(a.offset) > std::abs(b.offset); });
  return all;
}

std::vector<TaughtPair> taught_pairs(const decide::Taught& taught, std::size_t count) {
  std::vector<TaughtPair> all;
  for (const auto& [label, row] : taught.together()) {
    for (const auto& [word, present] : row) {
      const auto frames = taught.mass().find(word);
      if (word != label && frames != taught.mass().end()) all.push_back({word, label, present, frames->second});
    }
  }
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::partial_sort(all.begin(), end, all.end(),
                    [](const TaughtPair& a, const TaughtPair& b) { return a.present > b.present; });
  all.erase(end, all.end());
  return all;
}

}  // namespace bcp::cli
