// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels along the axes of a small space, and frames in it.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tag/stream_tagger.hpp"

namespace bcp::test {

inline tag::Vocabulary labels(const std::vector<std::string>& names, const std::string& axes = "abcd") {
  clip::LabelSet set;
  set.embeddings =
      clip::TextMatrix::Zero(static_cast<Eigen::Index>(names.size()), static_cast<Eigen::Index>(axes.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    set.labels.push_back({names[i], {}});
    set.embeddings(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(axes.find(names[i]))) = 1;
  }
  return {.labels = std::move(set)};
}

inline const std::vector<float> kMostlyA{0.9f, 0.3f, 0.3f, 0.1f}, kMostlyB{0.1f, 0.9f, 0.1f, 0.4f};
inline const tag::TagSettings kPaper{.correction = adapt::Correction::kBcp,
                                     .adapter = {},
                                     .rule = decide::Rule::kSoftmax,
                                     .decision = decide::settings_of(decide::Rule::kSoftmax),
                                     .prior_strength = {}};
// Scores are ten times the cosine.
inline constexpr tag::Encoder kTen{.logit_scale = 10};

}  // namespace bcp::test
