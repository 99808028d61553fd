// SPDX-License-Identifier: LGPL-2.1-or-later
// A complete model: a bundle, its image tower, and the label encoder, opened and tested.
//
// Thread safety: bundle() is immutable; images(), worker() and labels() are for any number of threads. encoder() is the
// bare tower: any thread may call its getters, and one thread may run it while images() and worker() are unused.

#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"
#include "clip/image_encoder.hpp"
#include "clip/image_worker.hpp"
#include "clip/label_encoder.hpp"
#include "clip/shared_encoder.hpp"

namespace bcp::clip {

class Model {
 public:
  // The text tower is checked but not loaded; it is loaded when a label needs it.
  static Result<std::shared_ptr<Model>> open(const std::string& name_or_path, const onnx::SessionOptions& options);

  const Bundle& bundle() const { return bundle_; }  // its embedding size is known
  ImageEncoder& encoder() { return *encoder_; }
  SharedEncoder& images() { return images_; }
  ImageWorker& worker() { return worker_; }  // of images(), for callers that must not wait
  LabelEncoder& labels() { return *labels_; }

 private:
  Model(Bundle bundle, std::unique_ptr<ImageEncoder> encoder, std::unique_ptr<LabelEncoder> labels);
  Bundle bundle_;
  std::unique_ptr<ImageEncoder> encoder_;
  SharedEncoder images_;
  ImageWorker worker_;
  std::unique_ptr<LabelEncoder> labels_;
};

}  // namespace bcp::clip
