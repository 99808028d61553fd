// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/bcp_options.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <sstream>
#include <string>

#include "base/number_text.hpp"
#include "gst-bcp/common/options.hpp"

namespace bcp::cli {
namespace {

constexpr const char* kCorrectionGroup = "Correction";

// "0.5", or "0 for paper, 5 for video".
std::string defaults(double paper, double video) {
  if (paper == video) return number_text("%g", paper);
  return number_text("%g", paper) + " for paper, " + number_text("%g", video) + " for video";
}

}  // namespace

const char* name_of(adapt::Preset preset) {
  return preset == adapt::Preset::kPaper ? "paper" : "video";
}

void add_bcp(CLI::App& command, BcpOptions& options) {
  const adapt::AdapterSettings paper = adapt::preset_settings(adapt::Preset::kPaper),
                               video = adapt::preset_settings(adapt::Preset::kVideo);
  const auto preset = [&options](const std::string& word) {
    if (word != "paper" && word != "video")
      throw CLI::ValidationError("--preset", "\"" + word + "\" is not one of paper|video");
    options.preset = word == "paper" ? adapt::Preset::kPaper : adapt::Preset::kVideo;
  };
  command
      .add_option_function<std::string>(
          "--preset", preset,
          "Defaults of the options below: paper is the published method, video is tuned for "
          "cameras (default: " +
              std::string(name_of(options.preset)) + ")")
      ->type_name("paper|video")
      ->group(kCorrectionGroup);
  const auto number = [&](const char* name, std::optional<double>& value, const Bounds& bounds, const std::string& help,
                          double in_paper, double in_video) {
    CLI::Option* const option =
        command.add_option(name, value, help + " (default: " + defaults(in_paper, in_video) + ")");
    require_between(*option->type_name("NUMBER")->group(kCorrectionGroup), bounds);
  };
  number("--anchor-confidence", options.anchor_confidence, {0, 1},
         "mu: correct when the most likely label has a confidence above this", paper.bcp.anchor_confidence,
         video.bcp.anchor_confidence);
  number("--strength", options.strength, {0, 1}, "Share of the correction that is added, 0 to 1; 0: plain CLIP",
         paper.bcp.strength, video.bcp.strength);
  command
      .add_option("--anchors", options.anchors,
                  "Average the correction over this many of the most likely labels, 1 to 3; 0: over all, each weighted "
                  "by the square of its probability (default: " +
                      defaults(paper.bcp.anchors, video.bcp.anchors) + ")")
      ->check(CLI::Range(0, 3).description(""))
      ->type_name("N")
      ->group(kCorrectionGroup);
  const auto flag = [&](const char* name, std::optional<bool>& value, const std::string& help) {
    // add_flag() would set an option that was not given to false, which would override the preset's true.
    command
        .add_flag_function(
            name, [&value](std::int64_t count) { value = count > 0; }, help)
        ->group(kCorrectionGroup);
  };
  flag(
      "--keep-anchor", options.keep_anchor,
      "The most likely label keeps plain CLIP's probability, and the others share the rest (default: off for paper, on "
      "for video; --keep-anchor=false turns it off)");
  flag("--warm-up", options.warm_up, "Do not correct until the learnt statistics are stable");
  number("--shrinkage", options.shrinkage, {0, 1e9},
         "lambda: weight, in samples, of the assumption that labels are independent", paper.bcp.shrinkage,
         video.bcp.shrinkage);
  number("--half-life", options.half_life, {0, 1e12},
         "Number of learnt samples after which a sample counts half; 0: samples never lose weight", paper.bcp.half_life,
         video.bcp.half_life);
  number("--novelty-distance", options.novelty_distance, {0, 2},
         "Learn a sample if it differs by this much (1 - cosine of the embeddings) from the last one learnt; 0: always",
         paper.novelty.distance, video.novelty.distance);
  number("--novelty-interval", options.novelty_interval,
         {0, 1e6, "; this option is in seconds, the element's property in nanoseconds"},
         "Seconds after which a sample is learnt even if it does not differ; 0: never", paper.novelty.interval,
         video.novelty.interval);
}

Status check_novelty(const BcpOptions& options, const NoveltyNeeds& has) {
  const adapt::NoveltySettings novelty = options.settings().novelty;
  if (options.novelty_distance && novelty.distance > 0 && !has.embeddings)
    return Error{ErrorCode::kInvalid,
                 "--novelty-distance compares embeddings, but none were given: add --embeddings with those of the same "
                 "pictures, or leave it out"};
  if (!options.novelty_interval || novelty.interval == 0) return ok();
  if (novelty.distance == 0)
    return Error{ErrorCode::kInvalid,
                 "--novelty-interval has no effect while every sample is learnt: set --novelty-distance too"};
  if (has.times) return ok();
  return Error{ErrorCode::kInvalid,
               std::string("--novelty-interval needs the time of each sample: ") +
                   (has.time_option ? std::string("give it with ") + has.time_option + ", or leave it out"
                                    : "pictures have no times; leave it out")};
}

std::optional<std::string> novelty_warning(const BcpOptions& options, const NoveltyNeeds& has) {
  if (has.embeddings || options.settings().novelty.distance == 0) return std::nullopt;
  return std::string(
             "without --embeddings, new samples cannot be distinguished from copies: every sample is learnt, "
             "as with --novelty-distance 0, which differs from the preset ") +
         name_of(options.preset);
}

}  // namespace bcp::cli
