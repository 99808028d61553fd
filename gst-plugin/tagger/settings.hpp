// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What the user chose about a bcptagger: the values behind its properties.
//
// Immutable once published: a setter makes a changed copy, a frame takes a reference and sees one consistent set.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "clip/image_encoder.hpp"
#include "image/preprocessor.hpp"
#include "prior/file.hpp"
#include "support/guarded.hpp"
#include "tag/label_request.hpp"
#include "tag/pacing.hpp"
#include "tag/stream_tagger.hpp"

namespace bcp::tagger {

enum class PostMessages { kOff, kResults, kEvents };

enum class Mode {
  kAuto,   // kAsync when the pipeline is live
  kSync,   // a frame waits for its own labels
  kAsync,  // no frame waits: it carries the newest labels there are
};

enum class SkipStatic {
  kAuto,  // in async mode
  kOn,
  kOff,
};

enum class InferenceRegion { kFullFrame, kRoiList, kFullFrameAndRoi };

struct Settings {
  // Read at start.
  std::string model = clip::kBundledModel;
  onnx::SessionOptions encoder;
  std::string model_instance_id;  // empty: a model of its own
  adapt::Preset preset = adapt::Preset::kVideo;
  std::string prior_file;  // empty: nothing is kept
  prior::PriorMode prior_mode = prior::PriorMode::kReadWrite;
  std::string prior_group;  // empty: each stream learns for itself
  Mode mode = Mode::kAuto;
  InferenceRegion inference_region = InferenceRegion::kFullFrame;
  std::string metrics_file;  // empty: none

  // Read at each frame.
  bool enabled = true;
  std::string source_id;  // empty: the element's name
  std::string labels, labels_file, prompt_template;
  std::string context_words = tag::LabelRequest::kEveryday, prior_table = tag::LabelRequest::kEveryday;
  tag::LabelSource label_source = tag::LabelSource::kBundle;  // which of labels and labels_file was set last
  unsigned labels_serial = 0;                                 // grows with every setting of these
  adapt::Correction correction = adapt::Correction::kBcp;
  image::Coverage coverage = image::Coverage::kCentre;
  tag::PacingSettings pacing;
  SkipStatic skip_static = SkipStatic::kAuto;
  std::optional<decide::Rule> decision;            // none: the preset's
  std::optional<double> threshold, threshold_off;  // none: by the rule
  int top_k = 0;
  std::uint64_t min_duration = 0;  // nanoseconds; so below
  std::uint64_t smoothing = 1'000'000'000;
  double stream_prior = 0;
  std::optional<double> prior_strength;  // none: the model's
  bool attach_embedding = false;
  PostMessages post_messages = PostMessages::kOff;
  unsigned prior_interval = 0;  // seconds between saves; 0: only at the end
  int max_regions = 16;
  unsigned metrics_interval = 10;  // seconds

  // Adapter values set by hand; the rest are the preset's.
  adapt::SetByHand by_hand;                       // but for
  std::optional<std::uint64_t> novelty_interval;  // nanoseconds, as they were given

  // With the preset of a running stream, which is that of its start.
  adapt::AdapterSettings adapter(adapt::Preset running) const;
  adapt::AdapterSettings adapter() const { return adapter(preset); }
  std::uint64_t novelty_interval_ns(adapt::Preset running) const;
  tag::LabelRequest label_request() const;
  decide::Rule rule(adapt::Preset running) const;
  // Nanoseconds over which results are averaged.
  std::int64_t averaged_over(adapt::Preset running) const;
  tag::TagSettings tagging(adapt::Preset running) const;
};

using SharedSettings = gst::Guarded<std::shared_ptr<const Settings>>;

}  // namespace bcp::tagger
