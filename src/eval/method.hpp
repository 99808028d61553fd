// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What is compared: plain CLIP, BCP and the methods of others, behind one face.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "adapt/cooccurrence.hpp"
#include "adapt/scores.hpp"
#include "adapt/settings.hpp"
#include "base/result.hpp"
#include "eval/method_kind.hpp"
#include "eval/peers/peer.hpp"

namespace bcp::eval {

struct Method {
  std::string key;    // in the results: "bcp_video"
  std::string title;  // for people: "BCP (video)"
  MethodKind kind = MethodKind::kNone;
  adapt::AdapterSettings settings = {};  // BCP's
  // BCP: corrects with this, from the first sample on, and learns nothing. Null: it learns.
  std::shared_ptr<const adapt::Cooccurrence> told = nullptr;
};

// A method at work on one stream.
//
// Thread safety: none.
class Adapter {
 public:
  // REQUIRES: the labels have what the method wants.
  static Result<std::unique_ptr<Adapter>> make(const Method& method, const Labels& labels);
  virtual ~Adapter() = default;

  // Corrects the sample and learns it if it is new. `time` is when it was seen, in seconds; none where samples have no
  // times, and then an interval never comes to an end. A sample without an embedding is always new.
  virtual Status adapt(const Sample& sample, std::optional<double> time, adapt::Scores& scores) = 0;
  // Samples learnt so far.
  virtual std::size_t learnt() const { return 0; }
  // BCP: what was learnt.
  virtual std::optional<adapt::Cooccurrence> seen() const { return std::nullopt; }
};

}  // namespace bcp::eval
