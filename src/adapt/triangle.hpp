// SPDX-License-Identifier: LGPL-2.1-or-later
//
// U stored whole: one triangle of the symmetric sum of p p^T over the samples, older ones decayed.
//
// Adding a sample touches every number, and beyond a few hundred labels the memory they lie in is what that costs. So
// the rows are in parts, and a sample is kept until its turn: each learn() brings one part up to date with all the
// samples it has not seen. The work of a sample stays what it was and is the same for every one, but a number is
// fetched once for eight samples. What is read is always up to date: samples a part has not seen yet are added on the
// way out. Nothing is approximated, and no bit depends on when a part is brought up to date.
//
// Thread safety: none.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "adapt/aligned.hpp"
#include "adapt/vectors.hpp"

namespace bcp::adapt {

class Triangle {
 public:
  explicit Triangle(std::size_t labels);
  // `packed`: U[i,j] for j <= i, row by row. REQUIRES: it has packed_size(labels) numbers.
  Triangle(std::size_t labels, std::span<const double> packed);
  static constexpr std::size_t packed_size(std::size_t labels) { return labels * (labels + 1) / 2; }
  std::vector<double> packed() const;

  std::size_t labels() const { return labels_; }
  // U[i,j].
  double at(std::size_t i, std::size_t j) const;
  // U[i,0..i]. REQUIRES: out.size() == i + 1.
  void row(std::size_t i, std::span<double> out) const;
  // U[.,a]. REQUIRES: out.size() == labels().
  void column(std::size_t a, std::span<double> out) const;

  // U = decay * U + p p^T. REQUIRES: p.size() == labels().
  void learn(std::span<const double> p, double decay);
  // The same, leaving the work to later calls: up to kLater samples after settle() cost as little as copying them.
  void learn_later(std::span<const double> p, double decay);
  static constexpr std::size_t kLater = 16;
  // Brings all parts up to date, in a time that grows with the square of the labels. Changes nothing that can be seen,
  // and makes reading quicker.
  void settle();

  // U += other. REQUIRES: as many labels.
  void add(const Triangle& other);
  // The triangle of another list of labels: label i of it is label from[i] of this one, or has zeros where that is
  // negative.
  Triangle relabelled(std::span<const int> from) const;

 private:
  static constexpr std::size_t kMostParts = 8;
  static constexpr std::size_t kFewLabels = 256;  // up to here all of it stays in the processor's own cache
  // Row i begins here: rows are padded for vectors.
  static constexpr std::size_t start(std::size_t i) {
    const std::size_t block = i / vectors::kPad, rest = i % vectors::kPad;
    return vectors::kPad * (block + 1) * (vectors::kPad * block / 2 + rest);
  }
  std::size_t part_of(std::size_t row) const;
  std::size_t stalest() const;
  const double* sample(std::uint64_t number) const {
    return waiting_.data() + number % kLater * vectors::padded(labels_);
  }
  // Calls do_run(decay, first, end) for the samples [first, end) that a part has yet to see, in order: at most
  // vectors::kMostTerms of the same decay.
  template <typename DoRun>
  void for_unseen(std::size_t part, const DoRun& do_run) const;
  void fold(std::size_t part);

  std::size_t labels_, parts_;
  std::array<std::size_t, kMostParts + 1> first_{};  // row of each part, and the end
  AlignedNumbers rows_;
  // Samples are numbered; number s is in waiting_ and decay_ at s % kLater until every part has seen it.
  std::uint64_t learnt_ = 0;
  std::array<std::uint64_t, kMostParts> seen_{};  // by each part: the samples before this number
  AlignedNumbers waiting_;                        // of padded(labels_) numbers each
  std::array<double, kLater> decay_{};
};

}  // namespace bcp::adapt
