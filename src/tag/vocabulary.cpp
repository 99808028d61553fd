// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/vocabulary.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/spelling.hpp"

namespace bcp::tag {
namespace {

// Context words this much less similar than an alias are also left out: 0.90 for CLIP's 0.94.
constexpr double kNearMargin = 0.04;

// The word of the table for this label, by spelling, or empty.
std::string table_word(const clip::Label& label, const decide::PriorTable& table) {
  if (table.find(label.name)) return label.name;
  if (std::string folded = lower(label.name); table.find(folded)) return folded;
  for (const std::string& synonym : label.synonyms)
    if (std::string folded = lower(synonym); table.find(folded)) return folded;
  return {};
}

}  // namespace

std::vector<std::string> names_of(const clip::LabelSet& labels) {
  std::vector<std::string> all;
  all.reserve(labels.labels.size());
  for (const auto& label : labels.labels) all.push_back(label.name);
  return all;
}

std::string unfamiliar_note(const Vocabulary& words, const std::string& model) {
  constexpr std::size_t kMost = 8;  // names in one sentence
  const std::size_t count = words.unfamiliar.size();
  if (count == 0) return {};
  std::string names;
  for (std::size_t i = 0; i < std::min(count, kMost); ++i)
    names += (i == 0 ? "\"" : ", \"") + words.unfamiliar[i] + "\"";
  if (count > kMost) names += " and " + std::to_string(count - kMost) + " more";
  return "the model " + model + " probably does not know " + names +
         ": they are far from all words that it was measured to know, so they may never be shown, or be shown "
         "wrongly. " +
         "`gst-bcp model get clip-vit-b32` gets a model that knows most English words";
}

Vocabulary make_vocabulary(clip::LabelSet labels, clip::LabelSet context,
                           std::shared_ptr<const decide::PriorTable> table, std::optional<double> alias_cosine) {
  Vocabulary made;
  std::unordered_set<std::string> taken;  // words that a label replaces
  for (const clip::Label& label : labels.labels) {
    taken.insert(lower(label.name));
    for (const std::string& synonym : label.synonyms) taken.insert(lower(synonym));
    std::string word = table_word(label, *table);
    if (word == label.name) word.clear();
    if (!word.empty()) taken.insert(word);
    made.words.push_back({.name = label.name, .alias = std::move(word), .often = label.often});
  }

  const auto count = static_cast<Eigen::Index>(context.labels.size());
  std::vector<std::uint8_t> left_out(context.labels.size());
  if (alias_cosine && count > 0) {
    const double near = *alias_cosine - kNearMargin;
    Eigen::VectorXf cosines;
    for (std::size_t k = 0; k < labels.labels.size(); ++k) {
      cosines.noalias() = context.embeddings * labels.embeddings.row(static_cast<Eigen::Index>(k)).transpose();
      Eigen::Index best = -1;
      for (Eigen::Index c = 0; c < count; ++c) {
        const std::string& word = context.labels[static_cast<std::size_t>(c)].name;
        const bool known = table->find(word).has_value();
        if (known && cosines[c] >= *alias_cosine && (best < 0 || cosines[c] > cosines[best])) best = c;
        if (!known && cosines[c] >= near) left_out[static_cast<std::size_t>(c)] = 1;
      }
      decide::PriorLabel& word = made.words[k];
      if (best < 0 || !word.alias.empty() || table->find(word.name)) continue;
      word.alias = context.labels[static_cast<std::size_t>(best)].name;
      taken.insert(word.alias);
    }
  }

  std::vector<Eigen::Index> rows;
  for (Eigen::Index c = 0; c < count; ++c) {
    clip::Label& word = context.labels[static_cast<std::size_t>(c)];
    if (left_out[static_cast<std::size_t>(c)] || taken.contains(lower(word.name))) continue;
    rows.push_back(c);
    made.context.labels.push_back(std::move(word));
  }
  made.context.embeddings = context.embeddings(rows, Eigen::all);
  made.labels = std::move(labels);
  made.table = std::move(table);
  return made;
}

}  // namespace bcp::tag
