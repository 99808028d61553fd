// SPDX-License-Identifier: LGPL-2.1-or-later
// Sizes of values, what packing costs, and whether sending only differences would pay.

#include <zlib.h>

#include <bit>
#include <chrono>

#include "adapt/softmax.hpp"
#include "camera.hpp"

namespace bcp::bench {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Bytes of what differs between two states of the pairs, rounded and compressed as values are.
std::size_t size_of_difference(const std::vector<double>& before, const std::vector<double>& after) {
  const auto rounded = [](double value) { return (std::bit_cast<std::uint64_t>(value) + (1U << 28)) >> 29; };
  std::string bytes(after.size() * 5, '\0');  // the 35 bits that are left, all first bytes first
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::uint64_t bits = rounded(after[i]) ^ rounded(before[i]);
    for (std::size_t b = 0; b < 5; ++b) bytes[b * after.size() + i] = static_cast<char>(bits >> (8 * b));
  }
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
            1);
  return size;
}

}  // namespace

bool sizes(bool quick) {
  std::printf(
      "values after 2,000 frames: bytes; to pack and to unpack; what 1 %% more frames change, as a difference\n");
  bool worked = true;
  for (const std::size_t labels : {20U, 80U, 300U, 1000U}) {
    if (quick && labels > 80) break;
    adapt::Cooccurrence seen(labels);
    std::mt19937 random(1);
    std::vector<double> p(labels);
    const auto learn = [&](int frames) {
      for (int i = 0; i < frames; ++i) {
        adapt::softmax(frame_of(3, random, labels), p);
        seen.learn(p, 1);
      }
    };
    learn(quick ? 100 : 2000);
    prior::SnapshotParts parts{.model = "m", .labels = label_names(labels), .seen = seen.parts()};
    const std::vector<double> before = parts.seen.triangle;
    auto start = Clock::now();
    const auto value = fleet::pack({std::string(32, '0'), 1}, std::move(parts));
    const double packing = milliseconds_since(start);
    if (!value) return false;
    start = Clock::now();
    worked = static_cast<bool>(fleet::unpack(*value)) && worked;
    const double unpacking = milliseconds_since(start);
    learn(quick ? 1 : 20);
    std::printf("  %4zu labels: %7zu bytes, %.2f ms, %.2f ms, %7zu bytes\n", labels, value->size(), packing, unpacking,
                size_of_difference(before, seen.parts().triangle));
  }
  return worked;
}

}  // namespace bcp::bench
