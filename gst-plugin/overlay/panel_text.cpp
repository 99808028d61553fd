// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/panel_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "overlay/clean_text.hpp"

namespace bcp::overlay {
namespace {

constexpr char kDot[] = " \u00b7 ";
constexpr char kMinus[] = "\u2212";
// Put around words of unknown direction, so that they do not reorder the text beside them.
constexpr char kIsolate[] = "\u2068", kEndIsolate[] = "\u2069";

int rounded(double value, double unit, double limit) {
  return std::isfinite(value) ? static_cast<int>(std::lround(std::clamp(value, -limit, limit) / unit)) : 0;
}

int hundredths(double probability) {
  return std::clamp(rounded(probability, 0.01, 1), 0, 100);
}

// Sorts NaN last.
double rank(double probability) {
  return std::isnan(probability) ? -std::numeric_limits<double>::infinity() : probability;
}

struct Candidate {
  double rank;
  guint index;
};

// Keeps the `most` most likely candidates, sorted, and returns the number of the others.
int keep_likeliest(std::vector<Candidate>& candidates, int most) {
  const auto kept = std::min(candidates.size(), static_cast<std::size_t>(std::max(most, 1)));
  const auto first = [](const Candidate& x, const Candidate& y) {
    return x.rank != y.rank ? x.rank > y.rank : x.index < y.index;
  };
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end(),
                    first);
  const auto more = static_cast<int>(candidates.size() - kept);
  candidates.resize(kept);
  return more;
}

bool is_presence(const GstBcpResult* result) {
  return gst_bcp_result_get_decision(result) == GST_BCP_DECISION_PRESENCE;
}

// A model that scores each label independently has no prior.
bool has_reasons(const GstBcpResult* result, const Settings& settings) {
  if (!is_presence(result) || !settings.compare || !(settings.show & kShowReason)) return false;
  guint size = 0;
  const gdouble* priors = gst_bcp_result_get_values(result, GST_BCP_SCORE_FIELD_PRIOR, &size);
  return size == 0 || !std::isnan(priors[0]);
}

// With compare, labels that only plain CLIP shows are part of the comparison. Without compare they show the effect of
// the correction, which presence does not use.
unsigned wanted_flags(const GstBcpResult* result, const Settings& settings) {
  unsigned wanted = GST_BCP_SCORE_SHOWN;
  const bool removed = settings.show & kShowRemoved && !is_presence(result);
  if (settings.compare || removed) wanted |= GST_BCP_SCORE_SHOWN_ZERO_SHOT;
  return wanted;
}

// The colour chosen by the user, else the one for the name.
Rgb chosen_colour(const GstBcpLabels* labels, guint index) {
  const gint chosen = gst_bcp_labels_get_color(labels, index);
  if (chosen < 0) return colour_of(gst_bcp_labels_get_name(labels, index));
  const auto part = [chosen](int shift) { return static_cast<std::uint8_t>(chosen >> shift & 255); };
  return {part(16), part(8), part(0)};
}

PanelLine line_of(const GstBcpResult* result, guint index, const Settings& settings) {
  const GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  const char* name = gst_bcp_labels_get_name(labels, index);
  PanelLine line;
  line.name = clean_text(name);
  line.colour = chosen_colour(labels, index);
  line.probability = hundredths(gst_bcp_result_get_probability(result, index));
  line.plain = hundredths(gst_bcp_result_get_zero_shot_softmax(result, index));
  if (has_reasons(result, settings)) {
    line.prior = hundredths(gst_bcp_result_get_prior(result, index));
    line.evidence = rounded(gst_bcp_result_get_evidence(result, index), 0.1, 99.9);
  } else if (settings.show & kShowCorrection && !is_presence(result)) {
    line.correction = rounded(gst_bcp_result_get_correction(result, index), 0.1, 99.9);
  }
  line.shown = gst_bcp_result_is_shown(result, index);
  line.plain_shown = gst_bcp_result_is_shown_zero_shot(result, index);
  line.anchor = settings.show & kShowAnchor && static_cast<gint>(index) == gst_bcp_result_get_anchor(result);
  return line;
}

// Other correction methods than BCP have no anchor.
bool is_corrected(const GstBcpResult* result) {
  guint size = 0;
  const gdouble* corrections = gst_bcp_result_get_values(result, GST_BCP_SCORE_FIELD_CORRECTION, &size);
  return std::any_of(corrections, corrections + size, [](gdouble correction) { return correction != 0; });
}

std::string named(const char* what, const char* name, double share) {
  return std::string(what) + kIsolate + clean_text(name, 40) + kEndIsolate + " " + probability_text(hundredths(share));
}

// Empty if a label explains the frame best.
std::string context_of(const GstBcpResult* result) {
  const char* word = gst_bcp_result_get_context(result);
  return word ? named("context: ", word, gst_bcp_result_get_context_weight(result)) : "";
}

std::string anchor_of(const GstBcpResult* result) {
  const gint anchor = gst_bcp_result_get_anchor(result);
  if (anchor >= 0) {
    const GstBcpLabels* labels = gst_bcp_result_get_labels(result);
    return named("anchor: ", gst_bcp_labels_get_name(labels, static_cast<guint>(anchor)),
                 gst_bcp_result_get_anchor_probability(result));
  }
  if (is_presence(result)) return "";
  return is_corrected(result) ? "corrected without an anchor" : "no anchor, no correction";
}

std::string footer_of(const GstBcpResult* result, const Settings& settings, bool has_lines) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += kDot;
    text += part;
  };
  const bool reason = settings.show & kShowReason && is_presence(result);
  const bool anchor = settings.show & kShowAnchor && settings.compare;
  const std::string context = reason && (settings.compare || !has_lines) ? context_of(result) : "";
  add(context);
  if (anchor && context.empty()) add(anchor_of(result));
  if (reason && settings.compare && std::isfinite(gst_bcp_result_get_threshold(result))) {
    add("shown from " + probability_text(hundredths(gst_bcp_result_get_threshold(result))));
  }
  if (anchor) {
    const double samples = gst_bcp_result_get_samples(result);
    const auto whole = std::isfinite(samples) ? std::llround(std::clamp(samples, 0.0, 1e15)) : 0LL;
    add("learnt from " + std::to_string(whole) + (whole == 1 ? " frame" : " frames"));
  }
  if (settings.compare && is_presence(result) && !gst_bcp_result_is_calibrated(result)) add("~ uncalibrated");
  return text;
}

}  // namespace

PanelText panel_text(const GstBcpResult* result, bool dimmed, const Settings& settings) {
  guint size = 0;
  const gdouble* probabilities = gst_bcp_result_get_values(result, GST_BCP_SCORE_FIELD_PROBABILITY, &size);
  const unsigned wanted = wanted_flags(result, settings);
  std::vector<Candidate> candidates;
  for (guint i = 0; i < size; ++i) {
    const bool is_wanted = settings.show & kShowAll || gst_bcp_result_get_flags(result, i) & wanted;
    if (is_wanted) candidates.push_back({rank(probabilities[i]), i});
  }

  PanelText text;
  text.dimmed = dimmed;
  text.compare = settings.compare;
  text.more = keep_likeliest(candidates, settings.max_lines);
  for (const Candidate& c : candidates) text.lines.push_back(line_of(result, c.index, settings));
  text.presence = is_presence(result);
  text.approximate = text.presence && !gst_bcp_result_is_calibrated(result);
  text.reasons = has_reasons(result, settings);
  // An empty panel would look broken, and no panel would look as if the frame was not scored.
  if (text.lines.empty() && settings.show & kShowReason && gst_bcp_result_get_context(result)) {
    text.note = "none of the labels";
  }
  if (text.empty()) return text;
  const char* source = gst_bcp_result_get_source_id(result);
  if (settings.show & kShowSource && source) text.heading = clean_text(source);
  text.footer = footer_of(result, settings, !text.lines.empty());
  return text;
}

PanelText panel_text(std::span<const Classified> labels, const Settings& settings) {
  std::vector<Candidate> candidates;
  for (const Classified& label : labels) {
    candidates.push_back({rank(label.probability), static_cast<guint>(candidates.size())});
  }
  PanelText text;
  text.more = keep_likeliest(candidates, settings.max_lines);
  for (const Candidate& c : candidates) {
    const Classified& label = labels[c.index];
    PanelLine line;
    line.name = clean_text(label.name);
    line.colour = colour_of(label.name);
    line.probability = line.plain = hundredths(label.probability);
    line.shown = line.plain_shown = true;
    text.lines.push_back(std::move(line));
  }
  return text;
}

std::string probability_text(int hundredths_of_one, bool approximate) {
  const std::string digits = std::to_string(hundredths_of_one % 100);
  std::string text = approximate ? "~" : "";
  return text.append(std::to_string(hundredths_of_one / 100)).append(digits.size() < 2 ? ".0" : ".").append(digits);
}

std::string correction_text(int tenths) {
  const int size = std::abs(tenths);
  return (tenths < 0 ? kMinus : "+") + std::to_string(size / 10) + "." + std::to_string(size % 10);
}

}  // namespace bcp::overlay
