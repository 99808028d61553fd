// SPDX-License-Identifier: LGPL-2.1-or-later
// CLIP's input as made by a program with OpenCV: the middle square, converted, resized with INTER_AREA, normalised.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "image/preprocessor.hpp"

#ifdef BCP_BENCH_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace bench {

enum class Format { kNv12, kI420, kYuy2, kRgb, kBgrx };

#ifdef BCP_BENCH_OPENCV
inline constexpr bool kHasOpenCv = true;

inline cv::Mat middle_in_rgb(Format format, std::span<const std::uint8_t> bytes, int width, int height) {
  auto* const first = const_cast<std::uint8_t*>(bytes.data());
  // Even, because chroma comes in pairs.
  const cv::Rect middle((width - height) / 4 * 2, 0, height, height);
  cv::Mat rgb;
  switch (format) {
    case Format::kNv12: {
      const cv::Mat luma(height, width, CV_8UC1, first), chroma(height / 2, width / 2, CV_8UC2, first + width * height);
      const cv::Rect halved(middle.x / 2, 0, middle.width / 2, middle.height / 2);
      cv::cvtColorTwoPlane(luma(middle), chroma(halved), rgb, cv::COLOR_YUV2RGB_NV12);
      return rgb;
    }
    case Format::kI420: {  // OpenCV converts only whole frames of three planes
      cv::cvtColor(cv::Mat(height * 3 / 2, width, CV_8UC1, first), rgb, cv::COLOR_YUV2RGB_I420);
      return rgb(middle);
    }
    case Format::kYuy2:
      cv::cvtColor(cv::Mat(height, width, CV_8UC2, first)(middle), rgb, cv::COLOR_YUV2RGB_YUY2);
      return rgb;
    case Format::kRgb:
      return cv::Mat(height, width, CV_8UC3, first)(middle);
    case Format::kBgrx:
      break;
  }
  cv::cvtColor(cv::Mat(height, width, CV_8UC4, first)(middle), rgb, cv::COLOR_BGRA2RGB);
  return rgb;
}

inline void preprocess_with_opencv(Format format, std::span<const std::uint8_t> bytes, int width, int height,
                                   const bcp::image::TensorSpec& spec, std::span<float> tensor) {
  cv::setNumThreads(1);
  cv::Mat small, values;
  cv::resize(middle_in_rgb(format, bytes, width, height), small, {spec.size, spec.size}, 0, 0, cv::INTER_AREA);
  small.convertTo(values, CV_32FC3, 1 / 255.0);
  cv::subtract(values, cv::Scalar(spec.mean[0], spec.mean[1], spec.mean[2]), values);
  cv::divide(values, cv::Scalar(spec.std[0], spec.std[1], spec.std[2]), values);
  std::vector<cv::Mat> planes;
  for (int c = 0; c < 3; ++c)
    planes.emplace_back(spec.size, spec.size, CV_32FC1, tensor.data() + std::ptrdiff_t{c} * spec.size * spec.size);
  cv::split(values, planes);
}
#else
inline constexpr bool kHasOpenCv = false;

inline void preprocess_with_opencv(Format, std::span<const std::uint8_t>, int, int, const bcp::image::TensorSpec&,
                                   std::span<float>) {}
#endif

}  // namespace bench
