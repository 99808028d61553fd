// SPDX-License-Identifier: LGPL-2.1-or-later
#include "support/picture_file.hpp"

#include <exception>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/file.hpp"

namespace bcp::cli {
namespace {

constexpr std::size_t kMaxFile = std::size_t{1} << 30;

}  // namespace

Result<PictureFile> PictureFile::read(const std::string& path) try {
  const Result<std::string> bytes = read_file(path, kMaxFile);
  if (!bytes) return Error{bytes.error().code, bytes.error().message + "; name a picture, such as a JPEG or a PNG"};
  if (bytes->empty()) return Error{ErrorCode::kInvalid, path + " is empty: name a picture, such as a JPEG or a PNG"};
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);  // the error says it
  const cv::Mat encoded(1, static_cast<int>(bytes->size()), CV_8UC1, const_cast<char*>(bytes->data()));
  cv::Mat pixels = cv::imdecode(encoded, cv::IMREAD_COLOR);
  if (pixels.empty())
    return Error{ErrorCode::kInvalid,
                 path + " is no picture that can be read: it is damaged or of another kind; convert it to JPEG or PNG"};
  return PictureFile(std::move(pixels));
} catch (const std::exception& error) {  // OpenCV throws for pictures past its limits
  return Error{
      ErrorCode::kInvalid,
      path + " cannot be read: it is damaged, or larger than 2^30 pixels; convert it to a smaller JPEG or PNG"};
}

image::PictureFormat PictureFile::format() const {
  image::PictureFormat format;
  format.layout = image::Layout::kPacked;
  format.width = pixels_.cols;
  format.height = pixels_.rows;
  format.pixel_step = 3;
  format.rgb_offset = {2, 1, 0};
  return format;
}

image::Picture PictureFile::picture() const {
  return {{pixels_.data}, {static_cast<std::ptrdiff_t>(pixels_.step[0])}};
}

}  // namespace bcp::cli
