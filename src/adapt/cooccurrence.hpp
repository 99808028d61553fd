// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The learnt statistics of which labels occur together in a stream: U, m and n of the method.
//
//   U[i,j]  sum over the learnt samples of p_i p_j     m[k]  sum of p_k     n  number of samples
//
// With forgetting, older samples count less in all three.
//
// Labels may be added later. Pair counts use only samples taken while both labels were listed: earlier samples would
// make two new labels look related, or make a new label look as if it never occurred with labels seen only before. So m
// and n are also kept per era; an era begins when labels are added. U[i,j] goes with the m and n of the later of the
// two labels' eras (since()). There is one era until the list changes, and at most kMostEras. When the limit is
// reached, the two eras with the closest sample counts are merged, and the labels of both count as added with the older
// one. Their corrections are then too high by up to log(n of the older / n of the younger), which falls as learning
// goes on. The smallest ratio is at most n^(1/15), 1.6 for a thousand samples.
//
// Up to kDenseLabels labels, one triangle of U is stored whole (triangle.hpp). For more labels that would take
// gigabytes, nearly all of it products of probabilities near zero. There the pairs of labels that are both strong in a
// sample are stored, labels that were strong have a row, and all other pairs are estimated from groups of similar
// samples (sparse_pairs.hpp). U is exact until there are more samples than groups; README.md has the error after that.
// m and n are always exact.
//
// Another thread may copy the statistics while this one learns: hold(), then copy(), then release().
//
// Thread safety: none. One instance belongs to one stream.
//
// Invariants: U is symmetric; 0 <= U[i,j] <= min(m_i, m_j) <= n in the era of the pair; n falls from era to era; dense,
// with one era: sum of U = n when nothing underflows.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adapt/sample_groups.hpp"
#include "adapt/sparse_pairs.hpp"
#include "adapt/triangle.hpp"

namespace bcp::adapt {

inline constexpr std::size_t kDenseLabels = 2048;
inline constexpr std::size_t kMostEras = 16;

// The index of each `wanted` label in `known`, by name; -1 if it is not known.
std::vector<int> rows_of(std::span<const std::string> wanted, std::span<const std::string> known);

class Cooccurrence {
 public:
  enum class Storage { kAuto, kDense, kSparse };
  explicit Cooccurrence(std::size_t labels, Storage storage = Storage::kAuto);

  // The whole state as flat arrays: quick to copy out of a running stream, and the content of a prior file.
  struct StoredPair {
    std::uint32_t i, j;  // i <= j
    double value;
    bool operator==(const StoredPair&) const = default;
  };
  // Sums over the samples since some labels were added.
  struct Era {
    double samples = 0;          // n
    std::vector<double> single;  // m
    std::vector<double> faint;   // sparse, in Parts: r, the part of m from samples in which the label was faint
    bool operator==(const Era&) const = default;
  };
  struct Parts {
    bool dense = true;
    std::vector<Era> eras = std::vector<Era>(1);  // the first: all samples; n decreases
    std::vector<std::uint32_t> came;              // the era in which each label was added
    std::vector<double> triangle;                 // dense: U[i,j] for j <= i, row by row
    std::vector<StoredPair> stored;               // sparse: pairs of two strong labels, in any order, each once
    std::vector<SampleGroup> groups;              // sparse: the faint part; empty: one group for each era, from r
    std::vector<LabelRow> rows;                   // sparse: by ascending label; empty: estimated from the groups
    bool operator==(const Parts&) const = default;
  };
  Parts parts() const;
  // REQUIRES: sizes and indices match the number of labels, parts.came.size(); the invariants above hold.
  explicit Cooccurrence(Parts parts);

  // What changes while the statistics are held.
  struct Mark {
    std::vector<Era> eras;
    Triangle::Waiting waiting;
    SparsePairs::Later later;
  };
  // From now on, until release(), learn() writes only what is in a Mark. Nothing but learn() may change it meanwhile,
  // and only while has_room().
  Mark hold();
  bool has_room() const { return dense_ ? triangle_.has_room() : sparse_.has_room(); }
  void release();
  // The parts as they were at hold(), while another thread learns. `run` calls its argument, or returns false to give
  // up: then the result is empty. It is called for a part of the work each time, a fraction of a millisecond.
  using Run = std::function<bool(const std::function<void()>&)>;
  std::optional<Parts> copy(const Mark& mark, const Run& run) const;

  bool is_dense() const { return dense_; }
  std::size_t labels() const { return came_.size(); }
  double samples() const { return eras_[0].samples; }                 // n
  std::span<const double> single() const { return eras_[0].single; }  // m
  // The n and m that go with U[i,j]: from the samples taken while both labels were listed.
  struct Since {
    double samples;
    std::span<const double> single;
  };
  Since since(std::size_t i, std::size_t j) const { return {era(i, j).samples, era(i, j).single}; }
  // The same by era: U[i,j] goes with eras()[max(came(i), came(j))].
  std::span<const Era> eras() const { return eras_; }
  std::uint32_t came(std::size_t label) const { return came_[label]; }
  std::size_t stored_pairs() const;

  // U[i, j].
  double pair(std::size_t i, std::size_t j) const;
  // U[., a]. REQUIRES: out.size() == labels().
  void column(std::size_t a, std::span<double> out) const;

  // Ages everything by `decay` in (0, 1], then adds one sample. REQUIRES: p is a distribution over the labels.
  void learn(std::span<const double> p, double decay);
  // Adds a sample of the label list before relabelled(), as if it had been learnt before relabelled(): it counts for
  // the labels of that list, and not in the era of the labels added since. Returns false and adds nothing if both share
  // an era because nothing was learnt in it before. REQUIRES: `from` is the argument of relabelled(), p a distribution
  // over the labels of that list. The cost of the first Triangle::kLater calls grows with the number of labels, not of
  // pairs.
  bool learn_before(std::span<const double> p, std::span<const int> from, double decay);

  // Does the deferred work, so that later reads are faster. No value changes. REQUIRES: not held.
  void settle();

  // How far learning this sample would move the estimates: mean |m'/n' - m/n| over all labels, and mean |U'/n' - U/n|
  // over all pairs, whose cost grows with the number of pairs. REQUIRES: samples() > 0.
  double single_drift(std::span<const double> p, double decay) const;
  double pair_drift(std::span<const double> p, double decay) const;

  // Adds the samples of `other`, as if all had been learnt here. If two labels were added in one order here and in the
  // other order there, their era is too long. REQUIRES: the same labels in the same order, and the same storage.
  void add(const Cooccurrence& other);

  // The same statistics for another label list: label i of the new list is label from[i] of this one; a negative
  // from[i] is a label added now. Samples taken while none of the labels was listed do not count: if all labels are
  // new, no sample is left. REQUIRES: from has no index twice.
  Cooccurrence relabelled(std::span<const int> from) const;

 private:
  // m and n of the first `eras` eras.
  void count(std::span<const double> p, double decay, std::size_t eras);
  void fill_dense(std::span<const int> from, Cooccurrence& result) const;
  // `eras`: see take_eras().
  void fill_sparse(std::span<const int> from, std::span<const std::size_t> eras, Cooccurrence& result) const;
  const Era& era(std::size_t i, std::size_t j) const { return eras_[std::max(came_[i], came_[j])]; }
  // The eras of the new list; returns the index of each in this list.
  std::vector<std::size_t> take_eras(std::span<const int> from, Cooccurrence& result) const;
  void limit_eras();
  void add_groups_of_eras();
  static void add_faint(Parts& parts);
  static void limit_rows(Parts& parts);

  bool dense_;
  std::vector<Era> eras_;  // see Parts
  std::vector<std::uint32_t> came_;
  Triangle triangle_;   // dense; else without labels
  SparsePairs sparse_;  // sparse; else without labels
};

}  // namespace bcp::adapt
