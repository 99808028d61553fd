// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A frame's way to its embedding: preprocess while the pixels are mapped, then have the pictures encoded, by whoever
// runs the model, with the pixels given back.
//
// Thread safety: none. One instance belongs to one thread at a time.

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
  FrameEncoder(int embedding_size, const image::TensorSpec& spec) : embedding_size_(embedding_size), spec_(spec) {}

  // Prepares for frames of this format. Does nothing when nothing changed.
  Status configure(const image::PictureFormat& format, image::Coverage coverage);

  // Turns the pixels into the model's input. REQUIRES: configure() succeeded.
  void preprocess(const image::Picture& picture);

  // What was preprocessed last, to be encoded.
  clip::Pictures pictures();
  // The frame's unit embedding, the normalised mean over its tiles; valid until the next frame. REQUIRES: pictures()
  // were encoded.
  Result<std::span<const float>> embedding();

  // Both at once.
  Result<std::span<const float>> infer(clip::SharedEncoder& encoder);

 private:
  int embedding_size_;
  image::TensorSpec spec_;
  image::PictureFormat format_;
  image::Coverage coverage_ = image::Coverage::kCentre;
  std::optional<image::Preprocessor> preprocessor_;
  std::vector<float> tensor_, embeddings_;
};

}  // namespace bcp::tag
