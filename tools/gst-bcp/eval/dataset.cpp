// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/user_cache.hpp"
#include "clip/model.hpp"
#include "clip/prompts.hpp"
#include "eval/datasets/dataset.hpp"
#include "eval/datasets/spelling.hpp"
#include "eval/embedding_store.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/eval/pictures.hpp"
#include "gst-bcp/eval/source.hpp"
#include "tag/label_request.hpp"
#include "tag/stream_tagger.hpp"

namespace bcp::cli {
namespace {

Result<eval::Dataset> read_dataset(const DatasetOptions& options) {
  std::vector<eval::Absent> absent;
  Result<eval::Dataset> set = eval::open_dataset({options.dataset, options.root, options.list, options.limit}, absent);
  if (set || absent.empty()) return set;
  std::vector<Row> rows;
  for (const eval::Absent& each : absent) rows.push_back({"  " + each.path, each.what, "from " + each.source});
  std::cerr << "missing in " << printable(options.root) << ":\n";
  print_table(std::cerr, rows);
  return set;
}

struct EncodedLabels {
  clip::TextMatrix text;
  nlohmann::ordered_json renamed;    // labels that the model's bank names differently
  std::vector<std::string> aliases;  // per label, its word in the table; empty if it is spelt the same
  eval::PresenceSettings presence;   // the model's own settings
};

// Presence settings as the element uses them with this model. Sets the words of the labels in the table.
Status add_presence(clip::Model& model, const clip::LabelSet& labels, EncodedLabels& encoded) {
  const auto table = decide::PriorTable::everyday();
  Result<clip::LabelSet> context = tag::encode_context({}, model.labels(), *table);
  if (!context) return context.error();
  const tag::Vocabulary words =
      tag::make_vocabulary(labels, *context, table, clip::presence_traits(model.bundle()).alias_cosine);
  for (std::size_t k = 0; k < encoded.aliases.size(); ++k)
    if (encoded.aliases[k].empty()) encoded.aliases[k] = words.words[k].alias;
  const tag::Encoder encoder = tag::encoder_of(model.bundle());
  encoded.presence.context = tag::names_of(*context);
  encoded.presence.context_text = std::move(context->embeddings);
  encoded.presence.encoder = {encoder.prior_strength, encoder.scale.value_or(1), encoder.cut};
  return ok();
}

Result<EncodedLabels> encode_labels(const std::vector<std::string>& labels, const std::vector<std::string>& templates,
                                    clip::Model& model) {
  for (const std::string& each : templates)
    if (const Status sound = clip::check_template(each); !sound) return sound.error();
  EncodedLabels encoded;
  std::vector<std::string> names = labels;
  if (!model.bundle().textual) {
    const Result<clip::LabelSet> bank = model.labels().own();
    if (!bank) return bank.error();
    Result<std::vector<std::string>> known = eval::names_in_bank(labels, bank->labels, model.bundle().name);
    if (!known) return known.error();
    names = *std::move(known);
  }
  std::vector<clip::Label> wanted;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != labels[i]) encoded.renamed[labels[i]] = names[i];
    encoded.aliases.push_back(names[i] != labels[i] ? names[i] : "");
    wanted.push_back({.name = std::move(names[i])});
  }
  Result<clip::LabelSet> set = model.labels().encode(std::move(wanted), templates, {});
  if (!set) return set.error();
  if (const Status added = add_presence(model, *set, encoded); !added) return added.error();
  model.labels().release();
  encoded.text = std::move(set->embeddings);
  return encoded;
}

// One folder for each data set and way of encoding, with readable names.
Result<eval::EmbeddingStore> open_store(const DatasetOptions& options, const clip::Bundle& bundle) {
  std::string identity = options.dataset + "\n" + embedding_identity(bundle, options.coverage);
  // A published picture is the same in any folder; of other pictures, two may have the same name, size and time.
  if (options.dataset == "folder") identity.append("\n").append(target_of(options.root));
  const Result<std::string> sum = sha256(identity);
  if (!sum) return sum.error();
  const std::string name = options.dataset + "-" + sum->substr(0, 16);
  std::string folder = options.cache.empty() ? user_cache("eval/" + name) : options.cache + "/" + name;
  if (folder.empty())
    return Error{ErrorCode::kNotFound,
                 "there is no folder to cache embeddings in, because HOME is not set: give one "
                 "with --cache"};
  return eval::EmbeddingStore::open(folder, identity, static_cast<std::size_t>(bundle.embedding_size));
}

const char* nick_of(image::Coverage coverage) {
  switch (coverage) {
    case image::Coverage::kSquash:
      return "squash";
    case image::Coverage::kTiles:
      return "tiles";
    case image::Coverage::kCentre:
      break;
  }
  return "centre";
}

std::vector<std::string> templates_of(const DatasetOptions& options, const clip::Bundle& bundle) {
  if (!bundle.textual) return {};
  if (!options.templates.empty()) return options.templates;
  if (!bundle.templates.empty()) return bundle.templates;
  return {clip::kDefaultTemplate};
}

nlohmann::ordered_json settings_of(const DatasetOptions& options, const clip::Bundle& bundle,
                                   nlohmann::ordered_json renamed) {
  nlohmann::ordered_json settings = {{"dataset", options.dataset}, {"model", bundle.name}, {"root", options.root}};
  if (!options.list.empty()) settings["list"] = options.list;
  if (options.limit > 0) settings["limit"] = options.limit;
  settings["prompt-template"] = templates_of(options, bundle);
  settings["coverage"] = nick_of(options.coverage);
  settings["scale"] = bundle.logit_scale;
  settings["model-identity"] = bundle.identity;
  if (!renamed.empty()) settings["labels-in-bank"] = std::move(renamed);
  return settings;
}

Status check_positives(const eval::Truth& truth) {
  if (std::find(truth.values.begin(), truth.values.end(), std::int8_t{1}) != truth.values.end()) return ok();
  return Error{ErrorCode::kInvalid,
               "none of the " + std::to_string(truth.samples) +
                   " pictures shows a label, so nothing can be ranked: use more pictures, or check "
                   "that the data set's annotations are complete"};
}

}  // namespace

Result<EvalSource> open_dataset(const EvalOptions& all) {
  const DatasetOptions& options = all.dataset;
  // The longest work comes last: a wrong path or label is reported before pictures are encoded for an hour.
  Result<eval::Dataset> set = read_dataset(options);
  if (!set) return set.error();
  if (const Status some = check_positives(set->truth); !some) return some.error();
  const Result<std::shared_ptr<clip::Model>> model = clip::Model::open(options.model, options.execution);
  if (!model) return model.error();
  const clip::Bundle& bundle = (*model)->bundle();
  Result<EncodedLabels> labels = encode_labels(set->labels, options.templates, **model);
  if (!labels) return labels.error();
  Result<eval::EmbeddingStore> store = open_store(options, bundle);
  if (!store) return store.error();
  std::vector<std::string> warnings = set->notes;
  if (!store->note().empty()) warnings.push_back(store->note());
  if (bundle.scoring == clip::Scoring::kSigmoid)
    warnings.push_back(
        "The model " + bundle.name +
        " scores each label independently (sigmoid). Rankings are not affected; but the protocols that show "
        "labels treat its scores like CLIP's, so their figures are not valid for it.");

  Result<EncodedPictures> encoded = encode_pictures(*set, **model, options.coverage, *store);
  if (!encoded) return encoded.error();
  warnings.insert(warnings.end(), encoded->notes.begin(), encoded->notes.end());
  set->keep(encoded->rows);
  std::vector<std::int8_t>& truth = set->truth.values;
  if (all.difficult == eval::Difficult::kAbsent)
    std::replace(truth.begin(), truth.end(), std::int8_t{-1}, std::int8_t{0});
  // Checked again: the pictures with labels may have been unreadable.
  if (const Status some = check_positives(set->truth); !some) return some.error();
  Result<eval::Stream> stream = store->stream(encoded->pictures, std::move(labels->text), bundle.logit_scale);
  if (!stream) return stream.error();
  return EvalSource{*std::move(stream),         std::move(set->truth),
                    std::move(set->labels),     settings_of(options, bundle, std::move(labels->renamed)),
                    std::move(warnings),        std::move(labels->aliases),
                    std::move(labels->presence)};
}

}  // namespace bcp::cli
