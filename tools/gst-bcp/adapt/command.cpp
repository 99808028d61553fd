// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/adapt/command.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "adapt/bcp.hpp"
#include "adapt/novelty.hpp"
#include "base/file.hpp"
#include "base/npy.hpp"
#include "clip/labels.hpp"
#include "eval/presence.hpp"
#include "eval/stream.hpp"
#include "gst-bcp/adapt/order_file.hpp"
#include "gst-bcp/common/bcp_options.hpp"
#include "gst-bcp/common/interrupt.hpp"
#include "gst-bcp/common/options.hpp"
#include "gst-bcp/common/presence_options.hpp"
#include "gst-bcp/common/program.hpp"
#include "gst-bcp/common/table.hpp"

namespace bcp::cli {
namespace {

struct AdaptOptions {
  std::string logits, embeddings, text, names, order;
  std::string out, out_probability, out_correction, out_anchors, presence;
  double scale = 100;
  double fps = 0;  // 0: rows have no times
  BcpOptions bcp;
  PresenceOptions of_presence;
};

// Presence of the stream's rows, each by itself.
class PresenceRows {
 public:
  static Result<std::unique_ptr<PresenceRows>> make(const AdaptOptions& options, const eval::Stream& stream) {
    Result<eval::PresenceSettings> settings = eval::load_presence({.context_text = options.of_presence.context_text,
                                                                   .context_names = options.of_presence.context_names,
                                                                   .table = options.of_presence.prior_table},
                                                                  options.of_presence.encoder());
    if (!settings) return settings.error();
    if (const Status fits = eval::check(*settings, stream); !fits) return fits.error();
    const Result<std::vector<clip::Label>> labels = clip::load_labels(options.names);
    if (!labels) return labels.error();
    if (labels->size() != stream.labels())
      return Error{ErrorCode::kInvalid, options.names + " has " + std::to_string(labels->size()) + " names for " +
                                            std::to_string(stream.labels()) +
                                            " labels: give one name per line, in the order of the columns"};
    std::vector<std::string> names;
    for (const clip::Label& label : *labels) names.push_back(label.name);
    return std::unique_ptr<PresenceRows>(new PresenceRows(std::move(*settings), names, stream));
  }

  // Valid until the next call.
  Result<std::span<const double>> of(const eval::Sample& sample) {
    if (const Status scored = rule_.score(scores_.of(sample), frame_); !scored) return scored.error();
    return std::span<const double>(frame_.probability);
  }
  std::size_t anchors() const { return rule_.anchors(); }

 private:
  PresenceRows(eval::PresenceSettings settings, const std::vector<std::string>& names, const eval::Stream& stream)
      : settings_(std::move(settings)), scores_(settings_, stream), rule_(names, settings_) {}

  const eval::PresenceSettings settings_;
  eval::AnchorScores scores_;
  eval::PresenceRule rule_;
  decide::PresenceFrame frame_;
};

// The output files. They get their names together, after the last row.
class Outputs {
 public:
  static Result<Outputs> create(const AdaptOptions& options, std::size_t rows, std::size_t labels) {
    Outputs outputs;
    const auto add = [&](const std::string& path, NpyType type, const std::vector<std::size_t>& shape,
                         std::optional<NpyWriter>& writer) -> Status {
      if (path.empty()) return ok();
      Result<NpyWriter> made = NpyWriter::create(path, type, shape);
      if (!made) return made.error();
      writer = std::move(*made);
      return ok();
    };
    if (Status made = add(options.out, NpyType::kFloat64, {rows, labels}, outputs.scores_); !made) return made.error();
    if (Status made = add(options.out_probability, NpyType::kFloat64, {rows, labels}, outputs.probability_); !made)
      return made.error();
    if (Status made = add(options.out_correction, NpyType::kFloat64, {rows, labels}, outputs.correction_); !made)
      return made.error();
    if (Status made = add(options.out_anchors, NpyType::kInt32, {rows}, outputs.anchors_); !made) return made.error();
    if (Status made = add(options.presence, NpyType::kFloat64, {rows, labels}, outputs.presence_); !made)
      return made.error();
    return outputs;
  }

  Status write(std::size_t row, const adapt::Scores& scores) {
    const double anchor = scores.anchor;
    if (scores_)
      if (Status written = scores_->row(row, scores.corrected); !written) return written;
    if (probability_)
      if (Status written = probability_->row(row, scores.probability); !written) return written;
    if (correction_)
      if (Status written = correction_->row(row, scores.correction); !written) return written;
    return anchors_ ? anchors_->row(row, {&anchor, 1}) : ok();
  }

  Status write_presence(std::size_t row, std::span<const double> presence) { return presence_->row(row, presence); }

  Status finish() {
    for (std::optional<NpyWriter>* file : {&scores_, &probability_, &correction_, &anchors_, &presence_})
      if (*file)
        if (Status finished = (*file)->finish(); !finished) return finished;
    return ok();
  }

 private:
  std::optional<NpyWriter> scores_, probability_, correction_, anchors_, presence_;
};

struct AdaptTally {
  std::size_t anchored = 0, learnt = 0;
};

// `presence` may be null.
Result<AdaptTally> adapt_rows(const AdaptOptions& options, eval::Stream& stream, OrderFile& order,
                              PresenceRows* presence, Outputs& outputs) {
  const adapt::AdapterSettings settings = options.bcp.settings();
  adapt::Bcp bcp(stream.labels());
  adapt::NoveltyGate gate;
  adapt::Scores scores;
  AdaptTally tally;
  for (std::size_t place = 0; place < stream.samples(); ++place) {
    if (Interrupt::came())
      return Error{ErrorCode::kRuntime, "stopped after " + std::to_string(place) + " of " +
                                            std::to_string(stream.samples()) + " rows: nothing was written"};
    const Result<std::size_t> row = order.row(place);
    if (!row) return row.error();
    const Result<eval::Sample> sample = stream.sample(*row);
    if (!sample) return sample.error();
    if (const Status corrected = bcp.correct(sample->logits, settings.bcp, scores); !corrected)
      return corrected.error();
    if (const Status written = outputs.write(*row, scores); !written) return written.error();
    if (presence) {
      const Result<std::span<const double>> probability = presence->of(*sample);
      if (!probability) return probability.error();
      if (const Status written = outputs.write_presence(*row, *probability); !written) return written.error();
    }
    tally.anchored += scores.anchor >= 0;
    const auto time = options.fps > 0 ? std::optional(static_cast<double>(place) / options.fps) : std::nullopt;
    if (stream.has_embeddings() && !gate.admit(sample->embedding, time, settings.novelty)) continue;
    if (const Status learnt = bcp.learn(sample->logits, settings.bcp); !learnt) return learnt.error();
    ++tally.learnt;
  }
  return tally;
}

Status check_outputs(const AdaptOptions& options) {
  std::set<std::string> targets;
  for (const std::string* path :
       {&options.out, &options.out_probability, &options.out_correction, &options.out_anchors, &options.presence})
    if (!path->empty() && !targets.insert(target_of(*path)).second)
      return Error{ErrorCode::kInvalid, *path + " would be written twice: give each output its own file"};
  return ok();
}

Status adapt_array(const AdaptOptions& options) {
  const NoveltyNeeds has = {
      .embeddings = !options.embeddings.empty(), .times = options.fps > 0, .time_option = "--fps"};
  if (Status novelty = check_novelty(options.bcp, has); !novelty) return novelty;
  if (Status distinct = check_outputs(options); !distinct) return distinct;
  Result<eval::Stream> stream = eval::Stream::open(
      {.logits = options.logits, .embeddings = options.embeddings, .text = options.text, .scale = options.scale});
  if (!stream) return stream.error();
  std::unique_ptr<PresenceRows> presence;
  if (!options.presence.empty()) {
    Result<std::unique_ptr<PresenceRows>> made = PresenceRows::make(options, *stream);
    if (!made) return made.error();
    presence = std::move(*made);
    if (const std::string note = eval::anchors_note(presence->anchors()); !note.empty())
      std::cerr << "gst-bcp: warning: " << note << "\n";
  }
  Result<OrderFile> order = OrderFile::open(options.order, stream->samples());
  if (!order) return order.error();
  const Interrupt interrupt;  // a half-written file is as large as the array, and must be removed
  Result<Outputs> outputs = Outputs::create(options, stream->samples(), stream->labels());
  if (!outputs) return outputs.error();
  if (const std::optional<std::string> warning = novelty_warning(options.bcp, has))
    std::cerr << "gst-bcp: warning: " << *warning << "\n";
  const Result<AdaptTally> tally = adapt_rows(options, *stream, *order, presence.get(), *outputs);
  if (!tally) return tally.error();
  if (Status finished = outputs->finish(); !finished) return finished;
  std::cout << printable(options.out.empty() ? options.presence : options.out) << ": " << stream->samples()
            << " rows of " << stream->labels() << " labels, " << tally->anchored << " with an anchor, " << tally->learnt
            << " learnt\n";
  return ok();
}

}  // namespace

Command adapt_command(CLI::App& app) {
  const auto options = std::make_shared<AdaptOptions>();
  CLI::App& command = *app.add_subcommand("adapt",
                                          "Correct an array of logits with Bayesian Conditional Priors, row by row: "
                                          "each row is corrected with what was learnt from "
                                          "the rows before it, then learnt. Arrays may be larger than the memory.");
  const auto input = [&](const char* name, std::string& path, const char* help) {
    return command.add_option(name, path, help)->type_name("FILE.npy");
  };
  input("--logits", options->logits,
        "Logits [rows, labels], of any numeric type; computed in float64. Alternative: --embeddings with --text");
  add_output(command, "--out", options->out, "Write the corrected logits: float64, rows as in --logits");
  input(
      "--order", options->order,
      "The order in which rows are processed: [rows], a permutation of 0 to rows - 1 (default: the order of the file)");
  input(
      "--embeddings", options->embeddings,
      "The rows' image embeddings [rows, numbers], for --novelty-distance and --context-text, or instead of --logits");
  input("--text", options->text,
        "The labels' text embeddings [labels, numbers]: with --embeddings, instead of --logits");
  CLI::Option* const scale = command.add_option(
      "--scale", options->scale, "Factor for --embeddings with --text: logits = scale * cosine (default: 100)");
  require_between(*scale->type_name("NUMBER"), {1e-6, 1e6});
  CLI::Option* const fps = command.add_option(
      "--fps", options->fps,
      "Frames per second, if rows are frames of a video; needed by --novelty-interval (default: rows have no times, "
      "and the interval never ends)");
  require_between(*fps->type_name("NUMBER"), {1e-6, 1e6});
  add_output(
      command, "--out-probability", options->out_probability,
      "Write the corrected probabilities: float64, the softmax of the corrected logits, except with --keep-anchor");
  add_output(command, "--out-correction", options->out_correction, "Write what was added to each logit: float64");
  add_output(command, "--out-anchors", options->out_anchors,
             "Write the anchor of each row: int32 [rows], the label's index, or -1 for a row without one");
  CLI::Option* const presence = add_output(
      command, "--presence", options->presence,
      "Write the presence probabilities: float64, of each row by itself. Computed from the uncorrected logits; "
      "needs --names");
  CLI::Option* const names = command.add_option("--names", options->names, "The labels' names, one per line");
  presence->needs(names->type_name("FILE"));
  add_bcp(command, options->bcp);
  add_presence(command, options->of_presence);
  command.final_callback([options] {
    if (options->logits.empty() && (options->embeddings.empty() || options->text.empty()))
      throw CLI::RequiredError("--logits FILE, or --embeddings FILE with --text FILE,");
    if (options->out.empty() && options->presence.empty()) throw CLI::RequiredError("--out FILE, or --presence FILE");
  });
  command.footer(
      "An output may replace an input file. If a row is invalid, nothing is written. --preset video without\n"
      "--embeddings learns every row, and prints a warning.\n\n"
      "Examples:\n  gst-bcp adapt --logits logits.npy --out corrected.npy\n"
      "  gst-bcp adapt --logits logits.npy --out corrected.npy --order order.npy --anchor-confidence 0.3 --anchors 2\n"
      "  gst-bcp adapt --embeddings pictures.npy --text labels.npy --names labels.txt --context-text context.npy \\\n"
      "    --context-names context.txt --presence presence.npy");
  const auto run = [options] {
    const Status done = adapt_array(*options);
    if (done) return kDone;
    say_failure(done.error().message);
    return Interrupt::came() ? kInterrupted : kFailed;
  };
  return {&command, {}, run};
}

}  // namespace bcp::cli
