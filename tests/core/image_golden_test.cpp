// SPDX-License-Identifier: LGPL-2.1-or-later
// Comparison with CLIP's own preprocessing.

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

#include "common/npy.hpp"
#include "image_reference.hpp"

namespace bcp::test {
namespace {

TEST(ClipPreprocessing, MatchesClipOnAPhotograph) {
  const cv::Mat photo = cv::imread(BCP_MODELS "/golden/franz-kafka.jpg", cv::IMREAD_COLOR);
  ASSERT_FALSE(photo.empty());
  const Npy expected = load_npy(BCP_TEST_DATA "/golden/expected_preprocessed_image.npy");

  const image::PictureFormat format = packed_format(photo.cols, photo.rows, 3, {2, 1, 0});
  const image::Picture picture{{photo.data}, {static_cast<std::ptrdiff_t>(photo.step[0])}};
  const Difference d = difference(run(format, picture, clip_spec()), expected.data);
  EXPECT_LE(d.worst, 0.016);
  EXPECT_LE(d.mean, 0.001);
  RecordProperty("worst", std::to_string(d.worst));
  RecordProperty("mean", std::to_string(d.mean));
}

}  // namespace
}  // namespace bcp::test
