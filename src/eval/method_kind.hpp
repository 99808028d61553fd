// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The methods of `gst-bcp eval --adapter`: plain CLIP, BCP and the methods of others.

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
  const char* nick;               // for the command line: "bcp"
  const char* name;               // as in papers: "BCP"
  const char* summary;            // one line for gst-inspect and --help
  bool wants_embeddings = false;  // needs embeddings, not only scores
  bool wants_text = false;        // also needs the labels' embeddings
};

// All of them, plain CLIP first.
std::span<const MethodInfo> method_kinds();
const MethodInfo& info_of(MethodKind kind);
// Null for an unknown nick.
const MethodInfo* find_method(std::string_view nick);

}  // namespace bcp::eval
