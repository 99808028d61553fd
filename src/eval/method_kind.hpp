// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The methods `gst-bcp eval --adapter` compares: plain CLIP, BCP and the methods of others.

#pragma once

#include <span>
#include <string_view>

namespace bcp::eval {

enum class MethodKind {
  kNone,  // plain CLIP
  kBcp,   // Bayesian Conditional Priors (bcp.hpp)
  kTda,   // the methods of others (peer.hpp)
  kDota,
  kDmn,
  kAdapt,
};

struct MethodInfo {
  MethodKind kind;
  const char* nick;               // as it is typed: "bcp"
  const char* name;               // as papers write it: "BCP"
  const char* summary;            // one line for gst-inspect and --help
  bool wants_embeddings = false;  // scores alone are not enough
  bool wants_text = false;        // nor are they without the labels' embeddings
};

// All of them, plain CLIP first.
std::span<const MethodInfo> method_kinds();
const MethodInfo& info_of(MethodKind kind);
// Null for an unknown nick.
const MethodInfo* find_method(std::string_view nick);

}  // namespace bcp::eval
