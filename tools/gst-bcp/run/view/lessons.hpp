// SPDX-License-Identifier: LGPL-2.1-or-later
// What people have said about the labels of a camera, and what it changed: the probability of the label in a frame like
// the one it was said about. Bounded: the last 20. Main thread.

#pragma once

#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gst-bcp/run/view/result_json.hpp"

namespace bcp::cli::view {

class Lessons {
 public:
  static constexpr std::size_t kMost = 20;

  // A lesson is being given about a label. `before`: of the newest result. Returns its number.
  std::uint64_t begin(const std::string& label, bool present, std::optional<LabelScore> before, double now);
  // It was learnt, and `shift` was added to the log odds of its label.
  void end(std::uint64_t number, double shift);
  // It was refused with this sentence.
  void refuse(std::uint64_t number, const std::string& reason);

  nlohmann::json json() const;  // the newest first

 private:
  struct Lesson {
    std::uint64_t number = 0;
    double at = 0;
    std::string label;
    bool present = false;
    std::optional<LabelScore> before;
    std::optional<double> after;  // the probability
    std::string refusal;
    bool learnt = false;
  };
  Lesson* find(std::uint64_t number);

  std::deque<Lesson> lessons_;  // the newest first
  std::uint64_t last_ = 0;
};

}  // namespace bcp::cli::view
