// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Encodes a frame and parts of it: preprocesses while the pixels are mapped; then the pictures can be encoded on
// another thread, after the pixels are released.
//
// All pictures of a frame go to the model at once. The preprocessor of the whole frame is kept while the format stays
// the same. Those of parts are created each time, because parts move and change size. They are exact for every model:
// creating a close one takes twice as long (of NV12 64x128: 68 us instead of 31, 600x800: 125 instead of 57), which is
// what it saves (running: 37 us instead of 30, 77 instead of 142).
//
// Thread safety: none. One instance belongs to one thread at a time.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/shared_encoder.hpp"
#include "image/preprocessor.hpp"

namespace bcp::tag {

// How whole frames are prepared for a model that computes with this precision (clip::ImageEncoder::precision()):
// exactly only for fp32. Lower precisions round more than a close preparation does.
image::TensorSpec input_for(image::TensorSpec spec, const std::string& precision);

class FrameEncoder {
 public:
  FrameEncoder(int embedding_size, const image::TensorSpec& spec) : embedding_size_(embedding_size), spec_(spec) {}

  // Prepares for frames of this format. Does nothing if the format is unchanged.
  Status configure(const image::PictureFormat& format, image::Coverage coverage);

  // The part of such frames that the model sees. REQUIRES: configure() succeeded; same below.
  const image::Rect& seen() const { return seen_; }

  // Prepares the whole frame as the model's input.
  void preprocess(const image::Picture& frame);
  // Prepares these parts as the model's input, after the whole frame if `whole`. `coverage` applies to each part.
  // REQUIRES: the parts come from image::clip_part().
  Status preprocess(const image::Picture& frame, bool whole, std::span<const image::Rect> parts);

  // The pictures preprocessed last, to be encoded.
  clip::Pictures pictures();
  // The unit embedding of the frame or a part: the normalised mean over its tiles. Numbered in the order of
  // preprocessing. Call once for each; valid until the next frame. Fails if that picture could not be encoded; others
  // of the frame may have succeeded. REQUIRES: encoding pictures() was tried.
  Result<std::span<const float>> embedding(std::size_t number = 0);

  // Encodes pictures() and returns the first embedding.
  Result<std::span<const float>> infer(clip::SharedEncoder& encoder);

 private:
  void begin();
  void add(image::Preprocessor& preprocessor, const image::Picture& frame);

  int embedding_size_;
  image::TensorSpec spec_;
  image::PictureFormat format_;
  image::Coverage coverage_ = image::Coverage::kCentre;
  std::optional<image::Preprocessor> preprocessor_;  // of the whole frame
  image::Rect seen_;
  std::vector<int> first_{0};               // model input of each picture, and one past the last
  std::size_t used_ = 0;                    // numbers used in tensor_
  std::vector<float> tensor_, embeddings_;  // never shrink
};

}  // namespace bcp::tag
