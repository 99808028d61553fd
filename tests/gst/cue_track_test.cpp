// SPDX-License-Identifier: LGPL-2.1-or-later

#include "subtitle/cue_track.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <ostream>

#include "subtitle/cue_text.hpp"
#include "subtitle/presentation_order.hpp"
#include "support.hpp"

namespace bcp::subtitle {

static bool operator==(const Cue& a, const Cue& b) {
  return a.start == b.start && a.end == b.end && a.text == b.text;
}
static std::ostream& operator<<(std::ostream& out, const Cue& cue) {
  return out << cue.start << " to " << cue.end << " \"" << cue.text << '"';
}

namespace {

using Cues = std::vector<Cue>;
using Labels = std::vector<gst::LabelShown>;

// A track whose frames last 10.
struct Track {
  Cues add(GstClockTime start, const Labels& labels, GstClockTime limit = GST_CLOCK_TIME_NONE) {
    return track.add({start, 10, labels}, settings, limit);
  }
  CueSettings settings{.probabilities = false, .separator = ", ", .max_duration = 100};
  CueTrack track;
};

const Labels kCar{{"car", 0.9}};
const Labels kBoth{{"car", 0.9}, {"person", 0.5}};
const Labels kBothTurned{{"person", 0.8}, {"car", 0.7}};

TEST(CueTrack, ReturnsACueWhenItsLabelsChange) {
  Track t;
  EXPECT_EQ(t.add(0, kCar), Cues{});
  EXPECT_EQ(t.add(10, kCar), Cues{});
  EXPECT_EQ(t.add(20, kBoth), (Cues{{0, 20, "car"}}));
  EXPECT_EQ(t.add(30, kBothTurned), Cues{}) << "the same labels in another order";
  EXPECT_EQ(t.add(40, {}), (Cues{{20, 40, "car, person"}, {40, 50, ""}}));
}

TEST(CueTrack, ReturnsGapsAtOnce) {
  Track t;
  EXPECT_EQ(t.add(0, {}), (Cues{{0, 10, ""}}));
  EXPECT_EQ(t.add(10, {}), (Cues{{10, 20, ""}}));
  EXPECT_EQ(t.track.withheld(), 0U);
}

TEST(CueTrack, CutsALongCueAndContinuesIt) {
  Track t;
  for (GstClockTime start = 0; start < 90; start += 10) EXPECT_EQ(t.add(start, kBoth), Cues{});
  EXPECT_EQ(t.add(90, kBoth), (Cues{{0, 100, "car, person"}}));
  EXPECT_EQ(t.track.withheld(), 0U);
  EXPECT_EQ(t.add(100, kBothTurned), Cues{});
  EXPECT_EQ(t.add(110, kCar), (Cues{{100, 110, "person, car"}})) << "the next part begins with what is so then";
}

TEST(CueTrack, CutsAtTheShorterLimit) {
  Track t;
  EXPECT_EQ(t.add(0, kCar, 20), Cues{});
  EXPECT_EQ(t.add(10, kCar, 20), (Cues{{0, 20, "car"}}));
}

TEST(CueTrack, ReturnsNoTimeTwiceAfterACut) {
  Track t;
  t.add(0, kCar);
  ASSERT_TRUE(t.track.cut());
  EXPECT_FALSE(t.track.cut());
  EXPECT_EQ(t.add(11, kBoth), Cues{}) << "no sliver from 10 to 11";
  EXPECT_EQ(t.add(21, {}), (Cues{{11, 21, "car, person"}, {21, 31, ""}}));
}

TEST(CueTrack, NeverLetsCuesOverlap) {
  Track t;
  t.add(0, kCar);
  t.track.cut();
  EXPECT_EQ(t.add(7, kBoth), Cues{});  // the first frame was shorter than its duration
  EXPECT_EQ(t.add(17, {}), (Cues{{10, 17, "car, person"}, {17, 27, ""}}));
}

TEST(CueTrack, BridgesMissingFramesButNotALongPause) {
  Track t;
  t.add(0, kCar);
  EXPECT_EQ(t.add(60, kCar), Cues{});
  EXPECT_EQ(t.add(200, kCar), (Cues{{0, 70, "car"}}));
  EXPECT_EQ(t.track.withheld(), 10U);
}

TEST(CueTrack, StartsANewTrackWhenTimeGoesBack) {
  Track t;
  t.add(50, kCar);
  EXPECT_EQ(t.add(20, kCar), (Cues{{50, 60, "car"}}));
  EXPECT_EQ(t.add(30, {}), (Cues{{20, 30, "car"}, {30, 40, ""}}));
}

TEST(CueTrack, KeepsLabelsThatOnlyTheFirstUnitOfAFrameHas) {
  Track t;
  t.add(0, kCar);
  EXPECT_EQ(t.add(0, {}), Cues{});
  EXPECT_EQ(t.track.withheld(), 10U);
}

TEST(PresentationOrder, ReleasesAFrameWhenNoneCanComeBeforeIt) {
  PresentationOrder<int> order;
  std::vector<int> out;
  const auto take = [&](GstClockTime, int n) { out.push_back(n); };
  order.add(10, 0, 1, take);   // I, shown first
  order.add(40, 10, 4, take);  // P
  EXPECT_EQ(out, (std::vector<int>{1}));
  order.add(20, 20, 2, take);  // B
  order.add(30, 30, 3, take);  // B
  EXPECT_EQ(out, (std::vector<int>{1, 2, 3}));
  order.drain(take);
  EXPECT_EQ(out, (std::vector<int>{1, 2, 3, 4}));
  order.add(50, GST_CLOCK_TIME_NONE, 5, take);
  EXPECT_EQ(out.back(), 5);
}

TEST(LabelsShown, AreListedOnceFromAllResultsMostLikelyFirst) {
  const auto result = [](double car, double tree, gint region) {
    const char* names[] = {"boat", "car", "tree"};
    const gst::BcpLabelsPtr labels(gst_bcp_labels_new(names, 3));
    const test::Score scores[] = {{0, 0, 0, 0.9, 0.9, GST_BCP_SCORE_SHOWN_ZERO_SHOT},
                                  {0, 0, 0, 0, car, GST_BCP_SCORE_SHOWN},
                                  {0, 0, 0, 0, tree, GST_BCP_SCORE_SHOWN}};
    return test::make_result(labels.get(), scores, {.pts = 0, .region_id = region});
  };
  const gst::BufferPtr buffer(gst_buffer_new());
  EXPECT_TRUE(gst::labels_shown(buffer.get()).empty());
  test::attach(buffer.get(), result(0.3, 0.4, -1));
  test::attach(buffer.get(), result(0.9, 0.9, 2));  // of a region, so not of the whole frame
  test::attach(buffer.get(), result(0.7, 0.2, -1));
  EXPECT_EQ(cue_text(gst::labels_shown(buffer.get()), " | ", true), "car 0.70 | tree 0.40");
}

TEST(LabelsShown, TakeLinearTime) {
  constexpr guint kMany = 20'000;
  std::vector<std::string> names;
  std::vector<const char*> pointers;
  std::vector<test::Score> scores(kMany);
  for (guint i = 0; i < kMany; ++i) names.push_back("label " + std::to_string(i));
  for (const std::string& name : names) pointers.push_back(name.c_str());
  const gst::BcpLabelsPtr labels(gst_bcp_labels_new(pointers.data(), kMany));
  const auto shown = [&](guint step) {
    for (guint i = 0; i < kMany; ++i) scores[i] = {0, 0, 0, 0, (i * step % kMany) / 20'000.0, GST_BCP_SCORE_SHOWN};
    const gst::BcpResultPtr result = test::make_result(labels.get(), scores, {.source_id = "cam", .pts = 0});
    const gst::BufferPtr buffer(gst_buffer_new());
    gst_buffer_add_bcp_meta(buffer.get(), result.get(), FALSE, 0);
    return gst::labels_shown(buffer.get());
  };
  const auto start = std::chrono::steady_clock::now();
  Track track;
  EXPECT_EQ(track.add(0, shown(7919)), Cues{});
  EXPECT_EQ(track.add(10, shown(17)), Cues{}) << "the same labels in another order";
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3))
      << "eight, when each was compared to each";
}

TEST(CueText, IsPlainTextForAnyLabel) {
  EXPECT_EQ(plain_text("猫 кошка café"), "猫 кошка café");
  EXPECT_EQ(plain_text("<b>bold</b> {\\an8}"), "\u2039b\u203Abold\u2039/b\u203A (\\an8)");
  EXPECT_EQ(plain_text("a\nb\r\tc\x1B[0m\u2028d\u202Ee"), "a b  c [0m d e");
  EXPECT_EQ(plain_text(std::string("x\0y\xFF", 4)), "x y\uFFFD");
  EXPECT_EQ(cue_text({{"nan", std::nan("")}, {"more", 1.5}}, "\n", true), "nan 0.00\nmore 1.00");
}

}  // namespace
}  // namespace bcp::subtitle
