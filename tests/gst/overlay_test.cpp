// SPDX-License-Identifier: LGPL-2.1-or-later
// bcpoverlay: what reaches the frames, properties, caps, regions.

#include <gst/video/gstvideometa.h>

#include <atomic>
#include <thread>

#include "overlay_element_support.hpp"

namespace bcp::test {
namespace {

using gst::BufferPtr;

TEST(BcpOverlay, DrawsAPanelOnlyInItsCorner) {
  Overlay overlay("position=top-left");
  const Area area = changed(overlay, overlay.push(overlay.frame(scored(busy_street()))));
  ASSERT_FALSE(area.empty());
  EXPECT_LT(area.left, 12);
  EXPECT_LT(area.top, 12);
  EXPECT_LT(area.bottom, 120);
  EXPECT_TRUE(overlay.faults().empty());
}

TEST(BcpOverlay, DrawsInEachCorner) {
  Overlay overlay("max-lines=1");
  struct Case {
    const char* position;
    bool right, bottom;
  };
  for (const Case& c : {Case{"top-left", false, false}, Case{"top-right", true, false},
                        Case{"bottom-left", false, true}, Case{"bottom-right", true, true}}) {
    gst_util_set_object_arg(G_OBJECT(overlay.element()), "position", c.position);
    const Area area = changed(overlay, overlay.push(overlay.frame(scored(busy_street()))));
    ASSERT_FALSE(area.empty()) << c.position;
    EXPECT_EQ(area.right > 300, c.right) << c.position;
    EXPECT_EQ(area.left < 20, !c.right) << c.position;
    EXPECT_EQ(area.bottom > 220, c.bottom) << c.position;
    EXPECT_EQ(area.top < 20, !c.bottom) << c.position;
  }
}

TEST(BcpOverlay, PassesTheSameBufferWhenThereIsNothingToDraw) {
  Overlay overlay;
  const auto nothing = scored({{"car", 0.1, 0.1, 0, GST_BCP_SCORE_NONE}}, -1);
  for (const bool with_result : {false, true}) {
    BufferPtr buffer = with_result ? overlay.frame(nothing) : overlay.frame();
    const BufferPtr kept(gst_buffer_ref(buffer.get()));  // so it is not writable either
    EXPECT_EQ(overlay.push(std::move(buffer)).get(), kept.get());
  }
  g_object_set(overlay.element(), "enabled", FALSE, nullptr);
  BufferPtr buffer = overlay.frame(scored(busy_street()));
  const BufferPtr kept(gst_buffer_ref(buffer.get()));
  EXPECT_EQ(overlay.push(std::move(buffer)).get(), kept.get());
  EXPECT_EQ(overlay.stat("frames"), 3U);
  EXPECT_EQ(overlay.stat("blended"), 0U);
}

TEST(BcpOverlay, DoesNotChangeAFrameThatOthersHold) {
  Overlay overlay;
  BufferPtr buffer = overlay.frame(scored(busy_street()));
  const BufferPtr kept(gst_buffer_ref(buffer.get()));
  const BufferPtr out = overlay.push(std::move(buffer));
  EXPECT_NE(out.get(), kept.get());
  EXPECT_TRUE(changed(overlay, kept).empty());
  EXPECT_FALSE(changed(overlay, out).empty());
}

TEST(BcpOverlay, DrawsAgainOnlyWhenItsTextHasChanged) {
  Overlay overlay;
  const auto result = scored(busy_street());
  for (int i = 0; i < 5; ++i) overlay.push(overlay.frame(result));
  EXPECT_EQ(overlay.stat("drawn"), 1U);
  auto alike = busy_street();
  alike[0].corrected += 0.001;
  overlay.push(overlay.frame(scored(alike)));
  EXPECT_EQ(overlay.stat("drawn"), 1U);
  alike[0].corrected -= 0.1;
  overlay.push(overlay.frame(scored(alike)));
  EXPECT_EQ(overlay.stat("drawn"), 2U);
  EXPECT_EQ(overlay.stat("blended"), 7U);
}

TEST(BcpOverlay, DimsAHeldResultOnceItIsOld) {
  Overlay overlay("dim-after=100");
  const auto result = scored(busy_street());
  const auto push = [&](bool held, GstClockTime age) {
    BufferPtr buffer = overlay.frame();
    gst_buffer_add_bcp_meta(buffer.get(), result.get(), held, age);
    return bytes(overlay.push(std::move(buffer)).get());
  };
  const auto fresh = push(false, 0);
  EXPECT_EQ(push(true, 99), fresh);
  const auto old = push(true, 100);
  EXPECT_NE(old, fresh);
  EXPECT_LT(*std::max_element(old.begin(), old.end()), *std::max_element(fresh.begin(), fresh.end()));
  EXPECT_EQ(push(true, GST_CLOCK_TIME_NONE), old);
  EXPECT_EQ(push(false, 1000), fresh) << "a result that is not held is not dimmed";
  g_object_set(overlay.element(), "dim-after", G_GUINT64_CONSTANT(0), nullptr);
  EXPECT_EQ(push(true, 0), old);
}

TEST(BcpOverlay, UsesEveryPropertyFromTheNextFrameOn) {
  Overlay overlay;
  const auto result = scored(busy_street());
  std::vector<std::vector<std::uint8_t>> seen;
  const auto differs = [&] {
    seen.push_back(bytes(overlay.push(overlay.frame(result)).get()));
    for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
      if (seen[i] == seen.back()) return false;
    }
    return true;
  };
  EXPECT_TRUE(differs());
  struct Change {
    const char *property, *value;
  };
  for (const Change& c : {Change{"position", "bottom-right"}, Change{"font", "Noto Serif Bold"}, Change{"scale", "0.8"},
                          Change{"opacity", "0.6"}, Change{"max-lines", "2"}, Change{"show", "probability+bar"},
                          Change{"compare", "true"}, Change{"show", "source+all"}, Change{"enabled", "false"}}) {
    gst_util_set_object_arg(G_OBJECT(overlay.element()), c.property, c.value);
    EXPECT_TRUE(differs()) << c.property << "=" << c.value;
  }
  EXPECT_TRUE(overlay.faults().empty());
}

TEST(BcpOverlay, TakesPropertyChangesWhilePlaying) {
  const Pipeline p = pipeline(
      "videotestsrc num-buffers=120 ! video/x-raw,format=I420,width=320,height=240 ! identity name=tag ! "
      "bcpoverlay name=overlay ! fakesink");
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, scored(busy_street())); });
  const gst::ElementPtr overlay = child(p, "overlay");
  std::atomic<bool> done = false;
  std::thread changes([&] {
    const char* fonts[] = {"Sans", "Noto Sans Bold 40", "no such font, at all", ""};
    for (int i = 0; !done; ++i) {
      g_object_set(overlay.get(), "font", fonts[i % 4], "scale", 0.5 + i % 3, "opacity", 0.25 * (i % 5), "max-lines",
                   1 + i % 7, "compare", i % 2, "position", i % 4, "show", i % 256, "enabled", i % 9 != 0, nullptr);
      GstStructure* stats = nullptr;
      g_object_get(overlay.get(), "stats", &stats, nullptr);
      gst_structure_free(stats);
      std::this_thread::yield();
    }
  });
  EXPECT_TRUE(run(p, 60).empty());
  done = true;
  changes.join();
}

TEST(BcpOverlay, FollowsCapsThatChangeInTheStream) {
  Overlay overlay;
  const auto result = scored(busy_street());
  for (const char* format : {"NV12", "GRAY8", "BGRx", "I420", "v210", "RGB16", "P010_10LE", "NV12"}) {
    for (const auto& [width, height] : {std::pair{320, 240}, {64, 64}, {641, 361}, {3, 1}}) {
      overlay.set_caps(raw_caps(format, width, height));
      const std::vector<std::uint8_t> before = bytes(overlay.frame().get());
      const BufferPtr out = overlay.push(overlay.frame(result));
      ASSERT_TRUE(out) << format;
      if (width >= 64) {
        EXPECT_NE(bytes(out.get()), before) << format << " " << width;
      }
    }
  }
  EXPECT_TRUE(overlay.faults().empty());
}

TEST(BcpOverlay, HonoursThePixelAspectRatio) {
  Overlay overlay("", raw_caps("GRAY8", 640, 480));
  const Area square = changed(overlay, overlay.push(overlay.frame(scored(busy_street()))));
  overlay.set_caps(raw_caps("GRAY8", 320, 480) + ",pixel-aspect-ratio=2/1");
  const Area wide = changed(overlay, overlay.push(overlay.frame(scored(busy_street()))));
  EXPECT_NEAR(2 * (wide.right - wide.left), square.right - square.left, 16);
  EXPECT_NEAR(wide.bottom - wide.top, square.bottom - square.top, 8);
}

TEST(BcpOverlay, RespectsTheStridesOfTheBuffer) {
  Overlay overlay("", raw_caps("GRAY8", 101, 75));
  constexpr gsize kStride = 160, kStart = 64;
  BufferPtr buffer(gst_buffer_new_allocate(nullptr, kStart + kStride * 75, nullptr));
  gst_buffer_memset(buffer.get(), 0, 128, kStart + kStride * 75);
  gsize offset[] = {kStart, 0, 0, 0};
  gint stride[] = {kStride, 0, 0, 0};
  gst_buffer_add_video_meta_full(buffer.get(), GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 101, 75, 1, offset,
                                 stride);
  attach(buffer.get(), scored(busy_street()));
  const auto all = bytes(overlay.push(std::move(buffer)).get());
  int inside = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool padding = i < kStart || (i - kStart) % kStride >= 101;
    if (padding) {
      EXPECT_EQ(all[i], 128) << i;
    } else {
      inside += all[i] != 128;
    }
  }
  EXPECT_GT(inside, 100);
}

TEST(BcpOverlay, DrawsIntoTheVisiblePartOfACroppedFrame) {
  Overlay overlay("", raw_caps("GRAY8", 200, 120));
  BufferPtr buffer(gst_buffer_new_allocate(nullptr, 320 * 240, nullptr));
  gst_buffer_memset(buffer.get(), 0, 128, 320 * 240);
  gst_buffer_add_video_meta(buffer.get(), GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 320, 240);
  GstVideoCropMeta* crop = gst_buffer_add_video_crop_meta(buffer.get());
  crop->x = 101, crop->y = 99, crop->width = 200, crop->height = 120;
  attach(buffer.get(), scored(busy_street()));
  const Area area = changed(overlay.push(std::move(buffer)).get(), 320, 240, 320);
  ASSERT_FALSE(area.empty());
  EXPECT_GE(area.left, 101);
  EXPECT_LT(area.left, 120);
  EXPECT_GE(area.top, 99);
  EXPECT_LT(area.top, 115);
}

TEST(BcpOverlay, ClearsTheGapFlagWhenItDraws) {
  Overlay overlay;
  BufferPtr gap = overlay.frame(scored(busy_street()));
  GST_BUFFER_FLAG_SET(gap.get(), GST_BUFFER_FLAG_GAP);
  const BufferPtr drawn = overlay.push(std::move(gap));
  EXPECT_FALSE(GST_BUFFER_FLAG_IS_SET(drawn.get(), GST_BUFFER_FLAG_GAP));
  gap = overlay.frame();
  GST_BUFFER_FLAG_SET(gap.get(), GST_BUFFER_FLAG_GAP);
  EXPECT_TRUE(GST_BUFFER_FLAG_IS_SET(overlay.push(std::move(gap)).get(), GST_BUFFER_FLAG_GAP));
}

TEST(BcpOverlay, WarnsOnceAboutAnUnsupportedFormat) {
  Overlay overlay("", raw_caps("RGB8P"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(overlay.push(overlay.frame(scored(busy_street()))));
  const auto said = overlay.faults();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].type, GST_MESSAGE_WARNING);
  EXPECT_NE(said[0].text.find("RGB8P"), std::string::npos);
  EXPECT_NE(said[0].text.find("videoconvert"), std::string::npos);
  EXPECT_EQ(overlay.stat("faults"), 3U);
}

TEST(BcpOverlay, WritesNothingBehindABufferThatHoldsOneField) {
  Overlay overlay("position=bottom-left", "");
  std::string caps = raw_caps("GRAY8") + ",interlace-mode=alternate";
  overlay.set_caps(caps.insert(caps.find(','), "(format:Interlaced)"));
  const std::size_t field = GST_VIDEO_INFO_SIZE(&overlay.info()), room = 2 * field;
  std::vector<std::uint8_t> memory(room, 128);
  BufferPtr buffer(
      gst_buffer_new_wrapped_full(static_cast<GstMemoryFlags>(0), memory.data(), room, 0, field, nullptr, nullptr));
  GST_BUFFER_FLAG_SET(buffer.get(), GST_VIDEO_BUFFER_FLAG_ONEFIELD);
  attach(buffer.get(), scored(busy_street()));
  EXPECT_TRUE(overlay.push(std::move(buffer)));
  EXPECT_EQ(std::count(memory.begin() + static_cast<std::ptrdiff_t>(field), memory.end(), 128),
            static_cast<std::ptrdiff_t>(room - field));
  const auto said = overlay.faults();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].type, GST_MESSAGE_WARNING);
  EXPECT_NE(said[0].text.find("deinterlace"), std::string::npos);
}

TEST(BcpOverlay, SurvivesMaliciousLabels) {
  Overlay overlay("compare=true show=probability+bar+correction+anchor+source+removed+all");
  std::vector<Scored> odd = {{"", 0.5, 0.5},
                             {"<span foreground='red'>", 0.5, 0.5},
                             {"\x01\x02\x1b[31m\n\r\t", 0.5, 0.5},
                             {std::string(5000, 'W'), 0.5, 0.5},
                             {"\xff\xfe\xc0", 0.5, 0.5},
                             {"\u202E\u202D\u2066", 0.5, 0.5},
                             {"e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", 0.5, 0.5},
                             {"%s%n{}", NAN, INFINITY, -INFINITY}};
  for (gint anchor = -1; anchor < static_cast<gint>(odd.size()); ++anchor) {
    EXPECT_TRUE(overlay.push(overlay.frame(scored(odd, anchor, -1, "\x01<b>source\n"))));
  }
  EXPECT_TRUE(overlay.faults().empty());
}

TEST(BcpOverlay, StartsAgainAfterStopping) {
  Overlay overlay;
  for (int i = 0; i < 3; ++i) {
    overlay.push(overlay.frame(scored(busy_street())));
    EXPECT_EQ(overlay.stat("frames"), 1U);
    gst_element_set_state(overlay.element(), GST_STATE_NULL);
    gst_element_set_state(overlay.element(), GST_STATE_PLAYING);
    gst_harness_push_event(overlay.get(), gst_event_new_stream_start("again"));
    overlay.set_caps(raw_caps("NV12"));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_harness_push_event(overlay.get(), gst_event_new_segment(&segment));
  }
}

// A box on `buffer`, and the result of that region.
void add_region(GstBuffer* buffer, int id, guint x, guint y, guint width, guint height,
                const std::vector<Scored>& labels) {
  GstVideoRegionOfInterestMeta* box =
      gst_buffer_add_video_region_of_interest_meta(buffer, "object", x, y, width, height);
  box->id = id;
  attach(buffer, scored(labels, -1, id));
}

TEST(BcpOverlay, DrawsTheBoxAndTagOfARegion) {
  Overlay overlay("", raw_caps("GRAY8"));
  BufferPtr buffer = overlay.frame();
  add_region(buffer.get(), 7, 100, 120, 80, 60, {{"dog", 0.9, 0.9}});
  const BufferPtr out = overlay.push(std::move(buffer));
  const Area area = changed(overlay, out);
  ASSERT_FALSE(area.empty());
  EXPECT_NEAR(area.left, 100, 4);
  EXPECT_NEAR(area.bottom, 179, 4);
  EXPECT_LT(area.top, 115) << "no tag above the box";
  const auto all = bytes(out.get());
  const auto at = [&](int x, int y) { return all[static_cast<std::size_t>(y * 320 + x)]; };
  EXPECT_EQ(at(140, 150), 128) << "what is inside the box";
  EXPECT_NE(at(101, 150), 128) << "its left side";
  EXPECT_NE(at(140, 121), 128) << "its upper side";
}

TEST(BcpOverlay, DrawsNothingForARegionWithoutLabels) {
  Overlay overlay("", raw_caps("GRAY8"));
  BufferPtr buffer = overlay.frame();
  gst_buffer_add_video_region_of_interest_meta(buffer.get(), "object", 100, 120, 80, 60)->id = 7;
  attach(buffer.get(), present({{"dog", 0.9, 0.1, 0.1, 0.1, kRemoved}}, {"street", 0.5, true, -1, 7}));
  EXPECT_TRUE(changed(overlay, overlay.push(std::move(buffer))).empty());
  BufferPtr whole = overlay.frame();
  attach(whole.get(), present({{"dog", 0.9, 0.1, 0.1, 0.1, kRemoved}}, {"street", 0.5, true, -1}));
  EXPECT_FALSE(changed(overlay, overlay.push(std::move(whole))).empty()) << "of the whole frame there is a note";
}

TEST(BcpOverlay, DrawsRegionsWhereScalingHasMovedThem) {
  const Pipeline p = pipeline(
      "videotestsrc pattern=white num-buffers=1 ! video/x-raw,format=GRAY8,width=640,height=480 ! identity name=tag ! "
      "videoscale ! video/x-raw,width=320,height=240 ! bcpoverlay ! fakesink name=sink");
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) {
    add_region(b, 7, 400, 300, 160, 100, {{"dog", 0.9, 0.9}});
  });
  std::vector<BufferPtr> seen;
  collect(child(p, "sink").get(), seen);
  EXPECT_TRUE(run(p).empty());
  ASSERT_EQ(seen.size(), 1U);
  const auto all = bytes(seen[0].get());
  const auto ground = all[0];
  int left = 320, bottom = 0;
  for (int y = 0; y < 240; ++y) {
    for (int x = 0; x < 320; ++x) {
      if (all[static_cast<std::size_t>(y * 320 + x)] == ground) continue;
      left = std::min(left, x), bottom = std::max(bottom, y);
    }
  }
  EXPECT_NEAR(left, 200, 4);
  EXPECT_NEAR(bottom, 199, 4);
}

TEST(BcpOverlay, IgnoresRegionsThatAreMissingOrOutside) {
  Overlay overlay("", raw_caps("I420"));
  struct Box {
    guint x, y, width, height;
  };
  for (const Box& b :
       {Box{0, 0, 320, 240}, Box{319, 239, 5, 5}, Box{320, 240, 10, 10}, Box{0, 0, 0, 0}, Box{0, 0, 1, 1},
        Box{300, 0, 100, 20}, Box{G_MAXUINT - 1, 5, 5, 5}, Box{10, 10, G_MAXUINT, G_MAXUINT}}) {
    BufferPtr buffer = overlay.frame();
    add_region(buffer.get(), 1, b.x, b.y, b.width, b.height, {{"dog", 0.9, 0.9}});
    EXPECT_TRUE(overlay.push(std::move(buffer)));
  }
  BufferPtr buffer = overlay.frame();
  attach(buffer.get(), scored(busy_street(), 0, 99));  // its region has no meta
  const BufferPtr kept(gst_buffer_ref(buffer.get()));
  EXPECT_EQ(overlay.push(std::move(buffer)).get(), kept.get());
  EXPECT_TRUE(overlay.faults().empty());
}

TEST(BcpOverlay, DrawsRegionsAndThePanelTogether) {
  Overlay overlay("", raw_caps("GRAY8"));
  BufferPtr buffer = overlay.frame(scored(busy_street()));
  add_region(buffer.get(), 1, 200, 150, 60, 60, {{"dog", 0.9, 0.9}});
  add_region(buffer.get(), 2, 20, 180, 60, 40, {{"cat", 0.8, 0.8}, {"sofa", 0.3, 0.3}});
  add_region(buffer.get(), 3, 120, 180, 60, 40, {{"cow", 0.1, 0.1, 0, GST_BCP_SCORE_NONE}});
  const Area area = changed(overlay, overlay.push(std::move(buffer)));
  EXPECT_LT(area.top, 12);
  EXPECT_GT(area.right, 250);
  EXPECT_GT(area.bottom, 200);
  g_object_set(overlay.element(), "show", 0, nullptr);
  buffer = overlay.frame();
  add_region(buffer.get(), 1, 200, 150, 60, 60, {{"dog", 0.9, 0.9}});
  EXPECT_TRUE(changed(overlay, overlay.push(std::move(buffer))).empty());
}

TEST(BcpOverlay, PutsATagWhereThePanelDoesNotHideIt) {
  // A box under the panel: its tag would be behind it.
  const auto lower_corner_is_drawn = [](const gst::BcpResultPtr& panel) {
    Overlay overlay("", raw_caps("GRAY8"));
    BufferPtr buffer = overlay.frame();
    if (panel) attach(buffer.get(), panel);
    add_region(buffer.get(), 1, 4, 30, 200, 180, {{"dog", 0.9, 0.9}});
    const std::vector<std::uint8_t> drawn = bytes(overlay.push(std::move(buffer)).get());
    return drawn[198 * 320 + 14] != 128;  // inside the box, past its outline
  };
  EXPECT_FALSE(lower_corner_is_drawn(nullptr));
  EXPECT_TRUE(lower_corner_is_drawn(scored(busy_street())));
}

}  // namespace
}  // namespace bcp::test
