// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The values behind the properties of a bcptagger.
//
// Immutable once published: a setter publishes a changed copy; each frame holds a reference to one consistent set.

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
  kAsync,  // no frame waits: it carries the newest available labels
};

enum class SkipStatic {
  kAuto,  // on in async mode, off in sync mode
  kOn,
  kOff,
};

enum class InferenceRegion { kFullFrame, kRoiList, kFullFrameAndRoi };

struct Settings {
  // Read at start.
  std::string model = clip::kBundledModel;
  onnx::SessionOptions encoder;
  std::string model_instance_id;  // empty: the model is not shared
  adapt::Preset preset = adapt::Preset::kVideo;
  std::string prior_file;  // empty: learnt statistics are not stored
  prior::PriorMode prior_mode = prior::PriorMode::kReadWrite;
  std::string prior_group;  // empty: each stream learns alone; may be the address of a fleet, with a password
  std::string prior_base;   // empty: none
  unsigned scenes = 1;      // 1: not distinguished
  Mode mode = Mode::kAuto;
  InferenceRegion inference_region = InferenceRegion::kFullFrame;
  std::string metrics_file;  // empty: no file

  // Read for each frame.
  bool enabled = true;
  std::string source_id;  // empty: the element's name
  std::string labels, labels_file, prompt_template;
  std::string context_words = tag::LabelRequest::kEveryday, prior_table = tag::LabelRequest::kEveryday;
  tag::LabelSource label_source = tag::LabelSource::kBundle;  // which of labels and labels_file was set last
  unsigned labels_serial = 0;                                 // incremented by each change of these
  adapt::Correction correction = adapt::Correction::kBcp;
  image::Coverage coverage = image::Coverage::kCentre;
  tag::PacingSettings pacing;
  SkipStatic skip_static = SkipStatic::kAuto;
  std::optional<decide::Rule> decision;            // not set: the preset's
  std::optional<double> threshold, threshold_off;  // not set: the default of the rule
  int top_k = 0;
  std::uint64_t min_duration = 0;  // nanoseconds, as is smoothing
  std::uint64_t smoothing = 1'000'000'000;
  double stream_prior = 0;
  std::optional<double> prior_strength;  // not set: the model's
  bool attach_embedding = false;
  PostMessages post_messages = PostMessages::kOff;
  unsigned prior_interval = 60;  // seconds between saves; 0: only at the end
  int max_regions = 16;
  unsigned metrics_interval = 10;  // seconds

  // Adapter values that were set; the others come from the preset.
  adapt::SetByHand by_hand;                       // all except the novelty interval
  std::optional<std::uint64_t> novelty_interval;  // nanoseconds; kept apart so that the property returns what was set

  // `running` is the preset of the running stream: the one it was started with.
  adapt::AdapterSettings adapter(adapt::Preset running) const;
  adapt::AdapterSettings adapter() const { return adapter(preset); }
  std::uint64_t novelty_interval_ns(adapt::Preset running) const;
  tag::LabelRequest label_request() const;
  // Whether whole frames are scored, not only regions.
  bool scores_frames() const { return inference_region != InferenceRegion::kRoiList; }
  decide::Rule rule(adapt::Preset running) const;
  // Nanoseconds over which results are averaged.
  std::int64_t averaged_over(adapt::Preset running) const;
  tag::TagSettings tagging(adapt::Preset running) const;
};

using SharedSettings = gst::Guarded<std::shared_ptr<const Settings>>;

}  // namespace bcp::tagger
