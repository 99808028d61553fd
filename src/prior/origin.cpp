// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/origin.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace bcp::prior {

std::uint64_t seconds_now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

bool is_same_stream(const Origin& a, const Origin& b) {
  return a.stream == b.stream && a.model == b.model && a.id == b.id;
}

std::vector<Origin> united(std::vector<Origin> a, const std::vector<Origin>& b) {
  a.insert(a.end(), b.begin(), b.end());
  // Of one stream the last is the latest.
  std::sort(a.begin(), a.end(), [](const Origin& x, const Origin& y) {
    return std::tie(x.stream, x.model, x.id, x.last, x) < std::tie(y.stream, y.model, y.id, y.last, y);
  });
  std::vector<Origin> all;
  for (Origin& each : a) {
    if (!all.empty() && is_same_stream(all.back(), each))
      all.back() = std::move(each);
    else
      all.push_back(std::move(each));
  }
  if (all.size() > kMostOrigins) {
    std::sort(all.begin(), all.end(),
              [](const Origin& x, const Origin& y) { return std::tie(x.last, x) > std::tie(y.last, y); });
    all.resize(kMostOrigins);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace bcp::prior
