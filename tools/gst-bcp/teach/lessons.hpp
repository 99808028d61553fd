// SPDX-License-Identifier: LGPL-2.1-or-later
// What a person teaches about pictures, in the labels of the stream.

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
  std::vector<std::optional<bool>> present;  // one per label of the stream; unset: nothing was said
};

struct Lessons {
  bool frames = false;  // pictures were fully labelled, else single labels were given
  std::vector<Lesson> all;
  std::vector<std::string> notes;  // sentences about what was ignored
};

// What was said about each of several pictures.
struct Said {
  std::string has, has_not;  // labels, separated by commas; may be empty
  bool all = false;          // every label that is not in `has` is absent
};
// A label that the stream does not have, or that is in both lists, is an error.
Result<Lessons> lessons_of(const std::vector<std::string>& pictures, const Said& said,
                           std::span<const clip::Label> labels);

// Labels are found by other spellings too (eval/datasets/spelling.hpp). Unknown labels and missing pictures are noted;
// it is an error if no label is known, or no picture exists. `all`: labels that the annotations never mention are
// absent everywhere, instead of unknown.
Result<Lessons> lessons_of(const LabelledPictures& read, bool all, std::span<const clip::Label> labels);

}  // namespace bcp::cli
