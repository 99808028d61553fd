// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The labels a user asks for, as they were written: read, checked and encoded only when they are needed.

#pragma once

#include <string>

#include "base/result.hpp"
#include "clip/label_encoder.hpp"

namespace bcp::tag {

enum class LabelSource {
  kBundle,  // what the model brings
  kText,    // a list (clip::parse_labels)
  kFile,    // a path (clip::load_labels)
};

struct LabelRequest {
  LabelSource source = LabelSource::kBundle;
  std::string labels;     // the list or the path
  std::string templates;  // one a line (clip::parse_templates); empty: the model's own
};

// Reads a file, and runs the text tower where it has to: this can take minutes.
Result<clip::LabelSet> encode_labels(const LabelRequest& request, clip::LabelEncoder& encoder,
                                     const clip::LabelEncoder::Progress& progress);

}  // namespace bcp::tag
