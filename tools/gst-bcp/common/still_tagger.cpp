// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/still_tagger.hpp"

#include <CLI/CLI.hpp>
#include <ctime>
#include <filesystem>
#include <utility>

#include "gst-bcp/common/options.hpp"
#include "gst-bcp/common/picture_file.hpp"

namespace bcp::cli {
namespace {

constexpr char kOwner[] = "gst-bcp";

// As clip::parse_labels() reads them.
std::string list_of(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) {
    for (const char c : label) {
      if (c == ',' || c == '\\') text += '\\';
      text += c;
    }
    text += '\n';
  }
  return text;
}

class Saving final : public prior::PriorFile::Listener {
 public:
  void saved(const prior::PriorFile&, const prior::PriorFile::Saved& saved) noexcept override { status = saved.status; }
  Status status = ok();
};

}  // namespace

void add_still(CLI::App& command, StillOptions& options) {
  add_model(command, options.model);
  const auto set = [&options](tag::LabelSource source) {
    return [&options, source](const std::string& value) {
      options.labels.source = source;
      options.labels.labels = value;
    };
  };
  CLI::Option* const labels =
      command.add_option_function<std::string>("--labels,-l", set(tag::LabelSource::kText),
                                               "The labels of the stream (default: those of the prior file, else all "
                                               "labels of the model)");
  labels->type_name("LABEL,LABEL...");
  command
      .add_option_function<std::string>("--labels-file", set(tag::LabelSource::kFile),
                                        "The labels from a file: one per line, or JSON")
      ->type_name("FILE")
      ->excludes(labels);
  CLI::Option* const threshold = command.add_option(
      "--threshold,-t", options.threshold, "Show labels with at least this probability, 0 to 1 (default: 0.5)");
  require_between(*threshold->type_name("P"), {0, 1});
  command
      .add_option("--context-words", options.labels.context_words,
                  "Words that compete with the labels and are never shown: a file with one per line, or \"\" for none "
                  "(default: the model's own, else about 110 everyday nouns; a model without a text tower competes "
                  "with all of its labels)")
      ->type_name("FILE");
  command
      .add_option(
          "--prior-table", options.labels.prior_table,
          "How often labels occur together: a file written by `gst-bcp prior table`, or \"\" for none (default: a "
          "table of 80 everyday nouns)")
      ->type_name("FILE");
  CLI::Option* const strength = command.add_option("--prior-strength", options.prior_strength,
                                                   "Weight of --prior-table, 0 to 1 (default: the model's)");
  require_between(*strength->type_name("NUMBER"), {0, 1});
  add_coverage(command, options.coverage);
  add_execution(command, options.execution);
}

StillTagger::StillTagger(const StillOptions& options, std::shared_ptr<clip::Model> model)
    : coverage_(options.coverage),
      model_(std::move(model)),
      frame_(model_->images().embedding_size(), model_->bundle().tensor) {
  settings_.smoothing = 0;
  settings_.prior_strength = options.prior_strength;
  if (options.threshold) settings_.decision.threshold = *options.threshold;
}

Result<std::unique_ptr<StillTagger>> StillTagger::open(const StillOptions& options, prior::PriorMode mode) {
  std::error_code ignored;
  const bool exists = !options.prior.empty() && std::filesystem::exists(options.prior, ignored);
  std::vector<std::string> stored;
  if (!options.prior.empty() && (exists || mode == prior::PriorMode::kReadOnly)) {
    Result<prior::Snapshot> snapshot = prior::load_snapshot(options.prior);
    if (!snapshot) return snapshot.error();
    stored = std::move(snapshot->labels);
  }
  Result<std::shared_ptr<clip::Model>> model = clip::Model::open(options.model, options.execution);
  if (!model) return model.error();
  std::unique_ptr<StillTagger> still(new StillTagger(options, *std::move(model)));
  const clip::Bundle& bundle = still->bundle();
  Result<std::shared_ptr<prior::PriorGroup>> group = prior::PriorGroup::join("", bundle.identity);
  if (!group) return group.error();
  still->group_ = *std::move(group);
  // Checked first: with the file of another model, encoding its labels would fail with a misleading error.
  if (exists) {
    if (Status opened = still->open_prior(options.prior, mode, still->group_->learnt(stored)); !opened)
      return opened.error();
  }
  tag::LabelRequest request = options.labels;
  if (request.source == tag::LabelSource::kBundle && !stored.empty()) {
    request.source = tag::LabelSource::kText;
    request.labels = list_of(stored);
  }
  Result<tag::Vocabulary> words = tag::encode_labels(request, still->model_->labels(), tag::word_traits(bundle),
                                                     [](std::size_t, std::size_t) { return true; });
  if (!words) return words.error();
  still->model_->labels().release();
  still->tagger_.emplace(*std::move(words), tag::encoder_of(bundle));
  still->tagger_->join(still->group_);
  if (!options.prior.empty() && !exists) {
    if (Status opened = still->open_prior(options.prior, mode, still->tagger_->learnt()); !opened)
      return opened.error();
  }
  return still;
}

Status StillTagger::open_prior(const std::string& path, prior::PriorMode mode, std::shared_ptr<prior::Learnt> stored) {
  stored_ = std::move(stored);
  const Result<prior::PriorGroup::OpenedFile> opened = group_->open_file(path, mode, kOwner, *stored_);
  if (!opened) return opened.error();
  if (const auto& refused = opened->file->refused()) return *refused;
  group_->store_in_file(stored_);
  return ok();
}

std::string StillTagger::remark() const {
  if (bundle().scoring == clip::Scoring::kSigmoid)
    return tag::encoder_of(bundle()).sigmoid->measured
               ? ""
               : "probabilities are not calibrated: the model has no presence.slope and presence.offset "
                 "(models/README.md)";
  const std::size_t anchors = tagger_->words().anchors();
  const std::string words = std::to_string(anchors) + (anchors == 1 ? " word" : " words");
  if (anchors < decide::Presence::kFewest)
    return "no label is shown: a picture is compared with " + words + " only, and at least " +
           std::to_string(decide::Presence::kFewest) +
           " are needed; give more labels, or use a model with a text tower and context words";
  if (anchors < decide::Presence::kCalibrated)
    return "probabilities are not calibrated: a picture is compared with " + words + ", and " +
           std::to_string(decide::Presence::kCalibrated) + " or more are needed";
  if (!clip::presence_traits(bundle()).scale)
    return "probabilities are not calibrated: measure the scale of the model with gst-bcp model calibrate";
  return tag::unfamiliar_note(tagger_->words(), bundle().name);
}

Result<std::vector<float>> StillTagger::embed(const std::string& path) {
  const Result<PictureFile> file = PictureFile::read(path);
  if (!file) return file.error();
  if (const Status fits = frame_.configure(file->format(), coverage_); !fits)
    return Error{fits.error().code, path + ": " + fits.error().message};
  frame_.preprocess(file->picture());
  const std::clock_t before = std::clock();
  const Result<std::span<const float>> embedding = frame_.infer(model_->images());
  model_ms_ = 1000.0 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  if (!embedding) return Error{embedding.error().code, path + " cannot be encoded: " + embedding.error().message};
  return std::vector<float>(embedding->begin(), embedding->end());
}

Status StillTagger::save() {
  Saving saving;
  const std::shared_ptr<prior::PriorFile> file = group_->file();
  stored_->save(*file, saving);
  file->finish();
  return saving.status;
}

}  // namespace bcp::cli
