// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/picture_file.hpp"

#include <exception>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string_view>

#include "base/file.hpp"

namespace bcp::cli {
namespace {

constexpr std::size_t kMaxPictureFile = std::size_t{1} << 30;

// Whether the end of a JPEG is missing: its decoder fills the rest with grey and reports nothing. Before the pixels are
// segments with their length (one may contain a whole small JPEG, a preview); after the pixels an end marker must
// follow.
bool is_cut_jpeg(std::string_view bytes) {
  if (!bytes.starts_with("\xff\xd8")) return false;
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])); };
  for (std::size_t at = 2; at + 4 <= bytes.size() && byte(at) == 0xff;) {
    if (byte(at + 1) == 0xda) return bytes.find("\xff\xd9", at) == std::string_view::npos;
    at += byte(at + 1) == 0xff ? 1 : 2 + byte(at + 2) * 256 + byte(at + 3);
  }
  return false;  // not a JPEG: left to the decoder
}

}  // namespace

Result<PictureFile> PictureFile::read(const std::string& path) try {
  const Result<std::string> bytes = read_file(path, kMaxPictureFile);
  if (!bytes) return Error{bytes.error().code, bytes.error().message + "; give a picture, such as a JPEG or a PNG"};
  if (bytes->empty()) return Error{ErrorCode::kInvalid, path + " is empty: give a picture, such as a JPEG or a PNG"};
  if (is_cut_jpeg(*bytes))
    return Error{ErrorCode::kInvalid, path + " is cut short: its last part is missing; copy or download it again"};
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);  // our error reports it
  const cv::Mat encoded(1, static_cast<int>(bytes->size()), CV_8UC1, const_cast<char*>(bytes->data()));
  cv::Mat pixels = cv::imdecode(encoded, cv::IMREAD_COLOR);
  if (pixels.empty())
    return Error{ErrorCode::kInvalid,
                 path + " is not a readable picture: it is damaged or has another format; convert it to JPEG or PNG"};
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

bool can_write_picture(const std::string& path) {
  try {
    return cv::haveImageWriter(path);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace bcp::cli
