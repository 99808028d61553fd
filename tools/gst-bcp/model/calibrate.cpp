// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp model calibrate: measures how much a model's scores vary, and the scale that calibrates its probabilities.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/number_text.hpp"
#include "clip/model.hpp"
#include "decide/context_words.hpp"
#include "decide/presence.hpp"
#include "decide/scale_meter.hpp"
#include "gst-bcp/common/encoding_progress.hpp"
#include "gst-bcp/common/options.hpp"
#include "gst-bcp/common/picture_file.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/labelled/pictures.hpp"
#include "gst-bcp/model/commands.hpp"
#include "gst-bcp/model/presence_entry.hpp"
#include "tag/frame_encoder.hpp"

namespace bcp::cli {
namespace {

constexpr std::size_t kFewest = 20, kEnough = 100;  // pictures
// Pictures with embeddings closer than this to one of the last kCompared are copies: frames of one video.
constexpr float kCopy = 0.99f;
constexpr std::size_t kCompared = 50;

struct CalibrateOptions {
  std::string model;
  std::vector<std::string> pictures;
  bool dry_run = false;
  onnx::SessionOptions execution;
};

// The words that compete with a stream's labels, and the model's own labels; each once.
Result<clip::TextMatrix> find_words(clip::Model& model) {
  std::vector<clip::Label> words;
  for (std::string& word : decide::default_context(*decide::PriorTable::everyday()))
    words.push_back({.name = std::move(word)});
  const auto go_on = [](std::size_t, std::size_t) { return true; };
  if (!model.bundle().text_bank.empty()) {
    const Result<clip::LabelSet> own = model.labels().own();
    if (!own) return own.error();
    if (!model.bundle().textual) return own->embeddings;
    for (const clip::Label& label : own->labels) {
      const bool there =
          std::any_of(words.begin(), words.end(), [&](const auto& word) { return word.name == label.name; });
      if (!there) words.push_back({.name = label.name});
    }
  }
  const Result<clip::LabelSet> encoded = model.labels().encode(std::move(words), {}, go_on);
  if (!encoded) return encoded.error();
  model.labels().release();
  return encoded->embeddings;
}

struct Measured {
  decide::ScaleMeter meter;
  std::size_t copies = 0;
  std::vector<std::string> faults;  // sentences
};

bool is_copy(const std::vector<float>& embedding, const std::vector<std::vector<float>>& kept) {
  const auto from = kept.size() > kCompared ? kept.end() - kCompared : kept.begin();
  return std::any_of(from, kept.end(), [&](const std::vector<float>& other) {
    return std::inner_product(embedding.begin(), embedding.end(), other.begin(), 0.0f) > kCopy;
  });
}

Result<Measured> measure(clip::Model& model, const clip::TextMatrix& words, const std::vector<std::string>& pictures) {
  Measured measured;
  tag::FrameEncoder frame(model.images().embedding_size(), model.bundle().tensor);
  std::vector<std::vector<float>> kept;
  std::vector<double> scores(static_cast<std::size_t>(words.rows()));
  EncodingProgress progress(pictures.size(), 0);
  for (const std::string& path : pictures) {
    progress.done(1);
    const Result<PictureFile> file = PictureFile::read(path);
    const Status fits = file ? frame.configure(file->format(), image::Coverage::kCentre) : Status(Error(file.error()));
    if (!fits) {
      measured.faults.push_back(fits.error().message);
      continue;
    }
    frame.preprocess(file->picture());
    const Result<std::span<const float>> embedding = frame.infer(model.images());
    if (!embedding) {
      measured.faults.push_back(path + " cannot be encoded: " + embedding.error().message);
      continue;
    }
    std::vector<float> point(embedding->begin(), embedding->end());
    if (is_copy(point, kept)) {
      ++measured.copies;
      continue;
    }
    clip::score(words, point, model.bundle().logit_scale, scores);
    measured.meter.add(scores);
    kept.push_back(std::move(point));
  }
  return measured;
}

std::string sentence_of(const Measured& measured) {
  std::string text = counted(measured.meter.pictures(), "picture");
  if (measured.copies > 0)
    text +=
        "; " + std::to_string(measured.copies) + (measured.copies == 1 ? " near copy" : " near copies") + " ignored";
  if (!measured.faults.empty()) text += "; " + std::to_string(measured.faults.size()) + " unreadable";
  return text;
}

Status check(const Measured& measured, std::size_t words) {
  const std::size_t pictures = measured.meter.pictures();
  if (pictures < kFewest)
    return Error{ErrorCode::kInvalid, "at least " + std::to_string(kFewest) +
                                          " pictures that differ from each other are needed, and " +
                                          std::to_string(kEnough) + " are better; found: " + sentence_of(measured) +
                                          (measured.faults.empty() ? "" : " (" + measured.faults[0] + ")") +
                                          ": give more, of many places and objects"};
  if (words < 2 || !std::isfinite(measured.meter.spread()) || measured.meter.spread() <= 0)
    return Error{ErrorCode::kInvalid,
                 "the model gives all words the same score, so no scale can be measured: check the model with "
                 "gst-bcp model check"};
  return ok();
}

void print_notes(const Measured& measured, std::size_t words) {
  for (std::size_t i = 0; i < std::min<std::size_t>(measured.faults.size(), 3); ++i)
    std::cerr << "note: " << printable(measured.faults[i]) << '\n';
  if (measured.meter.pictures() < kEnough)
    std::cerr << "warning: measured on few pictures; " << kEnough
              << " or more, of many places and objects, make the scale "
              << "reliable\n";
  if (words < decide::Presence::kCalibrated)
    std::cerr << "warning: the model has " << words << " words and no text tower; with fewer than "
              << decide::Presence::kCalibrated << " words its probabilities stay uncalibrated\n";
}

Status calibrate(const CalibrateOptions& options) {
  const Result<std::vector<std::string>> pictures = find_pictures(options.pictures);
  if (!pictures) return pictures.error();
  if (pictures->size() < kFewest)
    return Error{ErrorCode::kInvalid, "at least " + std::to_string(kFewest) + " varied pictures are needed, and " +
                                          std::to_string(kEnough) + " are better; found: " +
                                          std::to_string(pictures->size()) + ": give more, or a folder of pictures"};
  const Result<std::shared_ptr<clip::Model>> model = clip::Model::open(options.model, options.execution);
  if (!model) return model.error();
  const clip::Bundle& bundle = (*model)->bundle();
  if (bundle.scoring == clip::Scoring::kSigmoid)
    return Error{ErrorCode::kUnsupported,
                 "the model " + bundle.name +
                     " scores each label by itself (sigmoid): it has no scale to measure. Its probabilities are "
                     "sigmoid(slope * logit + offset): fit both on labelled pictures and write them as presence.slope "
                     "and presence.offset to " +
                     presence_file(bundle)};
  const std::string file = presence_file(bundle);
  if (!options.dry_run) {
    if (const Status writable = check_replaceable(file); !writable)
      return Error{writable.error().code, writable.error().message +
                                              "; copy the model to your own folder, or use --dry-run to see the "
                                              "scale"};
  }
  const Result<clip::TextMatrix> words = find_words(**model);
  if (!words) return words.error();
  const auto word_count = static_cast<std::size_t>(words->rows());
  const Result<Measured> measured = measure(**model, *words, *pictures);
  if (!measured) return measured.error();
  if (const Status sound = check(*measured, word_count); !sound) return sound;
  print_notes(*measured, word_count);

  const clip::PresenceTraits before = clip::presence_traits(bundle);
  const double scale =
      std::stod(number_text("%.4g", measured->meter.scale()));  // it is not more exact than four digits
  if (!options.dry_run) {
    // A CLIP with OpenAI's scale keeps the default scale.
    clip::PresenceTraits traits;
    traits.scale = scale;
    traits.alias_cosine = before.alias_cosine;
    if (const Status written = write_presence(bundle, traits); !written) return written;
  }
  print_table(
      std::cout,
      {{"model", bundle.name},
       {"pictures", sentence_of(*measured)},
       {"words", std::to_string(word_count) + (bundle.textual ? ": everyday words and the model's own labels"
                                                              : ": the labels of the model, which has no text "
                                                                "tower")},
       {"mean sd", number_text("%.4g", measured->meter.spread()) + " of the scores of a picture (CLIP ViT-B/32 has " +
                       number_text("%.4g", decide::ScaleMeter::kSpread) + ")"},
       {"scale",
        number_text("%.4g", scale) + (before.scale ? ", was " + number_text("%.4g", *before.scale) : ", was unknown")},
       {"written to", options.dry_run ? "nothing (--dry-run)" : file}});
  return ok();
}

}  // namespace

Command model_calibrate(CLI::App& group) {
  const auto options = std::make_shared<CalibrateOptions>();
  CLI::App& command = *group.add_subcommand(
      "calibrate",
      "Measure the presence scale of a model on varied pictures and write it to bundle.json, or to presence.json for a "
      "model without one. It calibrates the probabilities of encoders other than CLIP ViT-B/32.");
  command.add_option("MODEL", options->model, "A model: its directory, or a name that `gst-bcp model list` shows")
      ->required()
      ->type_name("DIR|NAME");
  command
      .add_option("PICTURES", options->pictures,
                  "Pictures, or folders of pictures: at least 20 different ones, better 100, of many places and "
                  "objects. They need no labels")
      ->required()
      ->type_name(" ");
  command.add_flag("--dry-run", options->dry_run, "Print the scale and write nothing");
  add_execution(command, options->execution);
  command.footer(
      "The scale is 2.0 / mean sd, where mean sd is the mean over the pictures of the standard deviation over about "
      "110\n"
      "everyday words and the model's own labels of its scores. Frames of one video are near copies and count once.\n\n"
      "Example:\n  gst-bcp model calibrate ./my-clip ~/Pictures --dry-run");
  return {&command, [options] { return calibrate(*options); }};
}

}  // namespace bcp::cli
