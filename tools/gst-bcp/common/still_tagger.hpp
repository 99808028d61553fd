// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels single pictures as the element labels frames: with a model, labels, context words, a prior table, and what
// people have taught.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/model.hpp"
#include "gst-bcp/common/command.hpp"
#include "image/preprocessor.hpp"
#include "onnx/execution.hpp"
#include "prior/group.hpp"
#include "tag/frame_encoder.hpp"
#include "tag/label_request.hpp"
#include "tag/stream_tagger.hpp"

namespace bcp::cli {

struct StillOptions {
  std::string model = clip::kBundledModel;
  tag::LabelRequest labels;  // of the bundle: those of the prior file, if it has any, else the model's own
  std::string prior;         // a prior file; empty: nothing was taught
  std::optional<double> threshold, prior_strength;
  image::Coverage coverage = image::Coverage::kCentre;
  onnx::SessionOptions execution;
};

// All options except --prior, whose meaning differs between commands.
void add_still(CLI::App& command, StillOptions& options);

class StillTagger {
 public:
  // With kReadOnly the prior file must exist. A damaged file, or one written with another model, is an error.
  static Result<std::unique_ptr<StillTagger>> open(const StillOptions& options, prior::PriorMode mode);

  // The unit embedding of a picture.
  Result<std::vector<float>> embed(const std::string& path);
  // Milliseconds of processor time, over all threads, that the last embed() spent in the model.
  double model_ms() const { return model_ms_; }

  const clip::Bundle& bundle() const { return model_->bundle(); }
  // What it says of itself: provider and precision.
  const clip::ImageEncoder& encoder() const { return model_->encoder(); }
  tag::StreamTagger& tagger() { return *tagger_; }
  const tag::TagSettings& settings() const { return settings_; }

  // Why no label is shown, or why probabilities are not calibrated, as a sentence; empty: neither.
  std::string remark() const;

  // Writes what was taught to the prior file, and keeps the statistics that streams have learnt. REQUIRES: opened with
  // a prior file and kReadWrite.
  Status save();

 private:
  StillTagger(const StillOptions& options, std::shared_ptr<clip::Model> model);
  Status open_prior(const std::string& path, prior::PriorMode mode, std::shared_ptr<prior::Learnt> stored);

  const image::Coverage coverage_;
  const std::shared_ptr<clip::Model> model_;
  tag::FrameEncoder frame_;
  tag::TagSettings settings_;
  std::shared_ptr<prior::PriorGroup> group_;
  std::shared_ptr<prior::Learnt> stored_;  // for the list of labels that the file has
  std::optional<tag::StreamTagger> tagger_;
  double model_ms_ = 0;
};

}  // namespace bcp::cli
