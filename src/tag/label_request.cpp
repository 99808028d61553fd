// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/label_request.hpp"

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
    return Error{loaded.error().code, "prior-table: " + loaded.error().message +
                                          " (gst-bcp prior table makes such a file; everyday is the built-in one)"};
  return std::make_shared<const decide::PriorTable>(*std::move(loaded));
}

Result<std::vector<clip::Label>> find_context(const std::string& name, const decide::PriorTable& table) {
  std::vector<clip::Label> words;
  if (name.empty()) return words;
  if (name == LabelRequest::kEveryday) {
    for (std::string& word : decide::default_context(table)) words.push_back({.name = std::move(word)});
    return words;
  }
  Result<std::vector<clip::Label>> loaded = clip::load_labels(name);
  if (!loaded) return Error{loaded.error().code, "context-words: " + loaded.error().message};
  if (loaded->size() > decide::kMaxContextWords)
    return Error{ErrorCode::kInvalid, "context-words: " + name + " has " + std::to_string(loaded->size()) +
                                          " words, more than the " + std::to_string(decide::kMaxContextWords) +
                                          " that may compete with the labels: about 100 everyday nouns work best"};
  return loaded;
}

}  // namespace

Result<Vocabulary> encode_labels(const LabelRequest& request, clip::LabelEncoder& encoder,
                                 std::optional<double> alias_cosine, const clip::LabelEncoder::Progress& progress) {
  std::vector<std::string> templates;
  if (!request.templates.empty()) {
    Result<std::vector<std::string>> parsed = clip::parse_templates(request.templates);
    if (!parsed) return parsed.error();
    templates = *std::move(parsed);
  }
  // Files first: a mistake in one is reported before minutes of encoding.
  Result<std::shared_ptr<const decide::PriorTable>> table = find_table(request.prior_table);
  if (!table) return table.error();
  Result<std::vector<clip::Label>> words = find_context(request.context_words, **table);
  if (!words) return words.error();
  Result<clip::LabelSet> labels = encode_own(request, templates, encoder, progress);
  if (!labels) return labels.error();
  Result<clip::LabelSet> context = encoder.encode_context(*std::move(words), templates, progress);
  if (!context)
    return Error{context.error().code,
                 "context words cannot be encoded: " + context.error().message + " (context-words=\"\" does without)"};
  return make_vocabulary(*std::move(labels), *std::move(context), *std::move(table), alias_cosine);
}

}  // namespace bcp::tag
