// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The compared methods, with one interface: plain CLIP, BCP and the methods of others.

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
  // BCP: corrects with these statistics from the first sample on, and learns nothing. Null: it learns.
  std::shared_ptr<const adapt::Cooccurrence> fixed = nullptr;
};

// A method running on one stream.
//
// Thread safety: none.
class Adapter {
 public:
  // REQUIRES: the labels have everything the method needs.
  static Result<std::unique_ptr<Adapter>> make(const Method& method, const Labels& labels);
  virtual ~Adapter() = default;

  // Corrects the sample, and learns it if it is new. `time` is in seconds; empty if samples have no times: then the
  // novelty interval never ends. A sample without an embedding is always new.
  virtual Status adapt(const Sample& sample, std::optional<double> time, adapt::Scores& scores) = 0;
  // Samples learnt so far.
  virtual std::size_t learnt() const { return 0; }
  // BCP: the learnt statistics.
  virtual std::optional<adapt::Cooccurrence> seen() const { return std::nullopt; }
};

}  // namespace bcp::eval
