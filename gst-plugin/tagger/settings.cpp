// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/settings.hpp"

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
  return {label_source, label_source == tag::LabelSource::kFile ? labels_file : labels, prompt_template};
}

}  // namespace bcp::tagger
