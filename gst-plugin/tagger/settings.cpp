// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/settings.hpp"

#include <algorithm>

#include "tag/still_gate.hpp"

namespace bcp::tagger {

adapt::AdapterSettings Settings::adapter(adapt::Preset running) const {
  adapt::AdapterSettings result = by_hand.over(running);
  result.novelty.interval = static_cast<double>(novelty_interval_ns(running)) / 1e9;
  return result;
}

std::uint64_t Settings::novelty_interval_ns(adapt::Preset running) const {
  return novelty_interval.value_or(static_cast<std::uint64_t>(adapt::preset_settings(running).novelty.interval * 1e9));
}

tag::LabelRequest Settings::label_request() const {
  return {label_source, label_source == tag::LabelSource::kFile ? labels_file : labels, prompt_template, context_words,
          prior_table};
}

// The method of the paper decides by softmax.
decide::Rule Settings::rule(adapt::Preset running) const {
  return decision.value_or(running == adapt::Preset::kPaper ? decide::Rule::kSoftmax : decide::Rule::kPresence);
}

std::int64_t Settings::averaged_over(adapt::Preset running) const {
  if (rule(running) != decide::Rule::kPresence) return 0;
  return static_cast<std::int64_t>(std::min(smoothing, static_cast<std::uint64_t>(tag::StillGate::kLongest)));
}

tag::TagSettings Settings::tagging(adapt::Preset running) const {
  tag::TagSettings result{.correction = correction,
                          .adapter = adapter(running),
                          .rule = rule(running),
                          .decision = decide::settings_of(rule(running)),
                          .smoothing = static_cast<double>(smoothing) / 1e9,
                          .prior_strength = prior_strength,
                          .stream_prior = stream_prior};
  result.decision.threshold = threshold.value_or(result.decision.threshold);
  result.decision.threshold_off = threshold_off;
  result.decision.top_k = top_k;
  result.decision.min_duration = static_cast<double>(min_duration) / 1e9;
  return result;
}

}  // namespace bcp::tagger
