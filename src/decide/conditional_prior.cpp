// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/conditional_prior.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bcp::decide {
ConditionalPrior::ConditionalPrior(std::span<const PriorLabel> labels, std::span<const std::string> context,
                                   std::shared_ptr<const PriorTable> table, double strength)
    : table_(std::move(table)), strength_(strength), taught_(labels.size()) {
  const auto find = [&](const std::string& word) { return table_->find(word).value_or(kNone); };
  for (const PriorLabel& label : labels) {
    const std::size_t word = find(label.alias.empty() ? label.name : label.alias);
    const double known = word == kNone ? kUnknown : table_->base_rate(word);
    base_.push_back(label.often.value_or(known));
    ratio_.push_back(word == kNone || known <= 0 ? 1 : base_.back() / known);
    word_.push_back(word);
  }
  for (const std::string& word : context) word_.push_back(find(word));
  weighted_.resize(anchors());
  by_word_.resize(static_cast<Eigen::Index>(table_->size()));
}

double ConditionalPrior::from_table(std::size_t label, std::size_t word) const {
  const double given = table_->conditional()(static_cast<Eigen::Index>(word_[label]), static_cast<Eigen::Index>(word));
  return std::min(ratio_[label] * given, kMost);
}

// Off the diagonal, from the table.
double ConditionalPrior::untaught(std::size_t label, std::size_t anchor) const {
  const bool both = word_[label] != kNone && word_[anchor] != kNone;
  const double given = both ? from_table(label, word_[anchor]) : std::min(base_[label], kMost);
  return strength_ * given + (1 - strength_) * kUnknown;
}

double ConditionalPrior::at(std::size_t label, std::size_t anchor) const {
  if (label == anchor) return 1;
  if (mass_.empty()) return untaught(label, anchor);
  double count = 0;
  for (const Pair& pair : taught_[label])
    if (pair.anchor == anchor) count = pair.count;
  return (count + kLambda * untaught(label, anchor)) / (mass_[anchor] + kLambda);
}

// C p = sum over a of (U[k,a] + lambda C0[k,a]) p_a / (m_a + lambda). C0 depends only on the word of an anchor, so
// anchors are first summed by word.
void ConditionalPrior::mix(std::span<const double> p, std::span<double> prior) {
  const double lambda = mass_.empty() ? 1 : kLambda;
  for (std::size_t a = 0; a < p.size(); ++a) weighted_[a] = mass_.empty() ? p[a] : p[a] / (mass_[a] + kLambda);

  by_word_.setZero();
  double unknown = 0, all = 0;
  for (std::size_t a = 0; a < p.size(); ++a) {
    all += weighted_[a];
    if (word_[a] == kNone) {
      unknown += weighted_[a];
    } else {
      by_word_[static_cast<Eigen::Index>(word_[a])] += weighted_[a];
    }
  }
  for (std::size_t k = 0; k < labels(); ++k) {
    const double base = std::min(base_[k], kMost);
    double given = base * all;
    if (word_[k] != kNone) {
      const auto row = table_->conditional().row(static_cast<Eigen::Index>(word_[k]));
      given = (ratio_[k] * row.array()).min(kMost).matrix().dot(by_word_.transpose()) + base * unknown;
    }
    double sum = strength_ * given + (1 - strength_) * kUnknown * all;
    sum = lambda * (sum - untaught(k, k) * weighted_[k]);
    for (const Pair& pair : taught_[k])
      if (pair.anchor != k) sum += pair.count * weighted_[pair.anchor];
    prior[k] = sum + p[k];
  }
}

void ConditionalPrior::set_taught(const Taught& taught, std::span<const std::string> names) {
  mass_.clear();
  for (auto& row : taught_) row.clear();
  if (taught.mass().empty()) return;
  const auto count_of = [](const Taught::Counts& counts, const std::string& name) {
    const auto found = counts.find(name);
    return found == counts.end() ? 0 : found->second;
  };
  for (const std::string& name : names) mass_.push_back(count_of(taught.mass(), name));
  for (std::size_t k = 0; k < labels(); ++k) {
    const auto row = taught.together().find(names[k]);
    if (row == taught.together().end()) continue;
    for (std::size_t a = 0; a < names.size(); ++a)
      if (const double count = count_of(row->second, names[a]); count > 0) taught_[k].push_back({a, count});
  }
}

}  // namespace bcp::decide
