// SPDX-License-Identifier: LGPL-2.1-or-later
// A frame's way into the model: resize, crop, normalise, exactly as the model's own preprocessing does.
//
// The resize is Pillow's antialiased bicubic or bilinear (a = -0.5, the support grows with the scale, 8-bit rounding
// after the horizontal and again after the vertical pass): models were trained on its output, and others shift their
// scores. torchvision's resize of tensors differs from Pillow's by one level of a byte in some pixels.
//
// A Preprocessor is built for one PictureFormat, or for a part of it, and holds every table and every byte of scratch
// memory it needs: run() allocates nothing.
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
  kCentre,  // the model's own way: CLIP's middle square, or the whole picture where TensorSpec::resize is kSquash
  kSquash,  // the whole picture, its shape lost
  kTiles,   // as few overlapping squares as cover it along the longer side (2 for 16:9), at most kMaxTiles; they keep
            // their shape with every model
};
// A picture longer than kMaxTiles : 1 still gets kMaxTiles squares, evenly spread from end to end: the gaps between
// them are not seen.
inline constexpr int kMaxTiles = 8;

// What make() accepts. Below kMinSide there is nothing to recognise; the upper limits only keep nonsense out.
inline constexpr int kMinSide = 16, kMaxSide = 65536;
inline constexpr int kMaxPixelAspect = 64;  // and 1/64
inline constexpr int kMaxTensorSide = 4096;

// What of this part is inside such pictures. None if that is below kMinSide, or nothing.
std::optional<Rect> clip_part(const PictureFormat& format, const Rect& part);

// Which whole pixels a model's pictures were resized and cut to when it was trained. They differ by one at most, which
// moves the scores of a picture by a few hundredths.
enum class Crop {
  kClip,     // the longer side cut to whole pixels, half of the rest rounded to even: CLIP, torchvision
  kRounded,  // the longer side rounded, half of the rest cut
};

// The resize filter, Pillow's form of it.
enum class Filter { kBicubic, kBilinear };

// What a picture of any shape is resized to.
enum class Resize {
  kShortest,  // its shorter side to the size, the other in proportion; then the middle square is cut out: CLIP
  kSquash,    // to a square, its shape lost: SigLIP
};

// What the model wants: size x size, channels first, (value / 255 - mean) / std.
struct TensorSpec {
  int size = 224;
  std::array<float, 3> mean{}, std{1, 1, 1};
  Crop crop = Crop::kClip;
  Filter filter = Filter::kBicubic;
  Resize resize = Resize::kShortest;
  // Pixels that pictures are resized to before the middle size x size is cut out: 256 for 224, for one. 0: size.
  // Coverage::kSquash does without it: it shows the whole picture.
  int resize_to = 0;
};

class Preprocessor {
 public:
  // Fails, with a sentence that says what is wrong, for sizes and values outside the limits above.
  static Result<Preprocessor> make(const PictureFormat& format, const TensorSpec& spec, Coverage coverage);
  // For a part of such pictures: what it writes is what a picture of that part alone, cut out after its conversion to
  // red, green and blue, would make. So any part can be cut out, at odd places of halved chroma too. `coverage` is that
  // of the part, and so are the limits. Fails also for a part that is not inside the picture.
  static Result<Preprocessor> make(const PictureFormat& format, const Rect& part, const TensorSpec& spec,
                                   Coverage coverage);
  // With other kernels than this processor's fastest. The tensor is the same.
  static Result<Preprocessor> make(const PictureFormat& format, const Rect& part, const TensorSpec& spec,
                                   Coverage coverage, const Kernels& kernels);
  Preprocessor(Preprocessor&&) noexcept;
  Preprocessor& operator=(Preprocessor&&) noexcept;
  ~Preprocessor();

  // How many model inputs one picture makes: 1, or the number of tiles. Tiles follow each other in the tensor as they
  // do in the upright picture: left to right, or top to bottom.
  int tiles() const;
  // Floats that run() writes: tiles() * 3 * size * size.
  std::size_t tensor_size() const;

  // REQUIRES: tensor.size() == tensor_size(), and `picture` (all of it) has the format this was made for.
  void run(const Picture& picture, std::span<float> tensor);

 private:
  struct Impl;
  explicit Preprocessor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace bcp::image
