// SPDX-License-Identifier: LGPL-2.1-or-later
//
// All the words that frames are scored against: the labels that are asked for, and context words that compete with them
// and are never shown (decide/context_words.hpp).

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
  clip::LabelSet context = {};  // none of them means the same as a label
  std::shared_ptr<const decide::PriorTable> table = decide::PriorTable::everyday();
  std::vector<decide::PriorLabel> words = {};  // the labels, as the table knows them
  std::vector<std::string> unfamiliar = {};    // labels that the model probably does not know

  std::size_t anchors() const { return labels.labels.size() + context.labels.size(); }
};

// The names of these labels, in their order.
std::vector<std::string> names_of(const clip::LabelSet& labels);

// A sentence about the labels that the model probably does not know, and the way out; empty if there are none.
std::string unfamiliar_note(const Vocabulary& words, const std::string& model);

// Finds out which labels the table knows, and leaves out context words that a label stands for.
//
// A label is known to the table by its name, whatever its case, or by a synonym; else by the word of the context whose
// text embedding is nearest, if that is as near as `alias_cosine` (none: words are compared by their letters alone). A
// word that is only near a label, not the same, would explain pictures of the label away: it is left out too.
Vocabulary make_vocabulary(clip::LabelSet labels, clip::LabelSet context,
                           std::shared_ptr<const decide::PriorTable> table, std::optional<double> alias_cosine);

}  // namespace bcp::tag
