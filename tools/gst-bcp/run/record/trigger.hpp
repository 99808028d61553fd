// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether a condition on labels holds for a result of bcptagger.
//
// One thread at a time.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "condition/condition.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {

// The shown labels of a result and their probabilities, likeliest first.
std::vector<std::pair<std::string, double>> shown_in(const GstBcpResult* result);

class Trigger {
 public:
  explicit Trigger(condition::Condition condition) : condition_(std::move(condition)) {}

  bool holds(const GstBcpResult* result);
  // Once for each list of labels: a sentence if the condition names labels that are not in it; else empty.
  std::string take_remark() { return std::exchange(remark_, {}); }
  std::string text() const { return condition_.text(); }

 private:
  void bind(GstBcpLabels* labels);

  const condition::Condition condition_;
  gst::BcpLabelsPtr bound_;  // the list that index_ is about
  std::vector<gint> index_;  // in it, by label of the condition; -1: not there
  std::string remark_;
};

}  // namespace bcp::cli::run
