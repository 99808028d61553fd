// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The ways there are to correct a stream's scores: one list for the element's `correction` and `gst-bcp eval
// --adapter`.

#pragma once

#include <span>
#include <string_view>

namespace bcp::adapt {

enum class Correction {
  kNone,  // plain CLIP
  kBcp,   // Bayesian Conditional Priors (bcp.hpp)
  kTda,   // the methods of others (peer.hpp)
  kDota,
  kDmn,
  kAdapt,
};

struct CorrectionInfo {
  Correction correction;
  const char* nick;               // as it is typed: "bcp"
  const char* name;               // as papers write it: "BCP"
  const char* summary;            // one line for gst-inspect and --help
  bool wants_embeddings = false;  // scores alone are not enough
  bool wants_text = false;        // nor are they without the labels' embeddings
};

// All of them, plain CLIP first.
std::span<const CorrectionInfo> corrections();
const CorrectionInfo& info_of(Correction correction);
// Null for a nick that is none.
const CorrectionInfo* find_correction(std::string_view nick);

}  // namespace bcp::adapt
