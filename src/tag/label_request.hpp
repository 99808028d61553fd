// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The user's labels as text: read, checked and encoded only when needed.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/label_encoder.hpp"
#include "tag/vocabulary.hpp"

namespace bcp::tag {

enum class LabelSource {
  kBundle,  // the labels of the model
  kText,    // a list (clip::parse_labels)
  kFile,    // a path (clip::load_labels)
};

struct LabelRequest {
  static constexpr const char* kEveryday = "everyday";

  LabelSource source = LabelSource::kBundle;
  std::string labels;                     // the list or the path
  std::string templates;                  // one per line (clip::parse_templates); empty: the model's
  std::string context_words = kEveryday;  // kEveryday (or the model's, if it has any), a path (clip::load_labels),
                                          // or empty: none
  std::string prior_table = kEveryday;    // kEveryday, a path (prior_table.md), or empty: none
};

// The model's properties that affect the choice of words.
struct WordTraits {
  std::optional<double> alias_cosine = {};  // make_vocabulary()
  bool independent = false;                 // each label is scored independently: no context words, no prior table
};
WordTraits word_traits(const clip::Bundle& bundle);

// Reads files, and may run the text tower: this can take minutes.
Result<Vocabulary> encode_labels(const LabelRequest& request, clip::LabelEncoder& encoder, const WordTraits& traits,
                                 const clip::LabelEncoder::Progress& progress);

// The context words of such a request, encoded: all of them, independent of the labels.
Result<clip::LabelSet> encode_context(const LabelRequest& request, clip::LabelEncoder& encoder,
                                      const decide::PriorTable& table);

}  // namespace bcp::tag
