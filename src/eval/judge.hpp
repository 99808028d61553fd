// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Runs methods over a stream, one run after the other, and keeps only figures.

#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapt/cooccurrence.hpp"
#include "base/result.hpp"
#include "eval/figures.hpp"
#include "eval/orders.hpp"
#include "eval/run.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

// Called regularly with the share of the work that is done, and a description of the current work.
using Progress = std::function<void(double, const std::string&)>;

// A method on one or several orders of the stream. Figures are the mean over the orders.
struct Judgement {
  Method method;
  std::vector<Figures> by_order;
  std::array<std::size_t, kParts> sizes = {};  // samples in each part; equal in every order
  double microseconds = 0;                     // per sample: the median, which is robust on a busy machine, and
  double slowest = 0;                          // the 99th percentile
  std::optional<adapt::Cooccurrence> seen;     // after the first order, see Run

  double ap(Part part, Ranking ranking, std::size_t label) const;
  double map(Part part, Ranking ranking) const;
  double map(Part part, Ranking ranking, std::span<const std::size_t> labels) const;
  std::size_t size(Part part) const { return sizes[static_cast<std::size_t>(part)]; }
};

class Judge {
 public:
  // `mu` separates confident samples from others (Part::kHit), for all methods. `runs` is the expected number of runs,
  // for the progress. Stream and truth must outlive this object.
  Judge(Stream& stream, const Truth& truth, double mu, Progress progress, std::size_t runs);

  // REQUIRES: at least one order.
  Result<Judgement> judge(const Method& method, const std::vector<Order>& orders);

  const Truth& truth() const { return truth_; }

 private:
  Stream& stream_;
  const Truth& truth_;
  const double mu_;
  const Progress progress_;
  const std::size_t runs_;
  std::size_t done_ = 0;  // runs
};

}  // namespace bcp::eval
