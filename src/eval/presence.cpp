// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/presence.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "clip/labels.hpp"

namespace bcp::eval {
namespace {

using decide::Presence;

Presence::Words words_of(std::span<const std::string> names, std::span<const std::size_t> asked,
                         const PresenceSettings& settings) {
  Presence::Words words;
  for (const std::size_t k : asked)
    words.labels.push_back({.name = names[k], .alias = settings.aliases.empty() ? "" : settings.aliases[k]});
  words.context = decide::context_for(words.labels, settings.context);
  return words;
}

std::vector<std::size_t> columns_of(std::size_t labels, std::span<const std::size_t> asked,
                                    const Presence::Words& words, const PresenceSettings& settings) {
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < settings.context.size(); ++i) place.emplace(settings.context[i], labels + i);
  std::vector<std::size_t> columns(asked.begin(), asked.end());
  for (const std::string& word : words.context) columns.push_back(place.at(word));
  return columns;
}

std::vector<std::size_t> all_of(std::size_t labels) {
  std::vector<std::size_t> all(labels);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

Result<PresenceSettings> load_presence(const PresenceFiles& files, Presence::Encoder encoder) {
  PresenceSettings settings;
  settings.encoder = encoder;
  if (!files.context_text.empty()) {
    Result<clip::TextMatrix> text = load_text(files.context_text);
    if (!text) return text.error();
    settings.context_text = std::move(*text);
    const Result<std::vector<clip::Label>> names = clip::load_labels(files.context_names);
    if (!names) return names.error();
    const auto rows = static_cast<std::size_t>(settings.context_text.rows());
    if (names->size() != rows)
      return Error{ErrorCode::kInvalid, files.context_names + " has " + std::to_string(names->size()) + " words, but " +
                                            files.context_text + " has " + std::to_string(rows) +
                                            " rows: give one word per row, in the same order"};
    for (const clip::Label& name : *names) settings.context.push_back(name.name);
  }
  if (files.table.empty()) return settings;
  Result<decide::PriorTable> table = decide::PriorTable::load(files.table);
  if (!table) return table.error();
  settings.table = std::make_shared<const decide::PriorTable>(std::move(*table));
  return settings;
}

Status check(const PresenceSettings& settings, const Stream& stream) {
  if (settings.context.empty()) return ok();
  if (!stream.has_embeddings())
    return Error{ErrorCode::kInvalid,
                 "context words need embeddings of pictures, which are missing: add --embeddings, or "
                 "remove --context-text"};
  const auto width = static_cast<std::size_t>(settings.context_text.cols());
  if (width == stream.text().width) return ok();
  return Error{ErrorCode::kInvalid, "the embeddings of context words have " + std::to_string(width) +
                                        " numbers, but those of pictures " + std::to_string(stream.text().width) +
                                        ": both must come from the same model"};
}

AnchorScores::AnchorScores(const PresenceSettings& settings, const Stream& stream)
    : context_text_(settings.context_text),
      scale_(stream.text().scale),
      scores_(stream.labels() + settings.context.size()) {}

std::span<const double> AnchorScores::of(const Sample& sample) {
  std::copy(sample.logits.begin(), sample.logits.end(), scores_.begin());
  if (context_text_.rows() > 0)
    clip::score(context_text_, sample.embedding, scale_, std::span(scores_).subspan(sample.logits.size()));
  return scores_;
}

PresenceRule::PresenceRule(std::span<const std::string> names, std::span<const std::size_t> asked,
                           const PresenceSettings& settings)
    : columns_(columns_of(names.size(), asked, words_of(names, asked, settings), settings)),
      presence_(words_of(names, asked, settings), settings.table, settings.encoder),
      scores_(columns_.size()) {}

PresenceRule::PresenceRule(std::span<const std::string> names, const PresenceSettings& settings)
    : PresenceRule(names, all_of(names.size()), settings) {}

Status PresenceRule::score(std::span<const double> scores, decide::PresenceFrame& frame) {
  std::transform(columns_.begin(), columns_.end(), scores_.begin(), [&](std::size_t column) { return scores[column]; });
  return presence_.score(scores_, frame);
}

std::string anchors_note(std::size_t anchors) {
  const std::string count = std::to_string(anchors) + " labels and context words";
  if (anchors < Presence::kFewest)
    return "Presence shows nothing: it needs " + std::to_string(Presence::kFewest) + " labels and context words, but " +
           "there are " + std::to_string(anchors) + ". Add context words with --context-text.";
  if (anchors < Presence::kCalibrated)
    return "Presence has " + count + ", but is calibrated only from " + std::to_string(Presence::kCalibrated) +
           " on: its probabilities are only relative.";
  return "";
}

}  // namespace bcp::eval
