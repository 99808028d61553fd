// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/encoding_progress.hpp"

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

namespace bcp::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLineInterval = 10s, kRewriteInterval = 200ms;
constexpr const char* kClearLine = "\r\x1b[K";

bool is_terminal() {
  const char* const term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term && *term && std::string_view(term) != "dumb";
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  std::array<char, 32> text{};
  if (whole >= 3600)
    std::snprintf(text.data(), text.size(), "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
  else
    std::snprintf(text.data(), text.size(), "%ld:%02ld", whole / 60, whole % 60);
  return text.data();
}

}  // namespace

EncodingProgress::EncodingProgress(std::size_t total, std::size_t known)
    : rewrites_(is_terminal()), total_(total), known_(known), begun_(Clock::now()), shown_(begun_) {
  if (known_ == total_) return;
  std::cerr << "encoding " << total_ - known_ << " pictures"
            << (known_ > 0 ? ", " + std::to_string(known_) + " of " + std::to_string(total_) + " are known already"
                           : "")
            << '\n';
}

EncodingProgress::~EncodingProgress() {
  if (rewrites_) std::cerr << kClearLine << std::flush;
}

std::string EncodingProgress::text(Clock::time_point now) const {
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  const double rate = static_cast<double>(encoded_) / seconds;
  const std::size_t left = total_ - known_ - encoded_;
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "%zu of %zu pictures (%zu %%), %.*f a second, %s left", known_ + encoded_,
                total_, (known_ + encoded_) * 100 / total_, rate < 9.95 ? 1 : 0, rate,
                clock_text(static_cast<double>(left) / rate).c_str());
  return text.data();
}

void EncodingProgress::done(std::size_t pictures) {
  encoded_ += pictures;
  const auto now = Clock::now();
  if (encoded_ == 0 || now - shown_ < (rewrites_ ? Clock::duration(kRewriteInterval) : Clock::duration(kLineInterval)))
    return;
  shown_ = now;
  if (rewrites_)
    std::cerr << kClearLine << text(now) << std::flush;
  else
    std::cerr << text(now) << std::endl;
}

}  // namespace bcp::cli
