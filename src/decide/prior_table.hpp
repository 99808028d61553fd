// SPDX-License-Identifier: LGPL-2.1-or-later
//
// How often everyday things occur in a picture, alone and together: P(k) and P(k | a) of a list of words.
//
// The file (prior_table.md) has counts, not probabilities, so that users can make one from their own labelled pictures.
//
// Thread safety: immutable.

#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"

namespace bcp::decide {

class PriorTable {
 public:
  struct Counts {
    std::string source;                         // for people: where the counts come from
    double pictures = 0;                        // number of counted pictures
    std::vector<std::string> labels;            // unique
    std::vector<double> count;                  // pictures that show label i
    std::vector<std::vector<double>> together;  // pictures that show both; the diagonal is `count`
  };
  // Fails on inconsistent counts: negative, not symmetric, more pairs than single ones.
  static Result<PriorTable> make(Counts counts);
  // Errors name the file and what to change in it.
  static Result<PriorTable> load(const std::string& path);
  // Replaces the file in one step. Fails on counts that load() would reject.
  static Status save(const std::string& path, const Counts& counts);
  // The default: 80 everyday nouns.
  static std::shared_ptr<const PriorTable> everyday();
  // An empty table.
  static std::shared_ptr<const PriorTable> none();

  std::size_t size() const { return words_.size(); }
  const std::vector<std::string>& words() const { return words_; }
  const std::string& source() const { return source_; }
  // The index of exactly this word; empty if it is not in the table.
  std::optional<std::size_t> find(std::string_view word) const;

  double base_rate(std::size_t word) const { return base_rates_[static_cast<Eigen::Index>(word)]; }
  // Column j of row i: P(word i is present | word j is present). Shrunk towards P(i) by 50 pictures.
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& conditional() const {
    return conditional_;
  }

 private:
  PriorTable() = default;

  std::string source_;
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::size_t> index_;
  Eigen::VectorXd base_rates_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> conditional_;
};

}  // namespace bcp::decide
