// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/label_request.hpp"

#include <unordered_set>
#include <utility>

#include "clip/prompts.hpp"
#include "decide/context_words.hpp"

namespace bcp::tag {
namespace {

Result<clip::LabelSet> encode_own(const LabelRequest& request, const std::vector<std::string>& templates,
                                  clip::LabelEncoder& encoder, const clip::LabelEncoder::Progress& progress) {
  if (request.source == LabelSource::kBundle) {
    Result<clip::LabelSet> own = encoder.own();
    if (!own || templates.empty()) return own;
    return encoder.encode(own->labels, templates, progress);
  }
  Result<std::vector<clip::Label>> labels =
      request.source == LabelSource::kText ? clip::parse_labels(request.labels) : clip::load_labels(request.labels);
  if (!labels) return labels.error();
  return encoder.encode(*std::move(labels), templates, progress);
}

Result<std::shared_ptr<const decide::PriorTable>> find_table(const std::string& name) {
  if (name.empty()) return decide::PriorTable::none();
  if (name == LabelRequest::kEveryday) return decide::PriorTable::everyday();
  Result<decide::PriorTable> loaded = decide::PriorTable::load(name);
  if (!loaded)
    return Error{loaded.error().code,
                 "prior-table: " + loaded.error().message +
                     " (make such a file with gst-bcp prior table, or set everyday for the built-in one)"};
  return std::make_shared<const decide::PriorTable>(*std::move(loaded));
}

// The model's own context words and those of a table it was not measured with, if the model has any; else everyday
// nouns.
std::vector<std::string> everyday_context(std::vector<std::string> own, const LabelRequest& request,
                                          const decide::PriorTable& table) {
  if (own.empty()) return decide::default_context(table);
  if (request.prior_table == LabelRequest::kEveryday) return own;
  const std::unordered_set<std::string> known(own.begin(), own.end());
  for (const std::string& word : table.words())
    if (own.size() < decide::kMaxContextWords && !known.contains(word)) own.push_back(word);
  return own;
}

Result<std::vector<clip::Label>> find_context(const LabelRequest& request, const clip::LabelEncoder& encoder,
                                              const decide::PriorTable& table) {
  const std::string& name = request.context_words;
  std::vector<clip::Label> words;
  if (name.empty()) return words;
  if (name == LabelRequest::kEveryday) {
    for (std::string& word : everyday_context(encoder.own_context(), request, table))
      words.push_back({.name = std::move(word)});
    return words;
  }
  Result<std::vector<clip::Label>> loaded = clip::load_labels(name);
  if (!loaded) return Error{loaded.error().code, "context-words: " + loaded.error().message};
  if (loaded->size() > decide::kMaxContextWords)
    return Error{ErrorCode::kInvalid, "context-words: " + name + " has " + std::to_string(loaded->size()) +
                                          " words, more than the " + std::to_string(decide::kMaxContextWords) +
                                          " allowed: about 100 everyday nouns work best"};
  return loaded;
}

}  // namespace

WordTraits word_traits(const clip::Bundle& bundle) {
  return {clip::presence_traits(bundle).alias_cosine, bundle.scoring == clip::Scoring::kSigmoid};
}

Result<Vocabulary> encode_labels(const LabelRequest& request, clip::LabelEncoder& encoder, const WordTraits& traits,
                                 const clip::LabelEncoder::Progress& progress) {
  std::vector<std::string> templates;
  if (!request.templates.empty()) {
    Result<std::vector<std::string>> parsed = clip::parse_templates(request.templates);
    if (!parsed) return parsed.error();
    templates = *std::move(parsed);
  }
  // Files first: an error in one is reported before minutes of encoding.
  Result<std::shared_ptr<const decide::PriorTable>> table = find_table(traits.independent ? "" : request.prior_table);
  if (!table) return table.error();
  Result<std::vector<clip::Label>> words =
      traits.independent ? std::vector<clip::Label>() : find_context(request, encoder, **table);
  if (!words) return words.error();
  Result<clip::LabelSet> labels = encode_own(request, templates, encoder, progress);
  if (!labels) return labels.error();
  Result<clip::LabelSet> context = clip::LabelSet();
  if (!traits.independent) context = encoder.encode_context(*std::move(words), templates, progress);
  if (!context)
    return Error{context.error().code, "context words cannot be encoded: " + context.error().message +
                                           " (set context-words=\"\" to use none)"};
  Result<std::vector<std::string>> unfamiliar = encoder.unfamiliar(labels->labels);
  if (!unfamiliar) return unfamiliar.error();
  Vocabulary made = make_vocabulary(*std::move(labels), *std::move(context), *std::move(table), traits.alias_cosine);
  made.unfamiliar = *std::move(unfamiliar);
  return made;
}

Result<clip::LabelSet> encode_context(const LabelRequest& request, clip::LabelEncoder& encoder,
                                      const decide::PriorTable& table) {
  Result<std::vector<clip::Label>> words = find_context(request, encoder, table);
  if (!words) return words.error();
  return encoder.encode_context(*std::move(words), {}, {});
}

}  // namespace bcp::tag
