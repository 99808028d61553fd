// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What was learnt about one list of labels, on its way to another list.
//
// Making it copies and rearranges the statistics, in a time that grows with the square of the labels (some 30 ms for
// 2,000). So it is made on a thread that no frame waits for, while frames go on with the old list. What they teach
// meanwhile is noted, and learnt here before the new list takes over (catch_up()): nothing is lost. Labels known by
// name keep their statistics, the others start empty.
//
// Thread safety: none; the Learnt it was made of may be used by any thread meanwhile.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "prior/learnt.hpp"

namespace bcp::prior {

class Successor {
 public:
  // Nothing is prepared: the list is there already, or the caller does without. is_ready() is false.
  explicit Successor(std::vector<std::string> labels) : labels_(std::move(labels)) {}
  // Copies `source`, whose lock is held for the copying only, and rearranges the copy. Without a source it starts
  // empty.
  Successor(const std::shared_ptr<Learnt>& source, std::vector<std::string> labels);

  const std::vector<std::string>& labels() const { return labels_; }
  bool is_ready() const { return learnt_ != nullptr; }

  // Learns what the source has learnt since it was copied. False, and nothing is ready any more, when that is not
  // known: more than sixteen frames were learnt, everything was forgotten, or a file was added. Then it has to be made
  // anew. Takes a time that grows with the number of labels, not with its square.
  bool catch_up();
  // REQUIRES: is_ready(). Nothing is ready any more.
  std::shared_ptr<Learnt> take() { return std::move(learnt_); }

 private:
  std::vector<std::string> labels_;
  std::vector<int> from_;  // rows of the source
  std::shared_ptr<Learnt> learnt_;
  std::shared_ptr<Learnt::Notes> notes_;  // none without a source
};

}  // namespace bcp::prior
