// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures as a stream, and back.
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "gst-bcp/run/pipeline/pictures.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

class RunPictures : public testing::Test {
 protected:
  RunPictures() { gst_init(nullptr, nullptr); }
};

// OpenCV throws for an ending it does not know.
TEST_F(RunPictures, AreNoLongerMappedWhenTheirEncoderThrows) {
  const gst::BufferPtr buffer(gst_buffer_new_allocate(nullptr, 4 * 4 * 3, nullptr));
  const gst::CapsPtr caps(gst_caps_from_string("video/x-raw,format=BGR,width=4,height=4,framerate=0/1"));
  const gst::SamplePtr sample(gst_sample_new(buffer.get(), caps.get(), nullptr, nullptr));
  const int before = GST_MINI_OBJECT_REFCOUNT_VALUE(buffer.get());
  const auto folder = std::filesystem::path(testing::TempDir());
  const std::string path = (folder / "picture.nonsense").string();
  const Status written = write_picture(sample.get(), path, {.force = true, .inputs = {}});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find(path + " cannot be written"), std::string::npos) << written.error().message;
  EXPECT_EQ(GST_MINI_OBJECT_REFCOUNT_VALUE(buffer.get()), before);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(folder / ".picture.nonsense.part"));
}

// The queue of an appsrc takes frames in any state, and blocks when it is full.
TEST_F(RunPictures, AreFedNoMoreWhenThePipelineNeverPlays) {
  const gst::ElementPtr appsrc(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("appsrc", nullptr))));
  g_object_set(appsrc.get(), "format", GST_FORMAT_TIME, "block", TRUE, "max-buffers", guint64{2}, "max-bytes",
               guint64{0}, nullptr);
  const std::string photograph = std::string(BCP_MODELS) + "/golden/franz-kafka.jpg";
  PictureFeeder feeder(appsrc.get(), std::vector<std::string>(4, photograph));
  while (gst_app_src_get_current_level_buffers(GST_APP_SRC(appsrc.get())) < 2) g_usleep(1000);
  g_usleep(20 * 1000);  // for the third to block
}

}  // namespace
}  // namespace bcp::cli::run
