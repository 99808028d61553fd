// SPDX-License-Identifier: LGPL-2.1-or-later
// Everything frames are scored with: a bundle, its image tower, and what turns labels into embeddings, opened and found
// fit.
//
// Thread safety: bundle() is immutable; images(), worker() and labels() are for any number of threads. encoder() is the
// bare tower: what it says of itself may be read by any thread, and it may be run by one, while nobody uses images() or
// worker().

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
  // The text tower is looked at and not loaded: that is done when a label needs it.
  static Result<std::shared_ptr<Model>> open(const std::string& name_or_path, const onnx::SessionOptions& options);

  const Bundle& bundle() const { return bundle_; }  // its embedding size is known
  ImageEncoder& encoder() { return *encoder_; }
  SharedEncoder& images() { return images_; }
  ImageWorker& worker() { return worker_; }  // of images(), for those who do not wait
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
