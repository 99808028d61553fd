// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptagger and pixels: every format is read correctly, and no pixel is changed.

#include "tagger_support.hpp"

namespace bcp::test {
namespace {

// An RGB frame converted to `format` by GStreamer.
gst::BufferPtr converted(GstVideoFormat format, const gst::BufferPtr& source, int width, int height) {
  GstVideoInfo rgb, info;
  gst_video_info_set_format(&rgb, GST_VIDEO_FORMAT_RGB, static_cast<guint>(width), static_cast<guint>(height));
  gst_video_info_set_format(&info, format, static_cast<guint>(width), static_cast<guint>(height));
  gst::BufferPtr target(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr));
  GstVideoConverter* converter = gst_video_converter_new(&rgb, &info, nullptr);
  if (!converter) return nullptr;
  GstVideoFrame in, out;
  gst_video_frame_map(&in, &rgb, source.get(), GST_MAP_READ);
  gst_video_frame_map(&out, &info, target.get(), GST_MAP_WRITE);
  gst_video_converter_frame(converter, &in, &out);
  gst_video_frame_unmap(&out);
  gst_video_frame_unmap(&in);
  gst_video_converter_free(converter);
  GST_BUFFER_PTS(target.get()) = 0;
  return target;
}

std::string caps_of(GstVideoFormat format, int width, int height) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, format, static_cast<guint>(width), static_cast<guint>(height));
  const gst::CapsPtr caps(gst_video_info_to_caps(&info));
  return gst::CharPtr(gst_caps_to_string(caps.get())).get();
}

TEST(BcpTaggerPixels, ReadsEveryRawFormat) {
  const gst::CapsPtr all(gst_caps_from_string(GST_VIDEO_CAPS_MAKE(GST_VIDEO_FORMATS_ALL)));
  const GValue* formats = gst_structure_get_value(gst_caps_get_structure(all.get(), 0), "format");
  int tried = 0;
  for (guint i = 0; i < gst_value_list_get_size(formats); ++i) {
    const char* name = g_value_get_string(gst_value_list_get_value(formats, i));
    const GstVideoFormat format = gst_video_format_from_string(name);
    const bool grey = GST_VIDEO_FORMAT_INFO_IS_GRAY(gst_video_format_get_info(format));
    if (grey || format == GST_VIDEO_FORMAT_RGB8P) continue;  // no colours; GStreamer cannot make a palette
    for (const auto& [width, height] : {std::pair{64, 48}, std::pair{47, 33}}) {
      auto buffer = converted(format, frame(kBlue, 0, width, height), width, height);
      if (!buffer) continue;  // GStreamer cannot write this format
      Tagger tagger;
      tagger.caps(caps_of(format, width, height));
      EXPECT_EQ(best(tagger.push(std::move(buffer)).get()), "blue") << name << " " << width << "x" << height;
      ++tried;
    }
  }
  EXPECT_GT(tried, 100);
}

TEST(BcpTaggerPixels, ReadsGrey) {
  Tagger tagger;
  tagger.caps(caps_of(GST_VIDEO_FORMAT_GRAY8, 64, 48));
  EXPECT_TRUE(gst_buffer_get_bcp_meta(tagger.push(converted(GST_VIDEO_FORMAT_GRAY8, frame(kBlue), 64, 48)).get()));
  EXPECT_TRUE(tagger.faults().empty());
}

TEST(BcpTaggerPixels, ReadsRowsThatArePadded) {
  constexpr int kWidth = 40, kHeight = 30, kStride = 256;
  gst::BufferPtr buffer(gst_buffer_new_allocate(nullptr, kStride * kHeight, nullptr));
  GstMapInfo map;
  gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kStride; ++x)
      map.data[y * kStride + x] = x < 3 * kWidth ? (x % 3 == 0 ? 255 : 0) : 255;  // padding is white
  }
  gst_buffer_unmap(buffer.get(), &map);
  gsize offset[GST_VIDEO_MAX_PLANES] = {0};
  gint stride[GST_VIDEO_MAX_PLANES] = {kStride};
  gst_buffer_add_video_meta_full(buffer.get(), GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_RGB, kWidth, kHeight, 1,
                                 offset, stride);
  Tagger tagger;
  tagger.caps(rgb_caps(kWidth, kHeight));
  EXPECT_EQ(best(tagger.push(std::move(buffer)).get()), "red");
}

// Left half red, right half blue.
gst::BufferPtr halves(int width, int height) {
  auto buffer = frame(kRed, 0, width, height);
  GstMapInfo map;
  gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE);
  for (int y = 0; y < height; ++y) {
    for (int x = width / 2; x < width; ++x) std::memcpy(map.data + y * GST_ROUND_UP_4(3 * width) + 3 * x, &kBlue, 3);
  }
  gst_buffer_unmap(buffer.get(), &map);
  return buffer;
}

TEST(BcpTaggerPixels, ScoresOnlyTheCropOfTheCropMeta) {
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUY2,
                                      GST_VIDEO_FORMAT_Y444, GST_VIDEO_FORMAT_GBR, GST_VIDEO_FORMAT_P010_10LE}) {
    for (const bool right : {false, true}) {
      for (const int caps_width : {128, 64}) {  // of the whole frame, or of the crop: decoders differ
        Tagger tagger;
        tagger.caps(caps_of(format, caps_width, 64));
        auto buffer = converted(format, halves(128, 64), 128, 64);
        gst_buffer_add_video_meta(buffer.get(), GST_VIDEO_FRAME_FLAG_NONE, format, 128, 64);
        GstVideoCropMeta* crop = gst_buffer_add_video_crop_meta(buffer.get());
        crop->x = right ? 64 : 0;
        crop->y = 0;
        crop->width = 64;
        crop->height = 64;
        EXPECT_EQ(best(tagger.push(std::move(buffer)).get()), right ? "blue" : "red")
            << gst_video_format_to_string(format) << " in caps of " << caps_width;
      }
    }
  }
}

TEST(BcpTaggerPixels, ScoresOnlyTheSizeOfTheCaps) {
  for (const GstVideoFormat format : {GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GBR}) {
    Tagger tagger("coverage=squash"), plain("coverage=squash");
    for (Tagger* each : {&tagger, &plain}) each->caps(caps_of(format, 64, 64));
    auto buffer = converted(format, halves(128, 64), 128, 64);  // a decoder's padding, blue here
    gst_buffer_add_video_meta(buffer.get(), GST_VIDEO_FRAME_FLAG_NONE, format, 128, 64);
    EXPECT_EQ(shown(tagger.push(std::move(buffer)).get()),
              shown(plain.push(converted(format, frame(kRed, 0, 64, 64), 64, 64)).get()))
        << gst_video_format_to_string(format);
  }
}

std::vector<float> embedding(GstBuffer* buffer) {
  guint size = 0;
  const gfloat* values = gst_bcp_result_get_embedding(gst_buffer_get_bcp_meta(buffer)->result, &size);
  return {values, values + size};
}

TEST(BcpTaggerPixels, RotatesThePictureByItsTag) {
  // A rotated picture with its orientation tag gives the same result as the upright one.
  Tagger upright("attach-embedding=true"), lying("attach-embedding=true");
  upright.caps(rgb_caps(64, 64));
  lying.caps(rgb_caps(64, 64));
  const auto expected = embedding(upright.push(halves(64, 64)).get());

  auto sideways = frame(kRed, 0, 64, 64);  // rotated 90 degrees clockwise, it is red left, blue right
  GstMapInfo map;
  gst_buffer_map(sideways.get(), &map, GST_MAP_WRITE);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) std::memcpy(map.data + y * 192 + 3 * x, &kBlue, 3);
  }
  gst_buffer_unmap(sideways.get(), &map);
  const gst::BufferPtr again(gst_buffer_copy_deep(sideways.get()));
  EXPECT_NE(embedding(lying.push(gst::BufferPtr(gst_buffer_copy_deep(sideways.get()))).get()), expected);
  lying.event(gst_event_new_tag(gst_tag_list_new(GST_TAG_IMAGE_ORIENTATION, "rotate-90", nullptr)));
  const auto turned = embedding(lying.push(std::move(sideways)).get());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(turned[i], expected[i], 1e-3);
}

TEST(BcpTaggerPixels, CoverageDecidesWhatTheModelSees) {
  // Red in the middle square, blue at both ends of a wide picture.
  const auto picture = [] {
    auto buffer = frame(kBlue, 0, 192, 64);
    GstMapInfo map;
    gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE);
    for (int y = 0; y < 64; ++y) {
      for (int x = 64; x < 128; ++x) std::memcpy(map.data + y * 576 + 3 * x, &kRed, 3);
    }
    gst_buffer_unmap(buffer.get(), &map);
    return buffer;
  };
  for (const auto& [coverage, expected] :
       {std::pair{"centre", "red"}, std::pair{"squash", "blue"}, std::pair{"tiles", "blue"}}) {
    Tagger tagger(std::string("coverage=") + coverage);
    tagger.caps(rgb_caps(192, 64));
    const std::string seen = best(tagger.push(picture()).get());
    if (coverage == std::string("centre")) {
      EXPECT_EQ(seen, expected);
    } else {
      EXPECT_NE(seen, "red") << coverage;
    }
  }
}

std::string raw_bytes(const std::string& middle, const std::string& source) {
  const Folder folder;
  const auto p = pipeline(source + " ! " + middle + " filesink location=" + folder.file("raw"));
  run(p, 60);
  return contents(folder.file("raw"));
}

TEST(BcpTaggerPixels, DoesNotChangeTheRawBytes) {
  const std::string tagger = "bcptagger inference-interval=20 ! ";
  // Sizes whose rows need no padding: the contents of padding are undefined and differ from run to run.
  for (const std::string source : {
           "filesrc location=" BCP_TEST_DATA "/clips/mdn_friday.mp4 ! decodebin",
           "videotestsrc pattern=ball num-buffers=20 ! video/x-raw,format=I420,width=328,height=248",
           "videotestsrc pattern=ball num-buffers=20 ! video/x-raw,format=NV12,width=328,height=248 ! tee",
           // Decoders that pad rows if downstream allows it; filesink does not. (A speed below 0 is fixed: otherwise
           // the encoder adapts to the load of the machine and writes a different video.)
           "videotestsrc pattern=ball num-buffers=20 ! video/x-raw,width=328,height=248 ! vp8enc deadline=1 "
           "cpu-used=-8 ! vp8dec",
           "videotestsrc pattern=ball num-buffers=20 ! video/x-raw,width=328,height=248 ! vp9enc deadline=1 cpu-used=8 "
           "! vp9dec",
       }) {
    const std::string without = raw_bytes("", source), with = raw_bytes(tagger, source);
    EXPECT_GT(without.size(), 10'000u) << source;
    EXPECT_TRUE(with == without) << source;
  }
}

}  // namespace
}  // namespace bcp::test
