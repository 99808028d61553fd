// SPDX-License-Identifier: LGPL-2.1-or-later
// Prepares a frame for the model: resize, crop, normalise, exactly as in the model's own preprocessing.
//
// The resize is Pillow's antialiased bicubic or bilinear (a = -0.5, the support grows with the scale, 8-bit rounding
// after the horizontal and after the vertical pass): models were trained on its output, and other filters shift their
// scores. torchvision's resize of tensors differs from Pillow's by one level of a byte in some pixels.
//
// A Preprocessor is built for one PictureFormat, or for a part of it, and allocates all tables and scratch memory then:
// run() allocates nothing.
//
// Thread safety: none. One instance belongs to one thread at a time.

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "base/result.hpp"
#include "image/picture.hpp"

namespace bcp::image {

struct Kernels;

// Which part of the picture the model sees.
enum class Coverage {
  kCentre,  // the model's default: CLIP's middle square, or the whole picture if TensorSpec::resize is kSquash
  kSquash,  // the whole picture, distorted to a square
  kTiles,   // the fewest overlapping squares that cover it along the longer side (2 for 16:9), at most kMaxTiles;
            // never distorted
};
// A picture longer than kMaxTiles : 1 still gets kMaxTiles squares, evenly spaced: the model does not see the gaps.
inline constexpr int kMaxTiles = 8;

// Limits of make(). Below kMinSide there is nothing to recognise; the upper limits only reject wrong values.
inline constexpr int kMinSide = 16, kMaxSide = 65536;
inline constexpr int kMaxPixelAspect = 64;  // and 1/64
inline constexpr int kMaxTensorSide = 4096;

// The part clipped to such pictures. Empty if the result is smaller than kMinSide.
std::optional<Rect> clip_part(const PictureFormat& format, const Rect& part);

// How a model's training pictures were rounded in resizing and cropping. The variants differ by at most one pixel,
// which changes the scores of a picture by a few hundredths.
enum class Crop {
  kClip,     // the longer side rounded down, half of the rest rounded to even: CLIP, torchvision
  kRounded,  // the longer side rounded to nearest, half of the rest rounded down
};

// The resize filter, in Pillow's form.
enum class Filter { kBicubic, kBilinear };

// The size that a picture of any shape is resized to.
enum class Resize {
  kShortest,  // the shorter side to the size, the other in proportion, then the middle square is cropped: CLIP
  kSquash,    // to a square, distorted: SigLIP
};

// How closely the tensor follows the model's own preprocessing.
enum class Accuracy {
  kExact,  // Pillow's bytes of the picture in red, green and blue
  kClose,  // pictures with planes of Y, U and V in half of the time: most values are the same or one level off, except
           // next to colours that red, green and blue cannot show; other pictures as kExact
};

// The model's input: size x size, channels first, (value / 255 - mean) / std.
struct TensorSpec {
  int size = 224;
  std::array<float, 3> mean{}, std{1, 1, 1};
  Crop crop = Crop::kClip;
  Filter filter = Filter::kBicubic;
  Resize resize = Resize::kShortest;
  // Size that pictures are resized to before the middle size x size is cropped, for example 256 for 224. 0: size.
  // Ignored with Coverage::kSquash.
  int resize_to = 0;
  Accuracy accuracy = Accuracy::kExact;
};

class Preprocessor {
 public:
  // Fails for sizes and values outside the limits above.
  static Result<Preprocessor> make(const PictureFormat& format, const TensorSpec& spec, Coverage coverage);
  // For a part of such pictures. The result is the same as for a picture of only that part, cut out after conversion to
  // red, green and blue; so any part works, also at odd positions with halved chroma. `coverage` and the limits apply
  // to the part. Also fails if the part is not inside the picture.
  static Result<Preprocessor> make(const PictureFormat& format, const Rect& part, const TensorSpec& spec,
                                   Coverage coverage);
  // With specific kernels instead of the fastest. The tensor is the same.
  static Result<Preprocessor> make(const PictureFormat& format, const Rect& part, const TensorSpec& spec,
                                   Coverage coverage, const Kernels& kernels);
  Preprocessor(Preprocessor&&) noexcept;
  Preprocessor& operator=(Preprocessor&&) noexcept;
  ~Preprocessor();

  // How many model inputs one picture gives: 1, or the number of tiles. The order in the tensor is that of the upright
  // picture: left to right, or top to bottom.
  int tiles() const;
  // Floats that run() writes: tiles() * 3 * size * size.
  std::size_t tensor_size() const;

  // REQUIRES: tensor.size() == tensor_size(), and `picture` (all of it) has the format passed to make().
  void run(const Picture& picture, std::span<float> tensor);

 private:
  struct Impl;
  explicit Preprocessor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bcp::image
