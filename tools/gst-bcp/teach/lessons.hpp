// SPDX-License-Identifier: LGPL-2.1-or-later
// What a person says about pictures, in the labels of the stream.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/labels.hpp"
#include "gst-bcp/labelled/pictures.hpp"

namespace bcp::cli {

struct Lesson {
  std::string picture;                       // path
  std::vector<std::optional<bool>> present;  // a label of the stream each; none: nothing was said
};

struct Lessons {
  bool frames = false;  // pictures were labelled, else single labels were named
  std::vector<Lesson> all;
  std::vector<std::string> notes;  // sentences about what was left out
};

// What was said about each of some pictures.
struct Said {
  std::string has, has_not;  // labels, separated by commas; may be empty
  bool all = false;          // every label that is not in `has` is absent
};
// A label that the stream does not have, or that is in both lists, is an error.
Result<Lessons> lessons_of(const std::vector<std::string>& pictures, const Said& said,
                           std::span<const clip::Label> labels);

// Labels are found by other spellings too (eval/datasets/spelling.hpp); those that the stream does not have are noted,
// and so are pictures that are missing. It is an error if no label is known, or no picture is there. `all`: labels that
// the annotations never mention are absent everywhere, instead of unknown.
Result<Lessons> lessons_of(const LabelledPictures& read, bool all, std::span<const clip::Label> labels);

}  // namespace bcp::cli
