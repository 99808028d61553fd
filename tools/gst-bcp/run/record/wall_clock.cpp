// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/wall_clock.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace bcp::cli::run {
namespace {

constexpr std::chrono::seconds kLeastStep{2};

std::tm utc_parts(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(time));
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return parts;
}

std::string formatted(const std::tm& parts, const char* format) {
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

}  // namespace

std::string file_stamp(WallTime time) {
  return formatted(utc_parts(time), "%Y-%m-%dT%H-%M-%SZ");
}

std::string exact_stamp(WallTime time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(time - whole).count();
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), ".%03dZ", static_cast<int>(rest));
  return formatted(utc_parts(time), "%Y-%m-%dT%H:%M:%S") + text.data();
}

double unix_seconds(WallTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

std::chrono::duration<double> ClockWatch::look(WallTime now) {
  using std::chrono::nanoseconds;
  const nanoseconds offset = std::chrono::duration_cast<nanoseconds>(now.time_since_epoch()) -
                             std::chrono::steady_clock::now().time_since_epoch();
  const nanoseconds step = offset - offset_.value_or(offset);
  if (offset_ && std::chrono::abs(step) < kLeastStep) return {};
  offset_ = offset;
  return step;
}

}  // namespace bcp::cli::run
