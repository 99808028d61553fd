// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Sparse U, for many labels, in three parts. Of each sample, the pairs of two strong labels are stored; those of a
// strong and a faint label are added to the row of the strong one (label_rows.hpp); all others are estimated from
// groups of similar samples (sample_groups.hpp). At most 1 / kFloor labels of a sample are strong.
//
// While it is held, learning writes only `Later`: another thread may read everything else (copy()).
//
// Thread safety: none, except as said above.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapt/held.hpp"
#include "adapt/label_rows.hpp"
#include "adapt/sample_groups.hpp"

namespace bcp::adapt {

class SparsePairs {
 public:
  explicit SparsePairs(std::size_t labels) : rows_(labels), before_(labels), groups_(labels), label_rows_(labels) {}

  std::size_t labels() const { return rows_.size(); }
  std::size_t stored() const;
  // Both to be multiplied by scale(), like stored values.
  const SampleGroups& groups() const { return groups_; }
  const LabelRows& label_rows() const { return label_rows_; }
  double scale() const { return scale_; }

  // U[i,j], or U[.,a].
  double at(std::size_t i, std::size_t j) const;
  void column(std::size_t a, std::span<double> out) const;
  // Calls visit(j, value) for the stored pairs (i, j), j >= i, without samples that are not settled.
  template <typename Visit>
  void for_stored(std::size_t i, const Visit& visit) const {
    for (const auto& [j, value] : rows_[i]) visit(j, value * scale_);
  }
  bool is_stored(std::size_t i, std::size_t j) const { return rows_[i].contains(static_cast<std::uint32_t>(j)); }

  // U = decay * U + p p^T. `era`: the newest.
  void learn(std::span<const double> p, double decay, std::uint32_t era);
  // Adds to a stored pair.
  void add(std::size_t i, std::size_t j, double value);
  // REQUIRES: scale() == 1; all groups before the rows.
  void add(SampleGroup group);
  void add(const LabelRow& row);
  void estimate_rows();  // of the groups
  // The rows do not follow from the groups, even if it does not look so: groups were merged elsewhere.
  void note_merged() { groups_.note_merged(); }
  // Adds the pairs, rows and groups of the same labels. A group of era e belongs to era eras[e] here. REQUIRES: scale()
  // == 1; neither has samples in later().
  void add(const SparsePairs& other, std::span<const std::uint32_t> eras);
  void renumber_eras(std::span<const std::uint32_t> to) { groups_.renumber_eras(to); }

  // Samples that are learnt but not yet in the pairs and groups.
  struct Later {
    struct Sample {
      std::vector<double> p;
      double decay;
      std::uint32_t era;
    };
    std::vector<Sample> samples;
  };
  static constexpr std::size_t kMostLater = 16;
  const Later& later() const { return later_; }
  void hold(bool held) { held_.set(held); }
  // Whether learn() can be called while held.
  bool has_room() const { return later_.samples.size() < kMostLater; }
  // Learns the samples of later(). REQUIRES: not held.
  void settle();
  // Folds scale() into the values.
  void rescale();

 private:
  void learn_now(const Later::Sample& sample);
  double stored_at(std::size_t i, std::size_t j) const;
  void note_stored(std::size_t i, std::size_t j);
  void learn_rows(const SampleGroup& group, std::span<const double> p);
  LabelRow row_of(std::size_t label) const;  // kept or estimated, times scale()

  // Row i holds the value of (i, j) / scale_ for the stored j >= i. Forgetting scales all at once through scale_.
  std::vector<std::unordered_map<std::uint32_t, double>> rows_;
  std::vector<std::vector<std::uint32_t>> before_;  // for j, the i < j whose row holds it, in any order
  SampleGroups groups_;                             // same scale
  LabelRows label_rows_;                            // same scale
  double scale_ = 1;
  Later later_;
  Held held_;
  std::vector<std::uint32_t> active_;  // scratch
};

}  // namespace bcp::adapt
