// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gst/video/video.h>

#include <ostream>

#include "support.hpp"

namespace bcp::test {

// A cue of the output, with times in milliseconds, the resolution of containers.
struct TextCue {
  GstClockTime start, end;
  std::string text;
};
static bool operator==(const TextCue& a, const TextCue& b) {
  return a.start == b.start && a.end == b.end && a.text == b.text;
}
static std::ostream& operator<<(std::ostream& out, const TextCue& cue) {
  return out << cue.start << " to " << cue.end << " \"" << cue.text << '"';
}

namespace {

using TextCues = std::vector<TextCue>;

constexpr char kVideo[] = "video/x-raw,format=GRAY8,width=4,height=4,framerate=10/1";
constexpr GstClockTime kFrame = GST_SECOND / 10;

// A result that shows `names`, most likely first.
gst::BcpResultPtr showing(const std::vector<const char*>& names) {
  std::vector<const char*> all = names;
  all.push_back("not shown");
  const gst::BcpLabelsPtr labels(gst_bcp_labels_new(all.data(), static_cast<guint>(all.size())));
  std::vector<Score> scores(all.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    scores[i].probability = 0.9 / static_cast<double>(i + 1);
    scores[i].flags = GST_BCP_SCORE_SHOWN;
  }
  return make_result(labels.get(), scores, {.source_id = "cam", .pts = 0});
}

TextCue cue_of(GstBuffer* buffer) {
  GstMapInfo map;
  gst_buffer_map(buffer, &map, GST_MAP_READ);
  std::string text(reinterpret_cast<const char*>(map.data), map.size);
  gst_buffer_unmap(buffer, &map);
  const GstClockTime start = GST_BUFFER_PTS(buffer), end = start + GST_BUFFER_DURATION(buffer);
  return {start / GST_MSECOND, end / GST_MSECOND, std::move(text)};
}

// Joins adjacent parts with the same text: where a cue is cut is not tested.
TextCues joined(const TextCues& cues) {
  TextCues whole;
  for (const TextCue& cue : cues) {
    if (cue.text.empty()) continue;  // MP4 stores a gap like this
    if (!whole.empty() && whole.back().text == cue.text && whole.back().end == cue.start) {
      whole.back().end = cue.end;
    } else {
      whole.push_back(cue);
    }
  }
  return whole;
}

// A bcpsubtitle in a harness.
struct Subtitle {
  Subtitle() : h(harness("bcpsubtitle")) {
    element.reset(gst_harness_find_element(h.get(), "bcpsubtitle"));
    gst_harness_set_src_caps_str(h.get(), kVideo);
  }

  GstFlowReturn push(GstClockTime pts, const std::vector<const char*>& labels, GstClockTime dts = GST_CLOCK_TIME_NONE) {
    GstBuffer* buffer = gst_harness_create_buffer(h.get(), 16);
    GST_BUFFER_PTS(buffer) = pts;
    GST_BUFFER_DTS(buffer) = dts;
    attach(buffer, showing(labels));
    return gst_harness_push(h.get(), buffer);
  }

  // Waits for the next cue.
  TextCue next() {
    const gst::BufferPtr buffer(gst_harness_pull(h.get()));
    EXPECT_TRUE(buffer);
    return buffer ? cue_of(buffer.get()) : TextCue{};
  }

  // Waits for the next event of this type; those before it are dropped.
  gst::EventPtr next_event(GstEventType type) {
    while (gst::EventPtr event{gst_harness_pull_event(h.get())}) {
      if (GST_EVENT_TYPE(event.get()) == type) return event;
    }
    return nullptr;
  }

  Harness h;
  gst::ElementPtr element;
};

TEST(BcpSubtitle, MakesACueOfEachSetOfLabels) {
  Subtitle s;
  s.push(0, {"car"});
  s.push(kFrame, {"car"});
  s.push(2 * kFrame, {"person", "car"});
  s.push(3 * kFrame, {});
  EXPECT_EQ(s.next(), (TextCue{0, 200, "car"}));
  EXPECT_EQ(s.next(), (TextCue{200, 300, "person, car"}));
  // Where the first cue ends, then where nothing is shown.
  GstClockTime start, duration;
  const gst::EventPtr end = s.next_event(GST_EVENT_GAP), gap = s.next_event(GST_EVENT_GAP);
  ASSERT_TRUE(end && gap);
  gst_event_parse_gap(end.get(), &start, &duration);
  EXPECT_EQ(start, 2 * kFrame);
  EXPECT_EQ(duration, GST_CLOCK_TIME_NONE);
  gst_event_parse_gap(gap.get(), &start, &duration);
  EXPECT_EQ(start, 3 * kFrame);
}

TEST(BcpSubtitle, IsASparseStreamOfPlainText) {
  Subtitle s;
  s.push(0, {});
  const gst::EventPtr start = s.next_event(GST_EVENT_STREAM_START), caps = s.next_event(GST_EVENT_CAPS);
  ASSERT_TRUE(start && caps);
  GstStreamFlags flags;
  gst_event_parse_stream_flags(start.get(), &flags);
  EXPECT_TRUE(flags & GST_STREAM_FLAG_SPARSE);
  GstCaps* text = nullptr;
  gst_event_parse_caps(caps.get(), &text);
  const gst::CapsPtr wanted(gst_caps_from_string("text/x-raw,format=utf8"));
  EXPECT_TRUE(gst_caps_is_equal(text, wanted.get()));
}

TEST(BcpSubtitle, ClosesTheLastCueAtEos) {
  Subtitle s;
  s.push(0, {"car"});
  s.push(kFrame, {"car"});
  gst_harness_push_event(s.h.get(), gst_event_new_eos());
  EXPECT_EQ(s.next(), (TextCue{0, 200, "car"}));
  EXPECT_TRUE(s.next_event(GST_EVENT_EOS));
}

TEST(BcpSubtitle, TakesPropertiesWhilePlaying) {
  Subtitle s;
  g_object_set(s.element.get(), "probabilities", TRUE, "separator", " + ", "max-duration", 2 * kFrame, nullptr);
  for (GstClockTime i = 0; i < 3; ++i) s.push(i * kFrame, {"car", "person"});
  g_object_set(s.element.get(), "probabilities", FALSE, nullptr);
  for (GstClockTime i = 3; i < 6; ++i) s.push(i * kFrame, {"car", "person"});
  EXPECT_EQ(s.next(), (TextCue{0, 200, "car 0.90 + person 0.45"}));
  EXPECT_EQ(s.next(), (TextCue{200, 400, "car 0.90 + person 0.45"})) << "as the cue began";
  EXPECT_EQ(s.next(), (TextCue{400, 600, "car + person"}));
}

TEST(BcpSubtitle, ForgetsAnOpenCueWhenFlushed) {
  Subtitle s;
  s.push(0, {"car"});
  EXPECT_TRUE(gst_harness_push_event(s.h.get(), gst_event_new_flush_start()));
  EXPECT_EQ(s.push(kFrame, {"car"}), GST_FLOW_FLUSHING);
  EXPECT_TRUE(gst_harness_push_event(s.h.get(), gst_event_new_flush_stop(TRUE)));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 50 * kFrame;
  EXPECT_TRUE(gst_harness_push_event(s.h.get(), gst_event_new_segment(&segment)));
  s.push(49 * kFrame, {"before the segment"});
  s.push(50 * kFrame, {"person"});
  gst_harness_push_event(s.h.get(), gst_event_new_eos());
  EXPECT_EQ(s.next(), (TextCue{5000, 5100, "person"}));
}

TEST(BcpSubtitle, ShowsTheFramesOfAnEncodedStreamInTheirOrder) {
  Subtitle s;
  gst_harness_set_src_caps_str(s.h.get(), "video/x-h264,stream-format=avc,alignment=au,framerate=10/1");
  s.push(2 * kFrame, {"a"}, 0);
  s.push(5 * kFrame, {"b"}, kFrame);  // shown after the two that follow
  s.push(3 * kFrame, {"a"}, 2 * kFrame);
  s.push(4 * kFrame, {"a"}, 3 * kFrame);
  gst_harness_push_event(s.h.get(), gst_event_new_eos());
  EXPECT_EQ(s.next(), (TextCue{200, 500, "a"}));
  EXPECT_EQ(s.next(), (TextCue{500, 600, "b"}));
}

TEST(BcpSubtitle, SendsAnOpenCueWhenFramesStop) {
  Subtitle s;
  s.push(0, {"car"});
  s.push(kFrame, {"car"});
  EXPECT_EQ(s.next(), (TextCue{0, 200, "car"}));  // without another frame
  s.push(2 * kFrame, {"car"});
  s.push(3 * kFrame, {});
  EXPECT_EQ(s.next(), (TextCue{200, 300, "car"}));
}

TEST(BcpSubtitle, DoesNotForwardQosOfTheTextToTheVideo) {
  Subtitle s;
  gst_harness_push_upstream_event(s.h.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, GST_SECOND, 0));
  const gst::EventPtr latency(gst_event_new_latency(GST_SECOND));
  gst_harness_push_upstream_event(s.h.get(), gst_event_ref(latency.get()));
  bool passed = false;
  while (const gst::EventPtr event{gst_harness_try_pull_upstream_event(s.h.get())}) {
    EXPECT_NE(GST_EVENT_TYPE(event.get()), GST_EVENT_QOS);
    passed |= event.get() == latency.get();
  }
  EXPECT_TRUE(passed);
}

TEST(BcpSubtitle, AllowsPaddedRowsInATee) {
  Subtitle s;
  const gst::CapsPtr caps(gst_caps_from_string(kVideo));
  const gst::QueryPtr query(gst_query_new_allocation(caps.get(), FALSE));
  ASSERT_TRUE(gst_pad_peer_query(s.h.get()->srcpad, query.get()));
  EXPECT_TRUE(gst_query_find_allocation_meta(query.get(), GST_VIDEO_META_API_TYPE, nullptr));
}

TEST(BcpSubtitle, StartsAndStopsThreeTimes) {
  const Pipeline p = pipeline(
      "videotestsrc num-buffers=5 ! video/x-raw,format=GRAY8,width=16,height=16 ! identity name=tag ! bcpsubtitle ! "
      "fakesink name=out");
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, showing({"car"})); });
  std::vector<gst::BufferPtr> cues;
  collect(child(p, "out").get(), cues);
  for (std::size_t round = 1; round <= 3; ++round) {
    EXPECT_TRUE(run(p).empty());
    EXPECT_EQ(gst_element_set_state(p.get(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    EXPECT_EQ(cues.size(), round);
  }
}

TEST(BcpSubtitle, StopsWhileItsCuesAreNotTaken) {
  const Pipeline p = pipeline(
      "videotestsrc ! video/x-raw,format=GRAY8,width=16,height=16 ! identity name=tag ! bcpsubtitle "
      "max-duration=1000000 "
      "! fakesink");
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, showing({"car"})); });
  gst_element_set_state(p.get(), GST_STATE_PAUSED);  // the sink keeps the first
  EXPECT_EQ(gst_element_get_state(p.get(), nullptr, nullptr, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  EXPECT_EQ(gst_element_set_state(p.get(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
}

// A recording of eight seconds, ten frames a second: "car" for two, nothing for one, "car" and "person" for the rest.
constexpr int kFrames = 80;
const TextCues kRecorded{{0, 2000, "car"}, {3000, 8000, "car, person"}};

void label(GstBuffer* buffer) {
  const GstClockTime pts = GST_BUFFER_PTS(buffer);
  if (pts < 2 * GST_SECOND) {
    attach(buffer, showing({"car"}));
  } else if (pts >= 3 * GST_SECOND) {
    attach(buffer, showing({"car", "person"}));
  }
}

struct Recording {
  const char* name;
  const char* picture;  // size of the frames
  const char* tee;      // from the tee to the muxer
  const char* demux;
};
std::ostream& operator<<(std::ostream& out, const Recording& recording) {
  return out << recording.name;
}

class SubtitleTrack : public testing::TestWithParam<Recording> {};

TEST_P(SubtitleTrack, CanBeReadBack) {
  const Recording& how = GetParam();
  const Folder folder;
  {
    const Pipeline p =
        pipeline("videotestsrc num-buffers=" + std::to_string(kFrames) + " ! video/x-raw,format=I420,framerate=10/1," +
                 how.picture + " ! identity name=tag ! " + how.tee + " ! filesink location=" + folder.file("out"));
    on_each_buffer(child(p, "tag").get(), label);
    EXPECT_TRUE(run(p, 60).empty());
  }
  const Pipeline p = pipeline("filesrc location=" + folder.file("out") + " ! " + how.demux +
                              " name=d d.subtitle_0 ! text/x-raw ! fakesink name=text");
  std::vector<gst::BufferPtr> buffers;
  collect(child(p, "text").get(), buffers);
  EXPECT_TRUE(run(p).empty());
  TextCues cues;
  for (const auto& buffer : buffers) cues.push_back(cue_of(buffer.get()));
  EXPECT_EQ(joined(cues), kRecorded);
  EXPECT_LE(cues.size(), 2U * kFrames);
}

// Default queues: one second of video, or 10 MB, which is three frames of 1080p. Encoders with and without frame
// reordering; labels taken before the encoder and after it.
INSTANTIATE_TEST_SUITE_P(
    , SubtitleTrack,
    testing::Values(
        Recording{
            "Matroska", "width=160,height=120",
            "tee name=t ! queue ! x264enc ! h264parse ! mux. t. ! queue ! bcpsubtitle ! mux. matroskamux name=mux",
            "matroskademux"},
        Recording{"MatroskaOfAnEncoderWithoutDelay", "width=160,height=120",
                  "tee name=t ! queue ! x264enc tune=zerolatency ! mux. t. ! queue ! bcpsubtitle ! mux. matroskamux "
                  "name=mux",
                  "matroskademux"},
        Recording{
            "MatroskaOfLargeFrames", "width=1920,height=1080",
            "tee name=t ! queue ! x264enc tune=zerolatency speed-preset=ultrafast ! mux. t. ! queue ! bcpsubtitle "
            "! mux. matroskamux name=mux",
            "matroskademux"},
        Recording{"MatroskaWithoutAQueueBeforeTheSubtitles", "width=160,height=120",
                  "tee name=t ! queue ! x264enc ! h264parse ! mux. t. ! bcpsubtitle ! mux. matroskamux name=mux",
                  "matroskademux"},
        Recording{"MatroskaFromEncodedFrames", "width=160,height=120",
                  "x264enc bframes=3 ! h264parse ! tee name=t ! queue ! mux. t. ! queue ! bcpsubtitle ! mux. "
                  "matroskamux name=mux",
                  "matroskademux"},
        Recording{"WebM", "width=160,height=120",
                  "tee name=t ! queue ! vp8enc deadline=1 ! mux. t. ! queue ! bcpsubtitle ! mux. webmmux name=mux",
                  "matroskademux"},
        Recording{"Mp4", "width=160,height=120",
                  "tee name=t ! queue ! x264enc ! h264parse ! mux. t. ! queue ! bcpsubtitle ! mux. mp4mux name=mux",
                  "qtdemux"}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace bcp::test
