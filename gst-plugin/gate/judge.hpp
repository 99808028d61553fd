// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Whether the condition is true of the labels on a buffer.
//
// Results of the whole frame count, those of regions do not. Where a buffer has several (two taggers in a row), a label
// is shown if one of them shows it, and its probability is the highest.
//
// Thread safety: none. One instance belongs to the streaming thread.

#pragma once

#include <gst/gst.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "condition/condition.hpp"
#include "support/labels_shown.hpp"
#include "support/owners.hpp"

namespace bcp::gate {

// Adds `label`, or raises the probability of the one that has its name.
void merge(std::vector<gst::LabelShown>& labels, const gst::LabelShown& label);

class Judge {
 public:
  // `element` outlives this; it warns of labels that the results do not know, once each time it is about something
  // else.
  Judge(GstElement* element, condition::Condition condition) : element_(element), condition_(std::move(condition)) {}

  void set(condition::Condition condition);
  const condition::Condition& condition() const { return condition_; }

  // Nothing when the buffer has no result of the whole frame.
  std::optional<bool> judge(GstBuffer* buffer);

  // About the last buffer that was judged and had a result: the labels that made the condition true, likeliest first.
  std::vector<gst::LabelShown> reasons() const;
  // And the name of its stream, empty if it has none.
  const std::string& source() const { return source_; }

 private:
  using Results = std::vector<gst::BcpResultPtr>;

  void look_at(GstBcpResult* result);
  void check_labels(const Results& results);

  GstElement* const element_;
  condition::Condition condition_;
  Results results_;                    // of the last buffer that had any
  std::vector<condition::Seen> seen_;  // in them, by label of the condition
  bool any_shown_ = false;
  bool holds_ = false;
  std::string source_;
  gst::BcpLabelsPtr bound_;  // the list that index_ is about
  std::vector<gint> index_;  // in it, by label of the condition; -1: not there
  std::set<std::string> warned_;
};

}  // namespace bcp::gate
