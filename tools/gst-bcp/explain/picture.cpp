// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/explain/picture.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

namespace bcp::cli::explain {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kWords = 3, kSources = 8, kListed = 20;
constexpr double kLeast = 0.0005;  // contribution of a source

std::vector<Word> likeliest_words(const decide::Presence& presence, const decide::PresenceFrame& frame) {
  std::vector<Word> words;
  for (std::size_t a = presence.labels(); a < frame.anchors.size(); ++a)
    words.push_back({presence.anchor(a), frame.anchors[a]});
  const auto end = words.begin() + static_cast<std::ptrdiff_t>(std::min(kWords, words.size()));
  std::partial_sort(words.begin(), end, words.end(), [](const Word& x, const Word& y) { return x.share > y.share; });
  words.erase(end, words.end());
  return words;
}

Origin origin_of(const decide::Presence& presence, const decide::PresenceFrame& frame, std::size_t label,
                 const decide::Taught& taught) {
  Origin origin{.label = presence.anchor(label),
                .is_known = presence.prior().is_known(label),
                .prior = frame.prior[label],
                .sources = {},
                .others = 0,
                .rest = 0,
                .offset = 0};
  if (const auto found = taught.offsets().find(origin.label); found != taught.offsets().end())
    origin.offset = found->second.mean + taught.offset();
  else
    origin.offset = taught.offset();
  for (std::size_t a = 0; a < frame.anchors.size(); ++a) {
    const double given = presence.prior().at(label, a);
    origin.sources.push_back({presence.anchor(a), frame.anchors[a], given, given * frame.anchors[a]});
  }
  std::stable_sort(origin.sources.begin(), origin.sources.end(),
                   [](const Source& x, const Source& y) { return x.adds > y.adds; });
  std::size_t kept = std::min<std::size_t>(1, origin.sources.size());
  while (kept < std::min(kSources, origin.sources.size()) && origin.sources[kept].adds >= kLeast) ++kept;
  for (std::size_t i = kept; i < origin.sources.size(); ++i) origin.rest += origin.sources[i].adds;
  origin.others = origin.sources.size() - kept;
  origin.sources.resize(kept);
  return origin;
}

Result<std::size_t> find_label(const std::string& name, const std::vector<clip::Label>& labels) {
  std::string all;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (labels[k].name == name) return k;
    if (k < kListed) all += (k == 0 ? "" : ", ") + labels[k].name;
  }
  return Error{ErrorCode::kNotFound, "--label: \"" + name + "\" is not one of the labels, which are " + all +
                                         (labels.size() > kListed ? ", ..." : "") +
                                         ": check the spelling, or give --labels"};
}

}  // namespace

Result<Explanation> explain_picture(const std::string& path, const StillOptions& options, const std::string& label) {
  const Result<std::unique_ptr<StillTagger>> opened = StillTagger::open(options, prior::PriorMode::kReadOnly);
  if (!opened) return opened.error();
  StillTagger& still = **opened;
  tag::StreamTagger& tagger = still.tagger();
  const std::vector<clip::Label>& labels = tagger.labels();
  std::size_t explained = 0;
  if (!label.empty()) {
    const Result<std::size_t> found = find_label(label, labels);
    if (!found) return found.error();
    explained = *found;
  }
  const Result<std::vector<float>> embedding = still.embed(path);
  if (!embedding) return embedding.error();
  tag::Outcome outcome;
  if (const Status looked = tagger.look(*embedding, still.settings(), outcome); !looked)
    return Error{looked.error().code, path + ": " + looked.error().message};

  const decide::Presence& presence = tagger.presence();
  const decide::Taught taught = tagger.learnt()->taught().copy();
  Explanation explanation{.title = std::filesystem::path(path).filename().string() + ", model " + still.bundle().name,
                          .presence = true,
                          .calibrated = outcome.calibrated,
                          .comparable = presence.can_decide(),
                          .threshold = outcome.threshold,
                          .context = outcome.context ? *outcome.context : "",
                          .context_weight = outcome.context_weight,
                          .words = likeliest_words(presence, outcome.presence),
                          .anchor = {},
                          .anchor_probability = kNotKnown,
                          .samples = tagger.samples(),
                          .taught = options.prior.empty() ? std::optional<std::uint64_t>() : taught.statements(),
                          .labels = {},
                          .origin = {},
                          .remark = still.remark()};
  for (std::size_t k = 0; k < labels.size(); ++k) {
    explanation.labels.push_back({.name = labels[k].name,
                                  .shown = outcome.shown[k] != 0,
                                  .plain_shown = outcome.shown_zero_shot[k] != 0,
                                  .threshold = labels[k].threshold.value_or(outcome.threshold),
                                  .probability = outcome.probability[k],
                                  .plain_softmax = outcome.scores.zero_shot_probability[k],
                                  .prior = outcome.presence.prior[k],
                                  .evidence = outcome.presence.evidence[k],
                                  .correction = kNotKnown});
  }
  if (!label.empty()) explanation.origin = origin_of(presence, outcome.presence, explained, taught);
  return explanation;
}

}  // namespace bcp::cli::explain
