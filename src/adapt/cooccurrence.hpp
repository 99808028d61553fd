// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a stream has taught about which labels occur together: U, m and n of the method.
//
//   U[i,j]  sum over the learnt samples of p_i p_j     m[k]  sum of p_k     n  number of samples
//
// With forgetting, older samples weigh less in all three alike.
//
// Labels may come later. What a pair says is measured by the samples in which both were in the list: those before say
// nothing about a label that was not asked for, and would make two new labels look as if they belonged together, or a
// new one as if it never occurred with what was seen only before. So m and n are kept once more for each era, which
// begins when labels come: U[i,j] goes with the m and n of the later of the two eras (since()). There is one era until
// the list changes, and at most kMostEras. When there would be more, the two nearest in samples become one, and its
// labels count as if they had come with the older: the correction between two of them is too high by up to
// log(n of the older / n of the younger), and that falls as both are learnt on. The smallest ratio is at most
// n^(1/15), 1.6 for a thousand samples.
//
// Up to kDenseLabels labels, one triangle of U is stored whole (triangle.hpp). Above, that would be gigabytes, nearly
// all of it products of probabilities near zero: there a sample stores only the pairs whose labels both have p >=
// kFloor (at most 1 / kFloor labels can). m and n stay exact, and so does r[k], the part of m[k] that came in below the
// floor; what was not stored is taken as independent: U[k,a] = stored + (r_k m_a + (m_k - r_k) r_a) / n. So a label
// that is always faint gets no correction, one that is often strong but never beside the anchor gets a strong one, and
// neither is invented. On streams with topics (a test) the corrected probabilities stay within 0.01 of the dense ones
// with shrinkage; without it a single sample weighs without bounds, and they stay within 0.05 after 500 samples.
//
// Thread safety: none. One instance belongs to one stream.
//
// Invariants: U is symmetric; 0 <= U[i,j] <= min(m_i, m_j) <= n in the era of the pair; n falls from era to era; dense,
// with one era: sum of U = n when nothing underflows.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "adapt/triangle.hpp"

namespace bcp::adapt {

inline constexpr std::size_t kDenseLabels = 2048;
inline constexpr double kFloor = 1e-3;
inline constexpr std::size_t kMostEras = 16;

// Where each of the `wanted` labels is among the `known` ones, by name; -1 for one that is not.
std::vector<int> rows_of(std::span<const std::string> wanted, std::span<const std::string> known);

class Cooccurrence {
 public:
  enum class Storage { kAuto, kDense, kSparse };
  explicit Cooccurrence(std::size_t labels, Storage storage = Storage::kAuto);

  // All there is to it, laid flat: quick to copy out of a running stream, and what a file holds.
  struct StoredPair {
    std::uint32_t i, j;  // i <= j
    double value;
    bool operator==(const StoredPair&) const = default;
  };
  // Sums over the samples since some labels came.
  struct Era {
    double samples = 0;          // n
    std::vector<double> single;  // m
    std::vector<double> faint;   // sparse: r
    bool operator==(const Era&) const = default;
  };
  struct Parts {
    bool dense = true;
    std::vector<Era> eras = std::vector<Era>(1);  // the first: all samples; n falls from each to the next
    std::vector<std::uint32_t> came;              // the era that each label came with
    std::vector<double> triangle;                 // dense: U[i,j] for j <= i, row by row
    std::vector<StoredPair> stored;  // sparse: what U has beside the faint part, in any order, each pair once
    bool operator==(const Parts&) const = default;
  };
  Parts parts() const;
  // REQUIRES: sizes and indices fit the number of labels, which is that of parts.came; the invariants above hold.
  explicit Cooccurrence(Parts parts);

  std::size_t labels() const { return came_.size(); }
  double samples() const { return eras_[0].samples; }                 // n
  std::span<const double> single() const { return eras_[0].single; }  // m
  // The n and m that go with U[i,j]: of the samples in which both were in the list.
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
  // Adds a sample of the list this one was relabelled() from, as if it had been learnt before that: it counts for the
  // labels that were in that list, and not in the era of those that were not. False, and nothing is added, where the
  // two share an era because nothing was learnt in it before. REQUIRES: `from` is that of relabelled(), p a
  // distribution over the labels of that list. The first Triangle::kLater of them take a time that grows with the
  // number of labels, not with that of pairs.
  bool learn_before(std::span<const double> p, std::span<const int> from, double decay);

  // Dense: does the work that was put off, for which reading is the quicker. Changes nothing that can be seen.
  void settle() { triangle_.settle(); }

  // How far learning this sample would move the estimates: mean |U'/n' - U/n| over all pairs, and mean |m'/n' - m/n|.
  // REQUIRES: samples() > 0.
  struct Drift {
    double pair, single;
  };
  Drift drift(std::span<const double> p, double decay) const;

  // Counts the samples of `other` too, as if all had been learnt here. Of two labels that came in one order here and in
  // the other order there, the era is too long. REQUIRES: the same labels in the same order, and the same storage.
  void add(const Cooccurrence& other);

  // The same knowledge for another list of labels: label i of the new list is label from[i] of this one, or unknown
  // where that is negative, and comes now. Samples that none of the labels was in the list for do not count: when all
  // are unknown, there are none. REQUIRES: no label is named twice.
  Cooccurrence relabelled(std::span<const int> from) const;

 private:
  // m and n of the first so many eras.
  void count(std::span<const double> p, double decay, std::size_t eras);
  void learn_sparse(std::span<const double> p, double decay, std::size_t eras);
  double stored_sparse(std::size_t i, std::size_t j) const;
  double with_unstored(std::size_t i, std::size_t j, double stored) const;
  void add_sparse(std::size_t i, std::size_t j, double value);
  void note_stored(std::size_t i, std::size_t j);
  void rescale();
  void fill_dense(std::span<const int> from, Cooccurrence& result) const;
  void fill_sparse(std::span<const int> from, Cooccurrence& result) const;
  const Era& era(std::size_t i, std::size_t j) const { return eras_[std::max(came_[i], came_[j])]; }
  // The eras of the new list, and for each of them which one of this list it is.
  std::vector<std::size_t> take_eras(std::span<const int> from, Cooccurrence& result) const;
  void limit_eras();

  bool dense_;
  std::vector<Era> eras_;  // as Parts has them
  std::vector<std::uint32_t> came_;
  Triangle triangle_;  // dense; else of no labels
  // Sparse: row i holds U[i,j] / scale_ for the stored j >= i. Forgetting scales all at once through scale_.
  std::vector<std::unordered_map<std::uint32_t, double>> rows_;
  std::vector<std::vector<std::uint32_t>> before_;  // sparse: for j, the i < j whose row holds it, in any order
  double scale_ = 1;
  std::vector<std::uint32_t> active_;  // scratch of learn_sparse
};

}  // namespace bcp::adapt
