// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/settings.hpp"

namespace bcp::gst {

adapt::AdapterSettings Settings::adapter(adapt::Preset running) const {
  adapt::AdapterSettings result = adapt::preset_settings(running);
  adapt::BcpSettings& bcp = result.bcp;
  bcp.anchor_confidence = anchor_confidence.value_or(bcp.anchor_confidence);
  bcp.strength = strength.value_or(bcp.strength);
  bcp.anchors = anchors.value_or(bcp.anchors);
  bcp.keep_anchor = keep_anchor.value_or(bcp.keep_anchor);
  bcp.warm_up = warm_up.value_or(bcp.warm_up);
  bcp.shrinkage = shrinkage.value_or(bcp.shrinkage);
  bcp.half_life = half_life.value_or(bcp.half_life);
  result.novelty.distance = novelty_distance.value_or(result.novelty.distance);
  result.novelty.interval = static_cast<double>(novelty_interval_ns(running)) / 1e9;
  return result;
}

std::uint64_t Settings::novelty_interval_ns(adapt::Preset running) const {
  return novelty_interval.value_or(static_cast<std::uint64_t>(adapt::preset_settings(running).novelty.interval * 1e9));
}

tag::LabelRequest Settings::label_request() const {
  return {label_source, label_source == tag::LabelSource::kFile ? labels_file : labels, prompt_template};
}

}  // namespace bcp::gst
