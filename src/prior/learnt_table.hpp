// SPDX-License-Identifier: LGPL-2.1-or-later
// A part of the learnt statistics that people can look at: P(k|a) of the labels seen most.

#pragma once

#include <string>
#include <vector>

namespace bcp::prior {

struct LearntTable {
  double samples = 0;
  std::vector<std::string> labels;  // most frequent first
  std::vector<double> frequency;    // P(k)
  std::vector<double> conditional;  // P(k|a) at a * labels.size() + k; the diagonal is 0
};

}  // namespace bcp::prior
