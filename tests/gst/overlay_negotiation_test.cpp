// SPDX-License-Identifier: LGPL-2.1-or-later
// Blended or attached: sinks that draw overlays, sinks that do not, and a change between them.

#include <atomic>

#include "overlay_element_support.hpp"

namespace bcp::test {
namespace {

using gst::BufferPtr;

constexpr char kFeature[] = "meta:GstVideoOverlayComposition";

std::string with_feature(const char* format, int width = 320, int height = 240, const char* memory = "SystemMemory") {
  std::string caps = raw_caps(format, width, height);
  return caps.insert(caps.find(','), std::string("(memory:") + memory + ", " + kFeature + ")");
}

std::string caps_of(GstPad* pad) {
  const gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  return caps ? gst::CharPtr(gst_caps_to_string(caps.get())).get() : "";
}
bool has_feature(const std::string& caps) {
  return caps.find(kFeature) != std::string::npos;
}

guint rectangles(GstBuffer* buffer) {
  const GstVideoOverlayCompositionMeta* meta = gst_buffer_get_video_overlay_composition_meta(buffer);
  return meta ? gst_video_overlay_composition_n_rectangles(meta->overlay) : 0;
}

// A bcpoverlay before a sink with these caps, which supports the meta or not.
struct Before : Overlay {
  Before(const std::string& sink_caps, bool understands, const std::string& caps = raw_caps("NV12")) : Overlay("", "") {
    gst_harness_set_sink_caps_str(get(), sink_caps.c_str());
    if (understands) {
      gst_harness_add_propose_allocation_meta(get(), GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, nullptr);
    }
    set_caps(caps);
  }
  std::string out() const { return caps_of(get()->sinkpad); }
};

const std::string kEither = with_feature("NV12") + ";" + raw_caps("NV12");

TEST(BcpOverlayNegotiation, AttachesForASinkThatDrawsOverlays) {
  Before overlay(kEither, true);
  EXPECT_TRUE(has_feature(overlay.out()));
  BufferPtr buffer = overlay.frame(scored(busy_street()));
  const BufferPtr kept(gst_buffer_ref(buffer.get()));
  const BufferPtr out = overlay.push(std::move(buffer));
  EXPECT_EQ(rectangles(out.get()), 1U);
  EXPECT_TRUE(changed(overlay, out).empty()) << "the pixels are not ours to touch";
  EXPECT_EQ(gst_buffer_peek_memory(out.get(), 0), gst_buffer_peek_memory(kept.get(), 0)) << "nor to copy";
  EXPECT_EQ(rectangles(kept.get()), 0U);
  EXPECT_NE(gst_buffer_get_bcp_meta(out.get()), nullptr);
  EXPECT_EQ(overlay.stat("attached"), 1U);
}

TEST(BcpOverlayNegotiation, AttachesWhatItWouldHaveDrawn) {
  Before overlay(kEither, true);
  const BufferPtr out = overlay.push(overlay.frame(scored(busy_street())));
  Overlay blending;
  const Area area = changed(blending, blending.push(blending.frame(scored(busy_street()))));
  GstVideoOverlayRectangle* rectangle =
      gst_video_overlay_composition_get_rectangle(gst_buffer_get_video_overlay_composition_meta(out.get())->overlay, 0);
  gint x = 0, y = 0;
  guint width = 0, height = 0;
  ASSERT_TRUE(gst_video_overlay_rectangle_get_render_rectangle(rectangle, &x, &y, &width, &height));
  EXPECT_NEAR(x, area.left, 2);
  EXPECT_NEAR(y, area.top, 2);
  EXPECT_NEAR(x + static_cast<int>(width), area.right + 1, 5);
  EXPECT_NEAR(y + static_cast<int>(height), area.bottom + 1, 5);
  EXPECT_TRUE(gst_video_overlay_rectangle_get_flags(rectangle) & GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
}

TEST(BcpOverlayNegotiation, AttachesTheSameRectangleWhileItsTextIsTheSame) {
  Before overlay(kEither, true);
  const auto number = [&](const gst::BcpResultPtr& result) {
    const BufferPtr out = overlay.push(overlay.frame(result));
    return gst_video_overlay_composition_get_seqnum(gst_buffer_get_video_overlay_composition_meta(out.get())->overlay);
  };
  const guint first = number(scored(busy_street()));
  EXPECT_EQ(number(scored(busy_street())), first);
  EXPECT_NE(number(scored({{"dog", 1, 1}})), first);
}

TEST(BcpOverlayNegotiation, BlendsForASinkThatDoesNotDrawOverlays) {
  Before overlay(raw_caps("NV12"), false);
  EXPECT_FALSE(has_feature(overlay.out()));
  const BufferPtr out = overlay.push(overlay.frame(scored(busy_street())));
  EXPECT_EQ(rectangles(out.get()), 0U);
  EXPECT_FALSE(changed(overlay, out).empty());
}

TEST(BcpOverlayNegotiation, BlendsForASinkThatTakesAnyCapsButNoOverlays) {
  Before overlay(kEither, false);
  EXPECT_FALSE(has_feature(overlay.out()));
  EXPECT_FALSE(changed(overlay, overlay.push(overlay.frame(scored(busy_street())))).empty());
  Overlay any;  // the harness's sink takes everything
  EXPECT_FALSE(has_feature(caps_of(any.get()->sinkpad)));
  EXPECT_FALSE(changed(any, any.push(any.frame(scored(busy_street())))).empty());
}

TEST(BcpOverlayNegotiation, AttachesIfTheSinkRequiresTheFeature) {
  Before overlay(with_feature("NV12"), false);
  EXPECT_TRUE(has_feature(overlay.out()));
  EXPECT_EQ(rectangles(overlay.push(overlay.frame(scored(busy_street()))).get()), 1U);
}

TEST(BcpOverlayNegotiation, AddsToTheOverlaysOfOthers) {
  Before overlay(with_feature("NV12"), true, with_feature("NV12"));
  EXPECT_TRUE(has_feature(overlay.out()));
  const BufferPtr picture(gst_buffer_new_allocate(nullptr, 8 * 8 * 4, nullptr));
  gst_buffer_add_video_meta(picture.get(), GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB, 8, 8);
  GstVideoOverlayRectangle* theirs =
      gst_video_overlay_rectangle_new_raw(picture.get(), 1, 2, 8, 8, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE);
  GstVideoOverlayComposition* composition = gst_video_overlay_composition_new(theirs);
  for (const bool ours : {true, true, false}) {
    BufferPtr buffer = ours ? overlay.frame(scored(busy_street())) : overlay.frame();
    gst_buffer_add_video_overlay_composition_meta(buffer.get(), composition);
    const BufferPtr out = overlay.push(std::move(buffer));
    ASSERT_EQ(rectangles(out.get()), ours ? 2U : 1U);
    EXPECT_EQ(gst_video_overlay_composition_get_rectangle(
                  gst_buffer_get_video_overlay_composition_meta(out.get())->overlay, 0),
              theirs);
    gpointer state = nullptr;
    guint metas = 0;
    while (gst_buffer_iterate_meta_filtered(out.get(), &state, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE)) ++metas;
    EXPECT_EQ(metas, 1U);
  }
  EXPECT_EQ(gst_video_overlay_composition_n_rectangles(composition), 1U) << "theirs is not ours to change";
  gst_video_overlay_composition_unref(composition);
  gst_video_overlay_rectangle_unref(theirs);
}

TEST(BcpOverlayNegotiation, AttachesInMemoryItCannotMap) {
  const auto gpu = [](const char* feature) {
    std::string caps = raw_caps("NV12");
    return caps.insert(caps.find(','), std::string("(memory:Gpu") + feature + ")");
  };
  Before overlay(with_feature("NV12", 320, 240, "Gpu"), true, gpu(""));
  EXPECT_TRUE(has_feature(overlay.out()));
  const BufferPtr out = overlay.push(overlay.frame(scored(busy_street())));
  EXPECT_EQ(rectangles(out.get()), 1U);
  EXPECT_TRUE(changed(overlay, out).empty());

  // Fails if no element can draw it.
  const gst::ElementPtr element(gst_element_factory_make("bcpoverlay", nullptr));
  gst_object_ref_sink(element.get());
  const gst::PadPtr src(gst_element_get_static_pad(element.get(), "src"));
  const gst::CapsPtr in(gst_caps_from_string(gpu("").c_str()));
  const gst::PadPtr sink(gst_element_get_static_pad(element.get(), "sink"));
  EXPECT_TRUE(gst_pad_query_accept_caps(sink.get(), in.get()));
  EXPECT_FALSE(gst_pad_query_accept_caps(src.get(), in.get()));
}

TEST(BcpOverlayNegotiation, PassesAllocationQueriesOnUnchanged) {
  for (const bool offers : {false, true}) {
    Overlay overlay("", "");
    if (offers) gst_harness_add_propose_allocation_meta(overlay.get(), GST_VIDEO_META_API_TYPE, nullptr);
    overlay.set_caps(raw_caps("NV12"));
    const gst::CapsPtr caps(gst_caps_from_string(raw_caps("NV12").c_str()));
    const gst::QueryPtr query(gst_query_new_allocation(caps.get(), FALSE));
    const gst::PadPtr sink(gst_element_get_static_pad(overlay.element(), "sink"));
    EXPECT_TRUE(gst_pad_query(sink.get(), query.get()));
    EXPECT_EQ(gst_query_find_allocation_meta(query.get(), GST_VIDEO_META_API_TYPE, nullptr), offers);
    EXPECT_EQ(gst_query_get_n_allocation_metas(query.get()), offers ? 1U : 0U);
  }
}

// A pipeline whose sink supports overlays while `takes` is true.
class Playing {
 public:
  explicit Playing(const std::string& between, int buffers = 30)
      : pipeline_(pipeline("videotestsrc pattern=white num-buffers=" + std::to_string(buffers) +
                           " ! video/x-raw,format=I420,width=320,height=240 ! identity name=tag ! bcpoverlay ! " +
                           between + " fakesink name=sink")),
        sink_(child(pipeline_, "sink")),
        pad_(gst_element_get_static_pad(sink_.get(), "sink")) {
    gst_pad_add_probe(pad_.get(), GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer, this, nullptr);
    gst_pad_add_probe(pad_.get(), GST_PAD_PROBE_TYPE_BUFFER, see, this, nullptr);
    on_each_buffer(child(pipeline_, "tag").get(), [this](GstBuffer* b) {
      attach(b, scored(busy_street()));
      if (before_) before_(sent_++);
    });
  }

  void before_each(std::function<void(int)> fn) { before_ = std::move(fn); }
  void take(bool overlays) {
    takes = overlays;
    gst_pad_push_event(pad_.get(), gst_event_new_reconfigure());
  }
  void run() { EXPECT_TRUE(test::run(pipeline_).empty()); }

  std::atomic<bool> takes = false;
  std::vector<bool> attached, drawn, feature;  // of each buffer that came

 private:
  static GstPadProbeReturn answer(GstPad*, GstPadProbeInfo* info, gpointer self) {
    GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
    if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
    if (static_cast<Playing*>(self)->takes) {
      gst_query_add_allocation_meta(query, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, nullptr);
    }
    return GST_PAD_PROBE_HANDLED;
  }
  static GstPadProbeReturn see(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
    auto* self = static_cast<Playing*>(data);
    GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    self->attached.push_back(rectangles(buffer) > 0);
    const auto all = bytes(buffer);
    self->drawn.push_back(*std::min_element(all.begin(), all.begin() + 320 * 240) < 200);
    self->feature.push_back(has_feature(caps_of(pad)));
    return GST_PAD_PROBE_OK;
  }

  Pipeline pipeline_;
  gst::ElementPtr sink_;
  gst::PadPtr pad_;
  std::function<void(int)> before_;
  int sent_ = 0;
};

// Every frame is labelled exactly once: blended, or attached with the caps feature.
void expect_labelled_once(const Playing& p, std::size_t count) {
  ASSERT_EQ(p.attached.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_NE(p.attached[i], p.drawn[i]) << i;
    EXPECT_EQ(p.attached[i], p.feature[i]) << i;
  }
}

TEST(BcpOverlayNegotiation, ChangesBetweenTheTwoWhilePlaying) {
  Playing p("");
  p.before_each([&](int i) {
    if (i % 10 == 5) p.take(!p.takes);
  });
  p.run();
  expect_labelled_once(p, 30);
  for (std::size_t i = 0; i < p.attached.size(); ++i) EXPECT_EQ(p.attached[i], (i + 5) / 10 % 2 == 1) << i;
}

TEST(BcpOverlayNegotiation, AsksThroughOtherElements) {
  for (const char* between : {"identity !", "queue !", "queue ! identity ! videoconvert !", "capsfilter !"}) {
    for (const bool takes : {true, false}) {
      Playing p(between, 5);
      p.takes = takes;
      p.run();
      expect_labelled_once(p, 5);
      EXPECT_EQ(p.attached.back(), takes) << between;
    }
  }
}

TEST(BcpOverlayNegotiation, ChangesBehindAQueueWhilePlaying) {
  Playing p("queue ! identity !", 60);
  p.before_each([&](int i) {
    if (i % 20 == 10) p.take(!p.takes);
  });
  p.run();
  expect_labelled_once(p, 60);
  EXPECT_FALSE(p.attached[0]);
  EXPECT_NE(std::find(p.attached.begin(), p.attached.end(), true), p.attached.end());
}

TEST(BcpOverlayNegotiation, WorksWithTextOverlaysOnEitherSide) {
  const gst::ElementPtr text(gst_element_factory_make("textoverlay", nullptr));
  if (!text) GTEST_SKIP() << "textoverlay is not installed";
  for (const char* order : {"textoverlay text=x ! bcpoverlay", "bcpoverlay ! textoverlay text=x"}) {
    const Pipeline p =
        pipeline(std::string("videotestsrc num-buffers=3 ! video/x-raw,format=I420,width=320,height=240 ! identity "
                             "name=tag ! ") +
                 order + " ! fakesink name=sink");
    on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, scored(busy_street())); });
    const gst::PadPtr pad(gst_element_get_static_pad(child(p, "sink").get(), "sink"));
    gst_pad_add_probe(
        pad.get(), GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
        [](GstPad*, GstPadProbeInfo* info, gpointer) {
          GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
          if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
          gst_query_add_allocation_meta(query, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, nullptr);
          return GST_PAD_PROBE_HANDLED;
        },
        nullptr, nullptr);
    std::vector<BufferPtr> seen;
    collect(child(p, "sink").get(), seen);
    EXPECT_TRUE(run(p).empty()) << order;
    ASSERT_EQ(seen.size(), 3U) << order;
    EXPECT_GE(rectangles(seen.back().get()), 1U) << order;
  }
}

}  // namespace
}  // namespace bcp::test
