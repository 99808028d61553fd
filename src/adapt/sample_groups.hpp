// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The pairs of labels that sparse storage does not store one by one (sparse_pairs.hpp): groups of similar samples.
//
// In each sample a label is strong (p >= kFloor) or faint. Within a group, faint labels count as independent of all
// others:
//
//   sum over groups g of (f_g[k] (f_g[a] + s_g[a]) + s_g[k] f_g[a]) / n_g
//
// f_g and s_g are the sums of the faint and of the strong probabilities of its samples, n_g is their number. A group of
// one sample is exact, and the first most_groups() samples are groups of their own. After that the two most similar
// groups are merged for each new sample. Merging x and y changes the value of a pair by exactly
//   n_x n_y / (n_x + n_y) (x_k - y_k) (x_a - y_a)          x, y: means of the samples
// so the groups with the smallest n_x n_y / (n_x + n_y) |log x - log y|^2 are merged: the relative error matters,
// because corrections are logarithms. The distance is measured on kProbes labels.
//
// A sample has no information about labels added after it (cooccurrence.hpp), so groups of different eras stay apart.
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "adapt/label_rows.hpp"

namespace bcp::adapt {

// A label with a p below this is faint in a sample.
inline constexpr double kFloor = 1e-3;

struct SampleGroup {
  struct Strong {
    std::uint32_t label;
    float mass;
    bool operator==(const Strong&) const = default;
  };
  double samples = 0;          // n
  std::uint32_t era = 0;       // the last era that its samples belong to
  std::vector<float> faint;    // f
  std::vector<Strong> strong;  // s, by ascending label
  bool operator==(const SampleGroup&) const = default;

  // Multiplies everything.
  void scale(double factor);
  // The same for another label list: its label i is label from[i] of this one, and label k becomes label to[k];
  // negative numbers are labels of one list only.
  SampleGroup relabelled(std::span<const int> from, std::span<const int> to, std::uint32_t new_era,
                         double factor) const;
};

class SampleGroups {
 public:
  explicit SampleGroups(std::size_t labels) : labels_(labels) {}

  // The groups of so many labels: about 8 MB of numbers.
  static std::size_t most_groups(std::size_t labels);

  std::span<const SampleGroup> all() const { return groups_; }
  // Whether any were ever merged: until then the rows of LabelRows follow from the groups.
  bool are_merged() const { return merged_; }
  void note_merged() { merged_ = true; }

  // Adds a group, and merges two if there are too many. REQUIRES: group.faint.size() is the number of labels.
  void add(SampleGroup group);
  // The sums above times `scale`, added to out[k], without the terms s_g of labels in `rows`, which are exact there.
  // REQUIRES: out.size() is the number of labels.
  void add_column(std::size_t a, double scale, const LabelRows& rows, std::span<double> out) const;
  double at(std::size_t i, std::size_t j, const LabelRows& rows) const;
  // The terms s_g[a] f_g[k] / n_g: the estimate of row a of LabelRows.
  LabelRow estimated_row(std::size_t a) const;
  // Multiplies everything by `factor`, and drops groups of fewer samples than `fewest`.
  void scale(double factor, double fewest);
  // Era e becomes era to[e].
  void renumber_eras(std::span<const std::uint32_t> to);

 private:
  static constexpr std::size_t kProbes = 128;
  void probe(std::size_t group);  // its logarithms, and its distance to the other groups
  double distance(std::size_t x, std::size_t y) const;
  void merge_nearest();
  void merge(std::size_t x, std::size_t y);

  std::size_t labels_;
  std::vector<SampleGroup> groups_;
  bool merged_ = false;
  // Of the first groups, at most all:
  std::vector<std::vector<float>> probes_;     // per group: the logarithms of its means
  std::vector<std::vector<float>> distances_;  // per group: to each earlier group
};

}  // namespace bcp::adapt
