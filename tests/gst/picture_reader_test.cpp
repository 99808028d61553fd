// SPDX-License-Identifier: LGPL-2.1-or-later
//
// From a decoder's buffer to the model's input, compared with CLIP's preprocessing and with a simple conversion.

#include <algorithm>
#include <cmath>

#include "common/npy.hpp"
#include "image/preprocessor.hpp"
#include "tagger/picture_reader.hpp"
#include "tagger_support.hpp"

namespace bcp::test {
namespace {

const image::TensorSpec kClip{
    .size = 224, .mean = {0.48145466F, 0.4578275F, 0.40821073F}, .std = {0.26862954F, 0.26130258F, 0.27577711F}};

// The tensor of the first picture of the pipeline `launch`.
std::vector<float> tensor(const std::string& launch) {
  const auto p = pipeline(launch + " ! fakesink name=sink enable-last-sample=true");
  gst_element_set_state(p.get(), GST_STATE_PAUSED);
  if (gst_element_get_state(p.get(), nullptr, nullptr, 20 * GST_SECOND) != GST_STATE_CHANGE_SUCCESS) return {};
  GstSample* last = nullptr;
  g_object_get(child(p, "sink").get(), "last-sample", &last, nullptr);
  const gst::SamplePtr sample(last);
  GstVideoInfo info;
  gst_video_info_from_caps(&info, gst_sample_get_caps(sample.get()));
  auto reader = tagger::PictureReader::make(info, {});
  auto reading = reader->read(gst_sample_get_buffer(sample.get()));
  auto preprocessor = image::Preprocessor::make(reading->format, kClip, image::Coverage::kCentre);
  std::vector<float> result(preprocessor->tensor_size());
  preprocessor->run(reading->picture, result);
  return result;
}

struct Difference {
  double worst, mean;
};

template <typename A, typename B>
Difference compare(const A& a, const B& b) {
  EXPECT_EQ(a.size(), b.size());
  Difference d{0, 0};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    d.worst = std::max(d.worst, difference);
    d.mean += difference / static_cast<double>(a.size());
  }
  return d;
}

const std::string kJpeg = "filesrc location=models/golden/franz-kafka.jpg ! jpegdec";

TEST(PictureReader, AgreesWithClipOnAJpeg) {
  const auto expected = load_npy(BCP_TEST_DATA "/golden/expected_preprocessed_image.npy");
  const Difference d = compare(tensor(kJpeg), expected.data);
  EXPECT_LE(d.worst, 0.13);
  EXPECT_LE(d.mean, 0.015);
}

TEST(PictureReader, SeesTheSameInEveryFormat) {
  const auto rgb = tensor(kJpeg + " ! videoconvert ! video/x-raw,format=RGB");
  for (const char* format : {"BGR", "RGBx", "BGRx", "xRGB", "xBGR", "RGBA", "BGRA", "ARGB", "ABGR", "GBR", "RGB16"}) {
    const auto other = tensor(
        kJpeg + " ! videoconvert ! video/x-raw,format=RGB ! videoconvert dither=none ! video/x-raw,format=" + format);
    EXPECT_LE(compare(rgb, other).mean, format == std::string("RGB16") ? 0.06 : 0.0) << format;
  }
  // Conversion to 8-bit YUV causes an error of 0.019; with GstVideoConverter's conversion back it would be 0.046.
  for (const char* format : {"I420", "NV12", "Y42B", "YUY2", "Y444", "AYUV", "I420_10LE", "P010_10LE"}) {
    const auto other =
        tensor(kJpeg + " ! videoconvert ! video/x-raw,format=RGB ! videoconvert ! video/x-raw,format=" + format);
    EXPECT_LE(compare(rgb, other).mean, 0.025) << format;
  }
}

TEST(PictureReader, SeesExactlyTheSameWhereverTheSamplesLie) {
  const std::vector<std::vector<std::string>> alike = {{"I420", "YV12", "NV12", "NV21"},
                                                       {"Y42B", "NV16", "NV61", "YUY2", "YVYU", "UYVY", "VYUY"},
                                                       {"Y444", "NV24", "AYUV", "VUYA", "v308", "IYU2"}};
  for (const auto& formats : alike) {
    const std::string first = kJpeg + " ! videoconvert ! video/x-raw,format=" + formats[0];
    const auto expected = tensor(first);
    ASSERT_FALSE(expected.empty());
    for (const std::string& format : formats) {
      EXPECT_EQ(compare(tensor(first + " ! videoconvert ! video/x-raw,format=" + format), expected).worst, 0) << format;
    }
  }
}

TEST(PictureReader, WidensACropToWholeChromaSamples) {
  struct Case {
    GstVideoFormat format;
    int x, y, width, height;
  };
  for (const Case& c : {Case{GST_VIDEO_FORMAT_NV12, 2, 4, 42, 32}, Case{GST_VIDEO_FORMAT_YUY2, 2, 5, 42, 31},
                        Case{GST_VIDEO_FORMAT_Y444, 3, 5, 41, 31}, Case{GST_VIDEO_FORMAT_RGB, 3, 5, 41, 31}}) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, c.format, 64, 48);
    const gst::BufferPtr buffer(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr));
    GstVideoCropMeta* crop = gst_buffer_add_video_crop_meta(buffer.get());
    crop->x = 3, crop->y = 5, crop->width = 41, crop->height = 31;
    auto reader = tagger::PictureReader::make(info, {});
    const auto reading = reader->read(buffer.get());
    ASSERT_TRUE(reading);
    EXPECT_EQ(reading->format.width, c.width) << info.finfo->name;
    EXPECT_EQ(reading->format.height, c.height) << info.finfo->name;
    const auto* start = static_cast<const std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&*reading->mapped, 0));
    EXPECT_EQ(reading->picture.plane[0] - start, c.y * info.stride[0] + c.x * info.finfo->pixel_stride[0])
        << info.finfo->name;
  }
}

}  // namespace
}  // namespace bcp::test
