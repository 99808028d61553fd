// SPDX-License-Identifier: LGPL-2.1-or-later
// When which label was shown, in the last hours of one camera. Bounded: the oldest spans are forgotten. One thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "gst-bcp/run/pipeline/seen.hpp"

namespace bcp::cli::view {

// A label was shown from `start` to `end`, in seconds since 1970.
struct Span {
  std::uint64_t id = 0;  // of this run; increases
  std::string label;
  double start = 0, end = 0;  // end: so far, while it is open
  double peak = 0;            // the highest probability
  bool open = true;           // still shown
};

class History {
 public:
  static constexpr std::size_t kMostSpans = 2000;
  static constexpr double kKept = 6 * 3600;  // seconds
  // A label that returns within this time continues its span: a probability that flickers is one event.
  static constexpr double kGap = 2;

  // `next_id` counts the spans of all cameras.
  explicit History(std::uint64_t& next_id) : next_id_(next_id) {}

  // The labels that are shown now. Returns the ids of the spans that began.
  std::vector<std::uint64_t> see(const std::vector<run::ShownLabel>& labels, double now);
  // Nothing is known from now on: the camera was lost.
  void end(double now);
  // Spans that changed since the last call, at most once each.
  std::vector<Span> take_changes();

  const std::deque<Span>& spans() const { return spans_; }  // by start

 private:
  Span* last_of(const std::string& label);
  void touch(const Span& span);
  void forget(double now);

  std::uint64_t& next_id_;
  std::deque<Span> spans_;
  std::vector<std::uint64_t> changed_;
};

}  // namespace bcp::cli::view
