// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A frame's way to its embedding, and that of parts of it: preprocess while the pixels are mapped, then have the
// pictures encoded, by whoever runs the model, with the pixels given back.
//
// All pictures of a frame go to the model at once. The whole frame's preprocessor is kept while frames stay alike; a
// part's is made anew each time, for parts move and change their size as they like, and making it (14 us for 64x128
// pixels, 30 us for 600x800) is little beside running it (0.15 ms, 1.8 ms), not to speak of the model.
//
// Thread safety: none. One instance belongs to one thread at a time.

#pragma once

#include <cstddef>
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

  // Which part of such frames the model sees. REQUIRES: configure() succeeded; so below.
  const image::Rect& seen() const { return seen_; }

  // Turns the whole frame into the model's input.
  void preprocess(const image::Picture& frame);
  // Turns these parts of it into the model's input, after the whole frame if that is wanted too. `coverage` holds for
  // each of them. REQUIRES: image::clip_part() gave the parts.
  Status preprocess(const image::Picture& frame, bool whole, std::span<const image::Rect> parts);

  // What was preprocessed last, to be encoded.
  clip::Pictures pictures();
  // The unit embedding of the frame, or of one of its parts: the normalised mean over its tiles. Counted in the order
  // they were preprocessed. Ask once for each; valid until the next frame. Fails for one that could not be encoded;
  // others of the frame may have been. REQUIRES: pictures() were encoded, or could not be.
  Result<std::span<const float>> embedding(std::size_t number = 0);

  // pictures() encoded, and the first embedding.
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
  std::size_t used_ = 0;                    // of tensor_
  std::vector<float> tensor_, embeddings_;  // as large as they ever had to be
};

}  // namespace bcp::tag
