// SPDX-License-Identifier: LGPL-2.1-or-later
// bcpgate before real muxers and sinks: files that play, sinks that do not wait.

#include <ostream>
#include <utility>

#include "bcpgate_support.hpp"

namespace bcp::test {

struct GateRecording {
  const char* name;
  const char* encoder;
  const char* muxer;
  const char* demuxer;
};
static std::ostream& operator<<(std::ostream& out, const GateRecording& recording) {
  return out << recording.name;
}

namespace {

// Ten seconds, ten frames a second: a person from second 4 to 5, and from 7.5 to 8.
void show_a_person(GstBuffer* buffer) {
  const GstClockTime tenths = GST_BUFFER_PTS(buffer) / kGateFrame;
  attach(buffer, person((tenths >= 40 && tenths < 50) || (tenths >= 75 && tenths < 80) ? 0.9 : 0.1));
}

constexpr char kTestVideo[] =
    "videotestsrc num-buffers=100 ! video/x-raw,format=I420,width=64,height=48,framerate=10/1 ! identity name=tag ! ";

class GateRecord : public testing::TestWithParam<GateRecording> {};

// Key frames come every second: both clips begin at the last one that is 1.5 s before the person.
TEST_P(GateRecord, PlaysFromKeyFrames) {
  const GateRecording& how = GetParam();
  const Folder folder;
  {
    const Pipeline p = pipeline(std::string(kTestVideo) + how.encoder + " ! bcpgate condition=person " +
                                "pre-roll=1500000000 post-roll=500000000 ! " + how.muxer +
                                " ! filesink location=" + folder.file("out"));
    on_each_buffer(child(p, "tag").get(), show_a_person);
    EXPECT_TRUE(run(p, 60).empty());
  }
  const Pipeline p = pipeline("filesrc location=" + folder.file("out") + " ! " + how.demuxer +
                              " ! decodebin ! fakesink name=pictures");
  std::vector<gst::BufferPtr> pictures;
  collect(child(p, "pictures").get(), pictures);
  EXPECT_TRUE(run(p).empty());
  std::vector<int> tenths;
  for (const auto& picture : pictures) {
    tenths.push_back(static_cast<int>((GST_BUFFER_PTS(picture.get()) + kGateFrame / 2) / kGateFrame));
  }
  ASSERT_FALSE(tenths.empty());
  std::vector<int> wanted;
  for (int n = 20; n <= 54; ++n) wanted.push_back(n);
  for (int n = 60; n <= 84; ++n) wanted.push_back(n);
  ASSERT_EQ(tenths.size(), wanted.size());
  // A file may begin at 0, whatever the time of its first frame.
  if (tenths[0] == 0 && tenths[1] == 1) {
    for (int& n : tenths) n += 20;
  }
  // GStreamer 1.26 reads the first frame of a clip in Matroska with the time at which the clip before it ended.
  for (const auto& [index, end] : {std::pair<std::size_t, int>{0, 0}, {35, 55}}) {
    if (tenths[index] == end) tenths[index] = wanted[index];
  }
  EXPECT_EQ(tenths, wanted);
}

INSTANTIATE_TEST_SUITE_P(
    , GateRecord,
    testing::Values(GateRecording{"Matroska", "x264enc key-int-max=10 bframes=0 tune=zerolatency ! h264parse",
                                  "matroskamux", "matroskademux"},
                    GateRecording{"MatroskaOfByteStream",
                                  "x264enc key-int-max=10 tune=zerolatency ! video/x-h264,stream-format=byte-stream ! "
                                  "h264parse ! video/x-h264,stream-format=avc",
                                  "matroskamux", "matroskademux"},
                    GateRecording{"Mp4", "x264enc key-int-max=10 tune=zerolatency ! h264parse", "mp4mux", "qtdemux"},
                    GateRecording{"WebM", "vp8enc keyframe-max-dist=10 keyframe-mode=auto deadline=1 lag-in-frames=0",
                                  "webmmux", "matroskademux"}),
    [](const auto& instance) { return instance.param.name; });

TEST(GateFiles, DecodeWithoutAFaultWithFramesThatAreReordered) {
  const Folder folder;
  {
    const Pipeline p = pipeline(std::string(kTestVideo) +
                                "x264enc key-int-max=10 bframes=2 b-adapt=false ! h264parse ! bcpgate condition=person "
                                "pre-roll=1500000000 post-roll=500000000 ! matroskamux ! filesink location=" +
                                folder.file("out"));
    on_each_buffer(child(p, "tag").get(), show_a_person);
    EXPECT_TRUE(run(p, 60).empty());
  }
  const Pipeline p = pipeline("filesrc location=" + folder.file("out") + " ! decodebin ! fakesink name=pictures");
  std::vector<gst::BufferPtr> pictures;
  collect(child(p, "pictures").get(), pictures);
  EXPECT_TRUE(run(p).empty()) << "no error and no warning of the decoder";
  EXPECT_GE(pictures.size(), 55U);
  EXPECT_LE(pictures.size(), 66U);
}

TEST(GateFiles, EndProperlyWhenTheGateNeverOpens) {
  const Folder folder;
  const Pipeline p = pipeline(
      std::string(kTestVideo) +
      "x264enc ! h264parse ! bcpgate condition=person ! matroskamux ! filesink location=" + folder.file("out"));
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, person(0.1)); });
  EXPECT_TRUE(run(p, 60).empty());
}

// One thread reads sound and video. Without GAP events the muxer would wait for video while the queue of the sound
// fills, and nothing would move again.
TEST(GateFiles, DoNotStopTheSoundWhileTheGateIsClosed) {
  const Folder folder;
  const Pipeline both = pipeline(
      "videotestsrc num-buffers=200 ! video/x-raw,format=I420,width=64,height=48,framerate=10/1 ! x264enc "
      "tune=zerolatency key-int-max=5 ! h264parse ! mux. audiotestsrc num-buffers=400 samplesperbuffer=2205 ! "
      "audio/x-raw,rate=44100,channels=1 ! avenc_aac ! aacparse ! mux. matroskamux name=mux ! filesink location=" +
      folder.file("both"));
  EXPECT_TRUE(run(both, 60).empty());
  const Pipeline p = pipeline(
      "filesrc location=" + folder.file("both") +
      " ! matroskademux name=d d.video_0 ! queue ! h264parse ! identity name=tag ! bcpgate condition=person ! mux. " +
      "d.audio_0 ! aacparse ! queue max-size-time=1000000000 max-size-buffers=0 max-size-bytes=0 ! mux. " +
      "mpegtsmux name=mux ! filesink location=" + folder.file("out"));
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) {
    attach(b, person(GST_BUFFER_PTS(b) < 2 * GST_SECOND || GST_BUFFER_PTS(b) > 18 * GST_SECOND ? 0.9 : 0.1));
  });
  EXPECT_TRUE(run(p).empty());
}

TEST(GateSinks, DoNotWaitForTheFirstBuffer) {
  const Pipeline p = pipeline(
      "videotestsrc is-live=true num-buffers=10 ! video/x-raw,format=GRAY8,width=16,height=16,framerate=50/1 ! "
      "identity "
      "name=tag ! bcpgate condition=person ! fakesink name=out sync=true");
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, person(0.1)); });
  std::vector<gst::BufferPtr> passed;
  collect(child(p, "out").get(), passed);
  EXPECT_TRUE(run(p).empty());
  EXPECT_TRUE(passed.empty());

  const Pipeline file = pipeline(
      "videotestsrc num-buffers=10000 ! video/x-raw,format=GRAY8,width=16,height=16 ! identity name=tag ! bcpgate "
      "condition=person ! fakesink sync=true");
  on_each_buffer(child(file, "tag").get(), [](GstBuffer* b) { attach(b, person(0.1)); });
  gst_element_set_state(file.get(), GST_STATE_PAUSED);
  EXPECT_EQ(gst_element_get_state(file.get(), nullptr, nullptr, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
}

TEST(GateFiles, AreSplitAtEachOpening) {
  const Folder folder;
  const Pipeline p =
      pipeline(std::string(kTestVideo) +
               "x264enc key-int-max=10 tune=zerolatency ! h264parse ! bcpgate name=gate condition=person ! "
               "splitmuxsink name=files muxer-factory=matroskamux location=" +
               folder.file("clip%d.mkv"));
  on_each_buffer(child(p, "tag").get(), show_a_person);
  // Posted before the first buffer passes, so the file is split in front of it.
  const gst::BusPtr bus(gst_element_get_bus(p.get()));
  gst_bus_set_sync_handler(
      bus.get(),
      [](GstBus*, GstMessage* message, gpointer files) {
        if (gst_message_has_name(message, "bcp-gate-opened")) g_signal_emit_by_name(files, "split-now");
        return GST_BUS_PASS;
      },
      child(p, "files").get(), nullptr);
  EXPECT_TRUE(run(p, 60).empty());
  EXPECT_TRUE(std::filesystem::exists(folder.file("clip0.mkv")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("clip1.mkv")));
}

}  // namespace
}  // namespace bcp::test
