// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All words that frames are scored against: the labels, and context words that compete with them and are never shown
// (decide/context_words.hpp).

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clip/text_bank.hpp"
#include "decide/conditional_prior.hpp"
#include "decide/prior_table.hpp"

namespace bcp::tag {

struct Vocabulary {
  clip::LabelSet labels;
  clip::LabelSet context = {};  // without synonyms of labels
  std::shared_ptr<const decide::PriorTable> table = decide::PriorTable::everyday();
  std::vector<decide::PriorLabel> words = {};  // the labels for the prior table
  std::vector<std::string> unfamiliar = {};    // labels that the model probably does not know

  std::size_t anchors() const { return labels.labels.size() + context.labels.size(); }
};

// The names of these labels, in their order.
std::vector<std::string> names_of(const clip::LabelSet& labels);

// A sentence about labels that the model probably does not know, and what to do; empty if there are no such labels.
std::string unfamiliar_note(const Vocabulary& words, const std::string& model);

// Finds the labels in the table, and leaves out context words that are the same as a label.
//
// A label matches a word of the table by its name, ignoring case, or by a synonym; else by the context word with the
// closest text embedding, if the cosine is at least `alias_cosine` (empty: words are compared only by spelling). A
// context word that is only similar to a label would take its share of the probability: it is left out too.
Vocabulary make_vocabulary(clip::LabelSet labels, clip::LabelSet context,
                           std::shared_ptr<const decide::PriorTable> table, std::optional<double> alias_cosine);

}  // namespace bcp::tag
