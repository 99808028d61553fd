// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a stream has taught about which labels occur together: U, m and n of the method.
//
//   U[i,j]  sum over the learnt samples of p_i p_j     m[k]  sum of p_k     n  number of samples
//
// With forgetting, older samples weigh less in all three alike.
//
// Up to kDenseLabels labels, one triangle of U is stored whole. Above, that would be gigabytes, nearly all of it
// products of probabilities near zero: there a sample stores only the pairs whose labels both have p >= kFloor (at most
// 1 / kFloor labels can). m and n stay exact, and so does r[k], the part of m[k] that came in below the floor; what was
// not stored is taken as independent: U[k,a] = stored + (r_k m_a + (m_k - r_k) r_a) / n. So a label that is always
// faint gets no correction, one that is often strong but never beside the anchor gets a strong one, and neither is
// invented. On streams
// with topics (a test) the corrected probabilities stay within 0.01 of the dense ones with shrinkage; without it a
// single sample weighs without bounds, and they stay within 0.05 after 500 samples.
//
// Thread safety: none. One instance belongs to one stream.
//
// Invariants: U is symmetric; 0 <= U[i,j] <= min(m_i, m_j) <= n; dense: sum of U = n when nothing underflows.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace bcp::adapt {

inline constexpr std::size_t kDenseLabels = 2048;
inline constexpr double kFloor = 1e-3;

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
  struct Parts {
    bool dense = true;
    double samples = 0;              // n
    std::vector<double> single;      // m
    std::vector<double> triangle;    // dense: U[i,j] for j <= i, row by row
    std::vector<double> faint;       // sparse: r
    std::vector<StoredPair> stored;  // sparse: what U has beside the faint part, in any order, each pair once
    bool operator==(const Parts&) const = default;
  };
  Parts parts() const;
  // REQUIRES: sizes and indices fit the number of labels, which is that of parts.single; the invariants above hold.
  explicit Cooccurrence(Parts parts);

  std::size_t labels() const { return single_.size(); }
  double samples() const { return samples_; }                 // n
  std::span<const double> single() const { return single_; }  // m
  std::size_t stored_pairs() const;

  // U[i, j].
  double pair(std::size_t i, std::size_t j) const;
  // U[., a]. REQUIRES: out.size() == labels().
  void column(std::size_t a, std::span<double> out) const;

  // Ages everything by `decay` in (0, 1], then adds one sample. REQUIRES: p is a distribution over the labels.
  void learn(std::span<const double> p, double decay);

  // How far learning this sample would move the estimates: mean |U'/n' - U/n| over all pairs, and mean |m'/n' - m/n|.
  // REQUIRES: samples() > 0.
  struct Drift {
    double pair, single;
  };
  Drift drift(std::span<const double> p, double decay) const;

  // Counts the samples of `other` too, as if all had been learnt here. REQUIRES: the same labels in the same order, and
  // the same storage.
  void add(const Cooccurrence& other);

  // The same knowledge for another list of labels: label i of the new list is label from[i] of this one, or unknown
  // where that is negative. When all are unknown, nothing is known, and there are no samples. REQUIRES: no label is
  // named twice.
  Cooccurrence relabelled(std::span<const int> from) const;

 private:
  void learn_dense(std::span<const double> p, double decay);
  void learn_sparse(std::span<const double> p, double decay);
  double stored_sparse(std::size_t i, std::size_t j) const;
  void add_sparse(std::size_t i, std::size_t j, double value);
  void rescale();
  void fill_dense(std::span<const int> from, Cooccurrence& result) const;
  void fill_sparse(std::span<const int> from, Cooccurrence& result) const;

  bool dense_;
  double samples_ = 0;
  std::vector<double> single_;
  std::vector<double> faint_;     // sparse: r
  std::vector<double> triangle_;  // dense: row i holds U[i,0..i]
  // Sparse: row i holds U[i,j] / scale_ for the stored j >= i. Forgetting scales all at once through scale_.
  std::vector<std::unordered_map<std::uint32_t, double>> rows_;
  double scale_ = 1;
  std::vector<std::uint32_t> active_;  // scratch of learn_sparse
};

}  // namespace bcp::adapt
