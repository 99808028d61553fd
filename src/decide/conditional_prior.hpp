// SPDX-License-Identifier: LGPL-2.1-or-later
//
// C[k, a] = P(label k is present | the picture shows word a), for K labels and N anchors: the labels themselves, then
// context words, which are never shown. C[k, k] = 1.
//
// C is not stored: rows of words that are not in the table are constant. Stored are one base rate per label, the table,
// and a sparse row for each label seen in labelled frames. So 20,000 labels take megabytes.
//
// Thread safety: none.

#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/prior_table.hpp"
#include "decide/taught.hpp"

namespace bcp::decide {

// A label of the user.
struct PriorLabel {
  std::string name;
  std::string alias = {};            // its synonym in the table; empty: the name itself
  std::optional<double> often = {};  // the user's hint: how often it is present, in (0, 1)
};

class ConditionalPrior {
 public:
  static constexpr double kUnknown = 0.10;  // base rate of a word that is not in the table
  static constexpr double kMost = 0.995;
  static constexpr double kLambda = 5;  // weight of the table, in labelled frames per anchor

  // `strength` in [0, 1]: 1 for zero-shot encoders, 0.5 for those trained on labels, which know base rates already.
  // REQUIRES: `table` is not null.
  ConditionalPrior(std::span<const PriorLabel> labels, std::span<const std::string> context,
                   std::shared_ptr<const PriorTable> table, double strength);

  std::size_t labels() const { return base_.size(); }
  std::size_t anchors() const { return word_.size(); }
  bool is_known(std::size_t label) const { return word_[label] != kNone; }

  // prior[k] = sum over a of C[k, a] p[a]. REQUIRES: p has anchors() numbers that sum to 1, prior has labels().
  void mix(std::span<const double> p, std::span<double> prior);
  // C[k, a], to explain a result.
  double at(std::size_t label, std::size_t anchor) const;

  // Replaces the statistics of labelled frames. `names` are those of the anchors.
  void set_taught(const Taught& taught, std::span<const std::string> names);

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Pair {
    std::size_t anchor;
    double count;
  };
  double untaught(std::size_t label, std::size_t anchor) const;
  double from_table(std::size_t label, std::size_t word) const;

  std::shared_ptr<const PriorTable> table_;
  double strength_;
  std::vector<double> base_;               // P(k), per label
  std::vector<double> ratio_;              // factor of a hint on the table's row, per label
  std::vector<std::size_t> word_;          // index in the table, per anchor; kNone: not in it
  std::vector<std::vector<Pair>> taught_;  // U, one row per label; empty: not in any labelled frame
  std::vector<double> mass_;               // m, per anchor; empty: no labelled frames
  std::vector<double> weighted_;           // scratch: p, or p / (m + lambda)
  Eigen::VectorXd by_word_, table_prior_;  // scratch, per word of the table
};

}  // namespace bcp::decide
