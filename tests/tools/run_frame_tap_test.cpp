// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames taken out of a running pipeline, and pictures made of them.
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "gst-bcp/run/pipeline/frame_tap.hpp"
#include "gst-bcp/run/pipeline/jpeg.hpp"

namespace bcp::cli::run {
namespace {

constexpr std::chrono::seconds kPatience{20};

class RunFrameTap : public testing::Test {
 protected:
  void play(const std::string& source) {
    gst_init(nullptr, nullptr);
    GError* error = nullptr;
    pipeline_.reset(GST_ELEMENT(gst_object_ref_sink(
        gst_parse_launch((source + " ! identity name=element ! fakesink sync=false async=false").c_str(), &error))));
    ASSERT_EQ(error, nullptr) << error->message;
    const gst::ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "element"));
    tap_ = std::make_unique<FrameTap>(element.get());
    gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  }
  ~RunFrameTap() override {
    if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  }

  std::future<gst::SamplePtr> request() {
    auto promise = std::make_shared<std::promise<gst::SamplePtr>>();
    std::future<gst::SamplePtr> frame = promise->get_future();
    EXPECT_TRUE(tap_->next([promise](gst::SamplePtr taken) { promise->set_value(std::move(taken)); }));
    return frame;
  }
  gst::SamplePtr next() {
    std::future<gst::SamplePtr> frame = request();
    return frame.wait_for(kPatience) == std::future_status::ready ? frame.get() : nullptr;
  }

  gst::ElementPtr pipeline_;
  std::unique_ptr<FrameTap> tap_;
};

cv::Mat decoded(const Result<std::string>& jpeg) {
  if (!jpeg) ADD_FAILURE() << jpeg.error().message;
  return jpeg ? cv::imdecode(cv::Mat(1, int(jpeg->size()), CV_8U, const_cast<char*>(jpeg->data())), cv::IMREAD_COLOR)
              : cv::Mat();
}

TEST_F(RunFrameTap, GivesEachRequestOneFrameWithItsCapsAndSegment) {
  play("videotestsrc is-live=true ! video/x-raw,format=NV12,width=64,height=48,framerate=100/1");
  std::future<gst::SamplePtr> first = request(), second = request();
  ASSERT_EQ(first.wait_for(kPatience), std::future_status::ready);
  ASSERT_EQ(second.wait_for(kPatience), std::future_status::ready);
  const gst::SamplePtr frame = first.get(), other = second.get(), later = next();
  ASSERT_TRUE(frame && other && later);
  EXPECT_GT(GST_BUFFER_PTS(gst_sample_get_buffer(later.get())), GST_BUFFER_PTS(gst_sample_get_buffer(other.get())));
  int width = 0;
  gst_structure_get_int(gst_caps_get_structure(gst_sample_get_caps(frame.get()), 0), "width", &width);
  EXPECT_EQ(width, 64);
  EXPECT_EQ(gst_sample_get_segment(frame.get())->format, GST_FORMAT_TIME);
}

TEST_F(RunFrameTap, RefusesRequestsThatNoFrameAnswers) {
  play("appsrc format=time caps=video/x-raw");
  int kept = 0;
  while (kept < 100 && tap_->next([](const gst::SamplePtr&) {})) ++kept;
  EXPECT_EQ(kept, 16);
}

TEST_F(RunFrameTap, CallsNoRequestOnceItIsDestroyed) {
  play("appsrc name=in format=time caps=video/x-raw");
  auto called = std::make_shared<std::atomic<bool>>(false);
  tap_->next([called](const gst::SamplePtr&) { *called = true; });
  tap_.reset();
  EXPECT_EQ(called.use_count(), 1) << "the request is still kept";
  const gst::ElementPtr source(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "in"));
  gst_app_src_push_buffer(GST_APP_SRC(source.get()), gst_buffer_new_allocate(nullptr, 4, nullptr));
  gst_app_src_end_of_stream(GST_APP_SRC(source.get()));
  const gst::BusPtr bus(gst_element_get_bus(pipeline_.get()));
  const gst::MessagePtr end(gst_bus_timed_pop_filtered(bus.get(), 20 * GST_SECOND, GST_MESSAGE_EOS));
  EXPECT_TRUE(end);
  EXPECT_FALSE(*called);
}

TEST_F(RunFrameTap, BecomesAScaledJpegInItsColours) {
  play("videotestsrc is-live=true pattern=blue ! video/x-raw,format=I420,width=1280,height=722,framerate=100/1");
  const gst::SamplePtr frame = next();
  ASSERT_TRUE(frame);
  const cv::Mat picture = decoded(encode_jpeg(frame.get(), {.longest_side = 333, .quality = 90}));
  EXPECT_EQ(picture.size(), cv::Size(333, 188));
  const auto pixel = picture.at<cv::Vec3b>(90, 160);  // blue, green, red
  EXPECT_GT(pixel[0], 245);
  EXPECT_LT(pixel[1], 10);
  EXPECT_LT(pixel[2], 10);
}

TEST_F(RunFrameTap, MakesPixelsSquareAndEnlargesNothing) {
  play(
      "videotestsrc is-live=true ! "
      "video/x-raw,format=YUY2,width=352,height=576,pixel-aspect-ratio=2/1,framerate=100/1");
  const gst::SamplePtr frame = next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(decoded(encode_jpeg(frame.get(), {.longest_side = 4000})).size(), cv::Size(704, 576));
}

// Magenta, as odd sizes and other layouts would shift or lose colours.
TEST_F(RunFrameTap, BecomesAJpegInEachFormatAndSize) {
  for (const char* caps :
       {"format=NV12,width=641,height=361", "format=I420,width=639,height=479", "format=NV12,width=1919,height=1079",
        "format=RGB,width=1001,height=501", "format=YUY2,width=352,height=577,pixel-aspect-ratio=2/1",
        "format=I420_10LE,width=64,height=64", "format=BGRA,width=65,height=33"}) {
    SCOPED_TRACE(caps);
    play(std::string("videotestsrc is-live=true pattern=solid-color foreground-color=0xffff00ff ! "
                     "video/x-raw,framerate=100/1,") +
         caps);
    const gst::SamplePtr frame = next();
    ASSERT_TRUE(frame);
    const cv::Mat picture = decoded(encode_jpeg(frame.get(), {.longest_side = 320, .quality = 95}));
    for (const cv::Point at : {cv::Point(1, 1), cv::Point(picture.cols - 2, picture.rows - 2)}) {
      const auto& pixel = picture.at<cv::Vec3b>(at);  // blue, green, red
      EXPECT_GT(pixel[0], 240) << at;
      EXPECT_LT(pixel[1], 15) << at;
      EXPECT_GT(pixel[2], 240) << at;
    }
    tap_.reset();
    gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  }
}

TEST_F(RunFrameTap, BecomesAJpegInGrey) {
  play("videotestsrc is-live=true pattern=white ! video/x-raw,format=GRAY8,width=801,height=601,framerate=100/1");
  const gst::SamplePtr frame = next();
  ASSERT_TRUE(frame);
  const cv::Mat picture = decoded(encode_jpeg(frame.get(), {}));
  EXPECT_EQ(picture.size(), cv::Size(640, 480));
  EXPECT_GT(picture.at<cv::Vec3b>(240, 320)[1], 230);
}

// The converter of GStreamer refuses to make progressive frames of interlaced ones.
TEST_F(RunFrameTap, BecomesAJpegWhenItIsInterlaced) {
  play(
      "videotestsrc is-live=true pattern=blue ! "
      "video/x-raw,format=I420,width=720,height=576,interlace-mode=interleaved,pixel-aspect-ratio=16/15,framerate=25/"
      "1");
  const gst::SamplePtr frame = next();
  ASSERT_TRUE(frame);
  const cv::Mat picture = decoded(encode_jpeg(frame.get(), {}));
  EXPECT_EQ(picture.size(), cv::Size(640, 480));
  EXPECT_GT(picture.at<cv::Vec3b>(240, 320)[0], 240);
}

TEST_F(RunFrameTap, SaysThatAFrameIsNotRawVideo) {
  gst_init(nullptr, nullptr);
  const gst::CapsPtr caps(gst_caps_new_empty_simple("video/x-h264"));
  const gst::BufferPtr buffer(gst_buffer_new_allocate(nullptr, 4, nullptr));
  const gst::SamplePtr frame(gst_sample_new(buffer.get(), caps.get(), nullptr, nullptr));
  const Result<std::string> jpeg = encode_jpeg(frame.get(), {});
  ASSERT_FALSE(jpeg);
  EXPECT_EQ(jpeg.error().message, "a frame cannot be made a JPEG picture: it is not raw video");
}

}  // namespace
}  // namespace bcp::cli::run
