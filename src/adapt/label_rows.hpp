// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Rows of sparse U: of a label, its pairs with all labels that were faint in the samples in which it was strong
// (sample_groups.hpp).
//
//   row a, column k:  sum of p_a p_k over the samples with p_a >= kFloor > p_k
//
// A label without a row has the estimate of the groups in its place. Rows are allocated when a label is first strong,
// up to 32 MB of numbers. After that a label replaces the lightest one once it is twice as heavy: the weight of a label
// is the sum of its probabilities in the samples in which it was strong. A row that starts late begins as the estimate.
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bcp::adapt {

struct LabelRow {
  std::uint32_t label = 0;
  std::vector<float> values;
  bool operator==(const LabelRow&) const = default;

  // Multiplies everything.
  void scale(double factor);
};

class LabelRows {
 public:
  explicit LabelRows(std::size_t labels) : places_(labels, -1), weights_(labels, 0.0) {}

  // How many rows of so many labels are kept at most.
  static std::size_t most_rows(std::size_t labels);

  std::span<const LabelRow> all() const { return rows_; }
  const LabelRow* find(std::size_t label) const {
    return places_[label] < 0 ? nullptr : &rows_[static_cast<std::size_t>(places_[label])];
  }
  bool has(std::size_t label) const { return places_[label] >= 0; }
  // Whether insert() would keep the row.
  bool has_room(std::size_t label) const;

  double weight(std::size_t label) const { return weights_[label]; }
  void add_weight(std::size_t label, double weight) { weights_[label] += weight; }
  // Keeps a row, in the place of the lightest one if there are too many. REQUIRES: has_room(row.label), no such row
  // yet, and row.values.size() is the number of labels.
  void insert(LabelRow row);
  // Adds `weight` times `values` to the row of a label. REQUIRES: has(label); as many values as labels.
  void add(std::size_t label, double weight, std::span<const float> values);
  // Keeps these rows in place of all others, the heaviest if there are too many. REQUIRES: each label at most once, and
  // as many values in each as labels.
  void replace(std::vector<LabelRow> rows);

  // What the rows add to U[.,a] and to U[i,j], times `scale`. REQUIRES: out.size() is the number of labels.
  void add_column(std::size_t a, double scale, std::span<double> out) const;
  double at(std::size_t i, std::size_t j) const;

  // Multiplies everything by `factor`, and drops rows that then weigh less than `lightest`.
  void scale(double factor, double lightest);

 private:
  std::size_t lightest() const;
  void note_places();

  std::vector<LabelRow> rows_;
  std::vector<std::int32_t> places_;  // per label: which of the rows, or -1
  std::vector<double> weights_;       // per label, with a row or not
};

}  // namespace bcp::adapt
