// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The labels a user asks for, as they were written: read, checked and encoded only when they are needed.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/label_encoder.hpp"
#include "tag/vocabulary.hpp"

namespace bcp::tag {

enum class LabelSource {
  kBundle,  // what the model brings
  kText,    // a list (clip::parse_labels)
  kFile,    // a path (clip::load_labels)
};

struct LabelRequest {
  static constexpr const char* kEveryday = "everyday";

  LabelSource source = LabelSource::kBundle;
  std::string labels;                     // the list or the path
  std::string templates;                  // one a line (clip::parse_templates); empty: the model's own
  std::string context_words = kEveryday;  // kEveryday (the model's own, if it brings some), a path (clip::load_labels),
                                          // or empty: none
  std::string prior_table = kEveryday;    // kEveryday, a path (prior_table.md), or empty: none
};

// What the model brings to the choice of words.
struct WordTraits {
  std::optional<double> alias_cosine = {};  // make_vocabulary()
  bool independent = false;                 // each label is scored by itself: no context words, no prior table
};
WordTraits word_traits(const clip::Bundle& bundle);

// Reads files, and runs the text tower where it has to: this can take minutes.
Result<Vocabulary> encode_labels(const LabelRequest& request, clip::LabelEncoder& encoder, const WordTraits& traits,
                                 const clip::LabelEncoder::Progress& progress);

// The context words of such a request, encoded: all of them, whatever the labels are.
Result<clip::LabelSet> encode_context(const LabelRequest& request, clip::LabelEncoder& encoder,
                                      const decide::PriorTable& table);

}  // namespace bcp::tag
