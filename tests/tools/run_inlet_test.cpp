// SPDX-License-Identifier: LGPL-2.1-or-later
// Behind a camera's inlet there is one stream, from any number of sources.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "gst-bcp/run/camera/inlet.hpp"

namespace bcp::cli::run {
namespace {

int ends = 0;  // calls of on_end

// An element with an inlet, what comes out of it, and sources to link to it.
class Stream {
 public:
  Stream() {
    gst_init(nullptr, nullptr);
    ends = 0;
    pipeline_.reset(gst_pipeline_new(nullptr));
    GstElement* element = gst_element_factory_make("identity", "pictures");
    GstElement* sink = gst_element_factory_make("fakesink", nullptr);
    g_object_set(sink, "sync", FALSE, "async", FALSE, nullptr);
    gst_bin_add_many(GST_BIN(pipeline_.get()), element, sink, nullptr);
    gst_element_link(element, sink);
    const gst::PadPtr pad(gst_element_get_static_pad(sink, "sink"));
    const auto types = static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
    gst_pad_add_probe(pad.get(), types, on_data, this, nullptr);
    inlet = Inlet::of(pipeline_.get(), "pictures", "video/", std::make_shared<Timeline>(), [](GstElement*) { ++ends; });
    gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  }
  ~Stream() {
    source_.reset();
    gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
    inlet.reset();
  }

  // A new source, whose times begin at `start`.
  void connect(const char* kind, GstClockTime start) {
    source_.reset(GST_PAD(gst_object_ref_sink(gst_pad_new("src", GST_PAD_SRC))));
    gst_pad_set_active(source_.get(), TRUE);
    gst_pad_push_event(source_.get(), gst_event_new_stream_start(kind));
    const gst::CapsPtr type(gst_caps_from_string(kind));
    gst_pad_push_event(source_.get(), gst_event_new_caps(type.get()));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    segment.start = start;
    gst_pad_push_event(source_.get(), gst_event_new_segment(&segment));
    ASSERT_TRUE(inlet->take(source_.get()));
  }
  void push(GstClockTime time) {
    GstBuffer* buffer = gst_buffer_new();
    GST_BUFFER_PTS(buffer) = time;
    gst_pad_push(source_.get(), buffer);
  }
  void send(GstEvent* event) { gst_pad_push_event(source_.get(), event); }

  std::shared_ptr<Inlet> inlet;
  std::vector<GstClockTime> times;
  std::vector<std::string> events;
  std::string caps;

 private:
  struct Unlink {
    void operator()(GstPad* pad) const {
      if (const gst::PadPtr peer{gst_pad_get_peer(pad)}) gst_pad_unlink(pad, peer.get());
      gst_object_unref(pad);
    }
  };

  static GstPadProbeReturn on_data(GstPad*, GstPadProbeInfo* info, gpointer data) {
    auto& self = *static_cast<Stream*>(data);
    if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
      self.times.push_back(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)));
      return GST_PAD_PROBE_OK;
    }
    GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
    self.events.emplace_back(GST_EVENT_TYPE_NAME(event));
    if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
      GstCaps* known = nullptr;
      gst_event_parse_caps(event, &known);
      self.caps = gst::CharPtr(gst_caps_to_string(known)).get();
    }
    return GST_PAD_PROBE_OK;
  }

  gst::ElementPtr pipeline_;
  std::unique_ptr<GstPad, Unlink> source_;
};

constexpr const char* kSmall = "video/x-raw,width=160,framerate=10/1";
constexpr const char* kLarge = "video/x-raw,width=640,framerate=25/1";

TEST(Inlet, HidesThatASourceWasReplaced) {
  Stream stream;
  stream.connect(kSmall, 0);
  stream.push(100 * GST_MSECOND);
  stream.connect(kLarge, 0);
  stream.push(200 * GST_MSECOND);
  EXPECT_EQ(stream.events, (std::vector<std::string>{"stream-start", "caps", "segment", "caps"}));
  EXPECT_EQ(stream.times, (std::vector<GstClockTime>{100 * GST_MSECOND, 200 * GST_MSECOND}));
  EXPECT_EQ(stream.inlet->count(), 2);
}

TEST(Inlet, KeepsTheRateThatFilesWereBegunWith) {
  Stream stream;
  stream.connect(kSmall, 0);
  stream.push(0);
  stream.connect(kLarge, 0);
  stream.push(GST_SECOND);
  EXPECT_NE(stream.caps.find("640"), std::string::npos) << stream.caps;
  EXPECT_NE(stream.caps.find("10/1"), std::string::npos) << stream.caps;
}

TEST(Inlet, PutsTheTimesOfALaterSourceIntoTheFirstOne) {
  Stream stream;
  stream.connect(kSmall, 0);
  stream.push(100 * GST_MSECOND);
  stream.connect(kSmall, 5 * GST_SECOND);
  stream.push(5 * GST_SECOND + 300 * GST_MSECOND);
  EXPECT_EQ(stream.times.back(), 300 * GST_MSECOND);
}

TEST(Inlet, LetsTimeOnlyGrow) {
  Stream stream;
  stream.connect(kSmall, 0);
  for (const GstClockTime time : std::vector<GstClockTime>{100 * GST_MSECOND, 200 * GST_MSECOND, 150 * GST_MSECOND,
                                                           GST_CLOCK_TIME_NONE, 200 * GST_MSECOND})
    stream.push(time);
  ASSERT_EQ(stream.times.size(), 5);
  for (std::size_t i = 1; i < stream.times.size(); ++i) {
    EXPECT_TRUE(GST_CLOCK_TIME_IS_VALID(stream.times[i]));
    EXPECT_GT(stream.times[i], stream.times[i - 1]);
  }
}

TEST(Inlet, StampsPicturesWithoutATimeWithTheClocks) {
  Stream stream;
  stream.connect(kSmall, 0);
  stream.push(0);
  for (int i = 0; i < 2; ++i) {
    g_usleep(50 * 1000);
    stream.push(GST_CLOCK_TIME_NONE);
  }
  ASSERT_EQ(stream.times.size(), 3);
  EXPECT_GE(stream.times[2], stream.times[1] + 50 * GST_MSECOND);
}

TEST(Inlet, TreatsTheEndOfACameraAsALoss) {
  Stream stream;
  stream.connect(kSmall, 0);
  stream.push(0);
  stream.send(gst_event_new_eos());
  EXPECT_EQ(ends, 1);
  EXPECT_NE(stream.events.back(), "eos");
  stream.inlet->end();
  EXPECT_EQ(stream.events.back(), "eos");
  EXPECT_EQ(ends, 1);
}

TEST(Inlet, NeverSetsThePipelinesTimeBack) {
  Stream stream;
  stream.connect(kSmall, 0);
  stream.push(0);
  stream.send(gst_event_new_flush_start());
  stream.send(gst_event_new_flush_stop(TRUE));
  EXPECT_EQ(stream.events.back(), "segment");
}

TEST(Inlet, TakesOneSourceAtATime) {
  Stream stream;
  stream.connect(kSmall, 0);
  const gst::PadPtr second(GST_PAD(gst_object_ref_sink(gst_pad_new("src", GST_PAD_SRC))));
  gst_pad_set_active(second.get(), TRUE);
  const gst::CapsPtr caps(gst_caps_from_string(kSmall));
  gst_pad_push_event(second.get(), gst_event_new_stream_start("second"));
  gst_pad_push_event(second.get(), gst_event_new_caps(caps.get()));
  EXPECT_FALSE(stream.inlet->take(second.get()));
}

TEST(Timeline, MovesASourceThatBeginsAtZero) {
  Timeline timeline;
  EXPECT_EQ(timeline.shift(0, 3 * GST_SECOND), 0) << "the first source sets the time";
  EXPECT_EQ(timeline.shift(GST_SECOND, 4 * GST_SECOND), 0);
  timeline.restart();
  EXPECT_EQ(timeline.shift(0, 9 * GST_SECOND), 9 * GstClockTimeDiff(GST_SECOND));
  EXPECT_EQ(timeline.shift(GST_SECOND, 11 * GST_SECOND), 9 * GstClockTimeDiff(GST_SECOND)) << "decided once";
}

TEST(Timeline, KeepsTheTimesOfASourceThatStampsByArrival) {
  Timeline timeline;
  timeline.shift(0, 0);
  timeline.restart();
  EXPECT_EQ(timeline.shift(9 * GST_SECOND, 9 * GST_SECOND + 200 * GST_MSECOND), 0);
}

}  // namespace
}  // namespace bcp::cli::run
