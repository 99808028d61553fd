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
      throw CLI::ValidationError("--preset", "\"" + word + "\" is none of paper|video");
    options.preset = word == "paper" ? adapt::Preset::kPaper : adapt::Preset::kVideo;
  };
  command
      .add_option_function<std::string>("--preset", preset,
                                        "Where the values below start from: the method to the letter, or what a camera "
                                        "wants (default: " +
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
         "mu: correct when the likeliest label is surer than this", paper.bcp.anchor_confidence,
         video.bcp.anchor_confidence);
  number("--strength", options.strength, {0, 1}, "Share of the correction that is added; 0: plain CLIP",
         paper.bcp.strength, video.bcp.strength);
  command
      .add_option("--anchors", options.anchors,
                  "How many of the likeliest labels the correction is averaged over, 1 to 3; 0: over all, each weighed "
                  "by the square of its probability (default: " +
                      defaults(paper.bcp.anchors, video.bcp.anchors) + ")")
      ->check(CLI::Range(0, 3).description(""))
      ->type_name("N")
      ->group(kCorrectionGroup);
  const auto flag = [&](const char* name, std::optional<bool>& value, const std::string& help) {
    // add_flag() would make an option that was not typed false, and the preset's true would be lost.
    command
        .add_flag_function(
            name, [&value](std::int64_t count) { value = count > 0; }, help)
        ->group(kCorrectionGroup);
  };
  flag("--keep-anchor", options.keep_anchor,
       "The likeliest label keeps plain CLIP's probability, the others share the rest anew; video does, unless "
       "--keep-anchor=false");
  flag("--warm-up", options.warm_up, "Correct nothing until what was learnt has settled");
  number("--shrinkage", options.shrinkage, {0, 1e9},
         "lambda: weight, in samples, of the assumption that labels are independent", paper.bcp.shrinkage,
         video.bcp.shrinkage);
  number("--half-life", options.half_life, {0, 1e12},
         "Learnt samples after which a sample counts half; 0: nothing is forgotten", paper.bcp.half_life,
         video.bcp.half_life);
  number("--novelty-distance", options.novelty_distance, {0, 2},
         "Learn a sample when it differs this much (1 - cosine of the embeddings) from the last one learnt; 0: always",
         paper.novelty.distance, video.novelty.distance);
  number("--novelty-interval", options.novelty_interval,
         {0, 1e6, "; these are seconds, the element's property has nanoseconds"},
         "Seconds after which a sample is learnt however alike; 0: never", paper.novelty.interval,
         video.novelty.interval);
}

Status check_novelty(const BcpOptions& options, const NoveltyNeeds& has) {
  const adapt::NoveltySettings novelty = options.settings().novelty;
  if (options.novelty_distance && novelty.distance > 0 && !has.embeddings)
    return Error{ErrorCode::kInvalid,
                 "--novelty-distance compares embeddings, and there are none: name those of the same pictures with "
                 "--embeddings, or leave it out"};
  if (!options.novelty_interval || novelty.interval == 0) return ok();
  if (novelty.distance == 0)
    return Error{ErrorCode::kInvalid,
                 "--novelty-interval changes nothing while every sample is learnt: set --novelty-distance too"};
  if (has.times) return ok();
  return Error{ErrorCode::kInvalid,
               std::string("--novelty-interval wants to know when each sample was seen: ") +
                   (has.time_option ? std::string("say so with ") + has.time_option + ", or leave it out"
                                    : "pictures have no time, leave it out")};
}

std::optional<std::string> novelty_warning(const BcpOptions& options, const NoveltyNeeds& has) {
  if (has.embeddings || options.settings().novelty.distance == 0) return std::nullopt;
  return std::string(
             "without --embeddings there is nothing to tell new samples from copies by: every sample is learnt, "
             "as with --novelty-distance 0, and not as the preset ") +
         name_of(options.preset) + " would have it";
}

}  // namespace bcp::cli
