// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CPU provider makes of a tower's self-test, and how near other providers came to it, on disk: a start that
// compares providers opens one session, not two.
//
// One file a tower in $XDG_CACHE_HOME/gst-bcp/reference, named after the model, ONNX Runtime's version and the
// processor, with a checksum. A file that is missing, damaged or not writable costs time, never an error.

#pragma once

#include <Eigen/Core>
#include <map>
#include <string>

namespace bcp::clip {

inline constexpr double kAgreement = 0.999;  // the lowest cosine of two providers that agree

struct Reference {
  Eigen::MatrixXf embeddings;             // a column a test input, of unit length; none: not known
  std::map<std::string, double> cosines;  // the lowest that was measured, by provider and precision: "openvino bf16"

  bool known() const { return embeddings.size() > 0; }
};

// `identity` names the tower; empty: nothing is known, and nothing is kept.
Reference load_reference(const std::string& identity);
void store_reference(const std::string& identity, const Reference& reference);

// The lowest cosine of two embeddings of the same input; -1 where the shapes differ. REQUIRES: unit length.
double lowest_cosine(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b);

}  // namespace bcp::clip
