// SPDX-License-Identifier: LGPL-2.1-or-later

#pragma once

#include <cstddef>
#include <vector>

namespace bcp::adapt {

// The scores of one frame per label, before and after correction. Reused for each frame: filling it again does not
// allocate while the number of labels stays the same.
struct Scores {
  std::vector<double> zero_shot;              // s: plain CLIP's logits
  std::vector<double> zero_shot_probability;  // p = softmax(s)
  std::vector<double> correction;             // s* - s; 0 where there is no evidence, and for 1 to 3 anchors
  std::vector<double> corrected;              // s*
  std::vector<double> probability;            // softmax(s*), except with keep_anchor: see bcp.hpp
  int anchor = -1;                            // the likeliest label if its p > mu, else -1
  double anchor_probability = 0;              // p of the likeliest label
  double samples = 0;                         // learnt samples behind the correction

  void resize(std::size_t labels) {
    for (auto* v : {&zero_shot, &zero_shot_probability, &correction, &corrected, &probability}) v->resize(labels);
  }
};

}  // namespace bcp::adapt
