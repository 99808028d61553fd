// SPDX-License-Identifier: LGPL-2.1-or-later
// Single pictures, judged as the element judges frames: a model, labels, context words, a prior table, and what people
// have taught.

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

// All of them but --prior, whose meaning differs from command to command.
void add_still(CLI::App& command, StillOptions& options);

class StillTagger {
 public:
  // With kReadOnly the prior file must exist. A file that cannot be used is an error: one that is damaged, or that
  // another model has learnt.
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

  // A sentence about why no label is shown, or why probabilities are not calibrated; empty: nothing is wrong.
  std::string remark() const;

  // Writes what was taught to the prior file, and leaves what streams have learnt there as it is. REQUIRES: opened with
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
