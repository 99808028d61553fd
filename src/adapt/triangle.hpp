// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Dense U: one triangle of the symmetric sum of p p^T over the samples, with decay of older ones.
//
// Adding a sample changes every number, and beyond a few hundred labels the time goes into memory access. So the rows
// are split into parts, and samples are buffered: each learn() updates one part with all samples that part has not
// seen. The work per sample is constant and unchanged, but each number is loaded once for eight samples. Reads are
// always up to date: they add the samples that a part has not seen yet. The result is exact, and no bit depends on when
// a part is updated.
//
// Thread safety: none.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "adapt/held.hpp"
#include "adapt/vectors.hpp"
#include "base/aligned.hpp"

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
  void row(std::size_t i, std::span<double> out) const { row(i, waiting_, out); }
  // U[.,a]. REQUIRES: out.size() == labels().
  void column(std::size_t a, std::span<double> out) const;

  // U = decay * U + p p^T. REQUIRES: p.size() == labels().
  void learn(std::span<const double> p, double decay);
  // The same, deferred to later calls: up to kLater samples after settle() cost only a copy.
  void learn_later(std::span<const double> p, double decay);
  static constexpr std::size_t kLater = 16;

  // While it is held, learn() is deferred too: it writes only waiting(), and another thread may copy the rows as they
  // were with an earlier waiting().
  void hold(bool held) { held_.set(held); }
  // Whether learn() can be called while held.
  bool has_room() const;
  static constexpr std::size_t kMostParts = 8;
  // Samples are numbered; number s is here at s % kLater until every part has seen it.
  struct Waiting {
    std::uint64_t learnt = 0;
    std::array<std::uint64_t, kMostParts> seen{};  // per part: it has seen the samples before this number
    AlignedVector<double> samples = {};            // padded(labels()) numbers each
    std::array<double, kLater> decay{};
  };
  const Waiting& waiting() const { return waiting_; }
  void row(std::size_t i, const Waiting& waiting, std::span<double> out) const;

  // Updates all parts; the time grows with the square of the labels. No value changes; later reads are faster.
  void settle();

  // U += other. REQUIRES: as many labels.
  void add(const Triangle& other);
  // The triangle of another label list: its label i is label from[i] of this one, or all zeros if that is negative.
  Triangle relabelled(std::span<const int> from) const;

 private:
  static constexpr std::size_t kFewLabels = 256;  // up to here everything stays in the processor's cache
  // Row i begins here: rows are padded for vectors.
  static constexpr std::size_t start(std::size_t i) {
    const std::size_t block = i / vectors::kPad, rest = i % vectors::kPad;
    return vectors::kPad * (block + 1) * (vectors::kPad * block / 2 + rest);
  }
  std::size_t part_of(std::size_t row) const;
  std::size_t stalest() const;
  const double* sample(const Waiting& waiting, std::uint64_t number) const {
    return waiting.samples.data() + number % kLater * vectors::padded(labels_);
  }
  const double* sample(std::uint64_t number) const { return sample(waiting_, number); }
  // Calls do_run(decay, first, end) for the samples [first, end) that a part has not seen, in order: at most
  // vectors::kMostTerms with the same decay.
  template <typename DoRun>
  static void for_unseen(const Waiting& waiting, std::size_t part, const DoRun& do_run);
  void fold(std::size_t part);

  std::size_t labels_, parts_;
  std::array<std::size_t, kMostParts + 1> first_{};  // row of each part, and the end
  AlignedVector<double> rows_;
  Waiting waiting_;
  Held held_;
};

}  // namespace bcp::adapt
