// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU provider's embeddings of a tower's self-test, and how close other providers are to them, on disk: a start
// that compares providers then opens one session, not two.
//
// One file per tower in $XDG_CACHE_HOME/gst-bcp/reference, named after the model, ONNX Runtime's version and the
// processor, with a checksum. A file that is missing, damaged or not writable costs time and is never an error.

#pragma once

#include <Eigen/Core>
#include <map>
#include <string>

namespace bcp::clip {

inline constexpr double kAgreement = 0.999;  // providers with a lower cosine do not agree

struct Reference {
  Eigen::MatrixXf embeddings;             // one column per test input, of unit length; empty: unknown
  std::map<std::string, double> cosines;  // the lowest measured, by provider and precision: "openvino bf16"

  bool known() const { return embeddings.size() > 0; }
};

// `identity` names the tower; empty: nothing is loaded or stored.
Reference load_reference(const std::string& identity);
void store_reference(const std::string& identity, const Reference& reference);

// The lowest cosine of two embeddings of the same input; -1 if the shapes differ. REQUIRES: unit length.
double lowest_cosine(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b);

}  // namespace bcp::clip
