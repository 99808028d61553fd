// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/encoding_progress.hpp"

#include <array>
#include <cstdio>
#include <string>

namespace bcp::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kEncodingLineInterval = 10s, kBarInterval = 200ms;

std::string encoding_rate_text(double rate) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), rate < 9.95 ? "%.1f a second" : "%.0f a second", rate);
  return text.data();
}

}  // namespace

EncodingProgress::EncodingProgress(std::size_t total, std::size_t known)
    : style_(Progress::fitting_style(false)),
      progress_(style_),
      total_(total),
      known_(known),
      begun_(Clock::now()),
      shown_(begun_) {
  const std::string all = std::to_string(total), rest = std::to_string(total - known);
  if (known == 0)
    progress_.say("encoding " + all + " pictures");
  else if (known < total)
    progress_.say("encoding " + rest + " of " + all + " pictures; the others are cached");
}

void EncodingProgress::done(std::size_t pictures) {
  encoded_ += pictures;
  const auto now = Clock::now();
  if (now - shown_ < (style_ == Progress::Style::kBars ? kBarInterval : kEncodingLineInterval)) return;
  shown_ = now;
  const double rate = static_cast<double>(encoded_) / std::chrono::duration<double>(now - begun_).count();
  JobLine line;
  line.fraction = static_cast<double>(known_ + encoded_) / static_cast<double>(total_);
  line.position = std::to_string(known_ + encoded_) + " of " + std::to_string(total_) + " pictures";
  line.remaining = rate > 0 ? static_cast<double>(total_ - known_ - encoded_) / rate : -1;
  line.labels = encoding_rate_text(rate);
  progress_.show({{0, line}});
}

}  // namespace bcp::cli
