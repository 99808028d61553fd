// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture read from a file: JPEG, PNG, WebP, TIFF, BMP and the other formats of OpenCV.
//
// It becomes 8 bits a channel, red, green and blue: 16 bits are cut to 8, grey is spread over three channels, CMYK is
// converted, alpha is dropped as the element drops it. The EXIF orientation is applied, as the element applies a
// stream's orientation tag (CLIP's own preprocessing with Pillow leaves it to the caller).

#pragma once

#include <opencv2/core/mat.hpp>
#include <string>

#include "base/result.hpp"
#include "image/picture.hpp"

namespace bcp::cli {

class PictureFile {
 public:
  static Result<PictureFile> read(const std::string& path);

  image::PictureFormat format() const;
  // Valid while this lives.
  image::Picture picture() const;

 private:
  explicit PictureFile(cv::Mat pixels) : pixels_(std::move(pixels)) {}
  cv::Mat pixels_;  // blue, green, red
};

// Whether OpenCV can write such files.
bool can_write_picture(const std::string& path);

}  // namespace bcp::cli
