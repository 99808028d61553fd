// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Converts the statistics of one label list to another list.
//
// Creating it copies and rearranges the statistics, in time that grows with the square of the labels (about 30 ms for
// 2,000). So this runs on a background thread, while frames continue with the old list. Frames learnt meanwhile are
// recorded, and learnt here before the new list takes over (catch_up()): nothing is lost. Labels with the same name
// keep their statistics, others start empty.
//
// Thread safety: none; the source Learnt may be used by any thread meanwhile.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "prior/learnt.hpp"

namespace bcp::prior {

class Successor {
 public:
  // Prepares nothing: the list exists already, or is not needed. is_ready() is false.
  explicit Successor(std::vector<std::string> labels) : labels_(std::move(labels)) {}
  // Copies `source`, holding its lock only for the copy, and rearranges the copy. Starts empty without a source.
  Successor(const std::shared_ptr<Learnt>& source, std::vector<std::string> labels);

  const std::vector<std::string>& labels() const { return labels_; }
  bool is_ready() const { return learnt_ != nullptr; }

  // Learns what the source has learnt since the copy. Returns false, and is no longer ready, if that is not known: more
  // than sixteen frames were learnt, everything was forgotten, or a file was added. Then create a new one. The time
  // grows with the number of labels, not its square.
  bool catch_up();
  // REQUIRES: is_ready(), which is false afterwards.
  std::shared_ptr<Learnt> take() { return std::move(learnt_); }
  // Null if it is not ready.
  Learnt* learnt() { return learnt_.get(); }

 private:
  std::vector<std::string> labels_;
  std::vector<int> from_;  // rows of the source
  std::shared_ptr<Learnt> learnt_;
  std::shared_ptr<Learnt::Notes> notes_;  // null without a source
};

}  // namespace bcp::prior
