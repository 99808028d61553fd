// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A frame's way to its embedding: preprocess while the pixels are mapped, then infer with the pixels given back.
//
// Thread safety: none. One instance belongs to one thread at a time; the encoder may serve others besides.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "clip/shared_encoder.hpp"
#include "image/preprocessor.hpp"

namespace bcp::tag {

class FrameEncoder {
 public:
  // REQUIRES: `encoder` outlives this.
  FrameEncoder(clip::SharedEncoder& encoder, const image::TensorSpec& spec) : encoder_(encoder), spec_(spec) {}

  // Prepares for frames of this format. Does nothing when nothing changed.
  Status configure(const image::PictureFormat& format, image::Coverage coverage);

  // Turns the pixels into the model's input. REQUIRES: configure() succeeded.
  void preprocess(const image::Picture& picture);

  // Runs the model on what was preprocessed last. The frame's unit embedding, the normalised mean over its tiles; valid
  // until the next call.
  Result<std::span<const float>> infer();

 private:
  clip::SharedEncoder& encoder_;
  image::TensorSpec spec_;
  image::PictureFormat format_;
  image::Coverage coverage_ = image::Coverage::kCentre;
  std::optional<image::Preprocessor> preprocessor_;
  std::vector<float> tensor_, embeddings_;
};

}  // namespace bcp::tag
