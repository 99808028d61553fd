// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp model drift: how far embeddings and labels move when a model runs in another precision or on another
// provider, and what time that saves.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "decide/context_words.hpp"
#include "gst-bcp/common/encoding_progress.hpp"
#include "gst-bcp/common/options.hpp"
#include "gst-bcp/common/report.hpp"
#include "gst-bcp/common/still_tagger.hpp"
#include "gst-bcp/labelled/pictures.hpp"
#include "gst-bcp/model/commands.hpp"

namespace bcp::cli {
namespace {

struct DriftOptions {
  StillOptions still;
  std::vector<std::string> pictures;
  std::optional<double> least_cosine;
  bool json = false;
};

// A picture as one of the two runs sees it.
struct Seen {
  std::vector<float> embedding;
  std::size_t top = 0;  // the label with the highest score
  std::vector<bool> shown;
  double ms = 0;  // processor time in the model
};

struct Drift {
  std::vector<double> cosines, reference_ms, compared_ms;
  std::vector<std::string> pictures;          // those of the cosines
  std::size_t top_changed = 0;                // pictures
  std::size_t shown_changed = 0;              // pictures
  std::size_t appeared = 0, disappeared = 0;  // labels, over all pictures
  std::vector<std::string> faults;            // sentences
};

Result<Seen> see(StillTagger& still, const std::string& path) {
  Result<std::vector<float>> embedding = still.embed(path);
  if (!embedding) return embedding.error();
  tag::Outcome outcome;
  if (const Status looked = still.tagger().look(*embedding, still.settings(), outcome); !looked)
    return Error{looked.error().code, path + ": " + looked.error().message};
  Seen seen{.embedding = *std::move(embedding), .top = 0, .shown = {}, .ms = still.model_ms()};
  const auto& scores = outcome.scores.zero_shot_probability;
  const auto highest = std::max_element(scores.begin(), scores.end());
  seen.top = static_cast<std::size_t>(highest - scores.begin());
  for (const auto shown : outcome.shown) seen.shown.push_back(shown != 0);
  return seen;
}

void add(const Seen& reference, const Seen& compared, const std::string& path, Drift& drift) {
  drift.cosines.push_back(
      std::inner_product(reference.embedding.begin(), reference.embedding.end(), compared.embedding.begin(), 0.0));
  drift.pictures.push_back(path);
  drift.reference_ms.push_back(reference.ms);
  drift.compared_ms.push_back(compared.ms);
  if (reference.top != compared.top) ++drift.top_changed;
  if (reference.shown != compared.shown) ++drift.shown_changed;
  for (std::size_t k = 0; k < reference.shown.size(); ++k) {
    if (compared.shown[k] && !reference.shown[k]) ++drift.appeared;
    if (!compared.shown[k] && reference.shown[k]) ++drift.disappeared;
  }
}

// The two runs take turns at every picture, so that other work on the machine slows both down alike.
Result<Drift> measure_drift(StillTagger& reference, StillTagger& compared, const std::vector<std::string>& pictures) {
  Drift drift;
  EncodingProgress progress(pictures.size(), 0);
  for (const std::string& path : pictures) {
    const Result<Seen> expected = see(reference, path);
    const Result<Seen> found = expected ? see(compared, path) : expected;
    progress.done(1);
    if (found)
      add(*expected, *found, path, drift);
    else
      drift.faults.push_back(found.error().message);
  }
  if (drift.cosines.empty())
    return Error{ErrorCode::kInvalid, "no picture could be compared (" + drift.faults[0] + "): give others"};
  return drift;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string of_pictures(std::size_t count, const Drift& drift) {
  return std::to_string(count) + " of " + std::to_string(drift.cosines.size()) + " pictures";
}

std::string way_of(const StillTagger& still) {
  return still.encoder().precision() + " on " + still.encoder().provider();
}

void add_drift(const StillTagger& reference, const StillTagger& compared, const Drift& drift, Report& report) {
  report.add("model", reference.bundle().name, "model");
  report.add("reference",
             {{"precision", reference.encoder().precision()}, {"provider", reference.encoder().provider()}},
             "reference", way_of(reference));
  report.add("compared", {{"precision", compared.encoder().precision()}, {"provider", compared.encoder().provider()}},
             "compared", way_of(compared));
  report.add("pictures", drift.cosines.size(), "pictures",
             std::to_string(drift.cosines.size()) +
                 (drift.faults.empty() ? "" : "; " + std::to_string(drift.faults.size()) + " unreadable"));
  const auto lowest = std::min_element(drift.cosines.begin(), drift.cosines.end());
  const std::string& worst = drift.pictures[static_cast<std::size_t>(lowest - drift.cosines.begin())];
  report.add("cosine.mean", mean(drift.cosines), "cosine", "mean " + number_text("%.5f", mean(drift.cosines)));
  report.add("cosine.lowest", *lowest, "cosine", "lowest " + number_text("%.5f", *lowest));
  report.add("cosine.lowest_picture", worst, "cosine", "lowest for " + worst);
  report.add("top_label_changed", drift.top_changed, "top label",
             "another for " + of_pictures(drift.top_changed, drift));
  report.add("shown",
             {{"changed", drift.shown_changed}, {"appeared", drift.appeared}, {"disappeared", drift.disappeared}},
             "shown labels",
             "others for " + of_pictures(drift.shown_changed, drift) + " (" + std::to_string(drift.appeared) +
                 " appear, " + std::to_string(drift.disappeared) + " disappear)");
  const double before = median(drift.reference_ms), after = median(drift.compared_ms);
  report.add("ms.reference", before, "processor time", number_text("%.3g", before) + " ms a picture, reference");
  report.add("ms.compared", after, "processor time",
             number_text("%.3g", after) + " ms a picture, compared (" +
                 number_text("%.2f", before > 0 ? after / before : 1.0) + " times); medians, inference alone");
}

// A model without labels of its own is judged with everyday nouns, so that changes of labels can be counted.
Status choose_labels(StillOptions& options) {
  if (options.labels.source != tag::LabelSource::kBundle) return ok();
  const Result<clip::Bundle> bundle = open_bundle(options.model, onnx::Precision::kFp32);
  if (!bundle) return bundle.error();
  if (!bundle->text_bank.empty() || !bundle->textual) return ok();
  options.labels.source = tag::LabelSource::kText;
  for (const std::string& word : decide::default_context(*decide::PriorTable::everyday()))
    options.labels.labels += word + "\n";
  return ok();
}

Status drift(DriftOptions options) {
  const Result<std::vector<std::string>> pictures = find_pictures(options.pictures);
  if (!pictures) return pictures.error();
  if (pictures->empty())
    return Error{ErrorCode::kNotFound, "there is no picture in what was given: name pictures, or folders of them"};
  if (const Status chosen = choose_labels(options.still); !chosen) return chosen;
  StillOptions plain = options.still;
  plain.execution.provider = onnx::Provider::kCpu;
  plain.execution.precision = onnx::Precision::kFp32;
  const auto reference = StillTagger::open(plain, prior::PriorMode::kReadOnly);
  if (!reference) return reference.error();
  if ((*reference)->bundle().int8)
    return Error{ErrorCode::kUnsupported, "the model " + (*reference)->bundle().name +
                                              " is int8 itself, so there is nothing to compare it with: give the "
                                              "model it was made from, with its int8 variant beside the image tower"};
  const auto compared = StillTagger::open(options.still, prior::PriorMode::kReadOnly);
  if (!compared) return compared.error();
  const Result<Drift> measured = measure_drift(**reference, **compared, *pictures);
  if (!measured) return measured.error();

  for (std::size_t i = 0; i < std::min<std::size_t>(measured->faults.size(), 3); ++i)
    std::cerr << "note: " << printable(measured->faults[i]) << '\n';
  Report report;
  add_drift(**reference, **compared, *measured, report);
  if (options.json)
    report.print_json(std::cout);
  else
    report.print_table(std::cout);
  const double cosine = mean(measured->cosines);
  if (!options.least_cosine || cosine >= *options.least_cosine) return ok();
  return Error{ErrorCode::kInvalid, "the mean cosine is " + number_text("%.5f", cosine) + ", and " +
                                        number_text("%g", *options.least_cosine) +
                                        " or more is asked for (--least-cosine): " + way_of(**compared) +
                                        " moves the embeddings of " + (*reference)->bundle().name + " too far"};
}

}  // namespace

Command model_drift(CLI::App& group) {
  const auto options = std::make_shared<DriftOptions>();
  CLI::App& command = *group.add_subcommand(
      "drift",
      "Compare a model in the given precision and on the given provider with fp32 on the CPU provider: cosines of the "
      "embeddings of pictures, labels that change, and time.");
  command
      .add_option("PICTURES", options->pictures,
                  "Pictures, or folders of them, that the int8 variant was not calibrated with. They need no labels")
      ->required()
      ->type_name(" ");
  add_still(command, options->still);
  CLI::Option* const least = command.add_option("--least-cosine", options->least_cosine,
                                                "Fail where the mean cosine is lower (default: no bound)");
  require_between(*least->type_name("COSINE"), {-1, 1});
  command.add_flag("--json", options->json, "Print the findings as JSON");
  command.footer(
      "Examples:\n  gst-bcp model drift ~/Pictures --model ./my-clip --precision int8\n"
      "  gst-bcp model drift ~/Pictures --provider openvino --precision bf16 --threads 1");
  return {&command, [options] { return drift(*options); }};
}

}  // namespace bcp::cli
