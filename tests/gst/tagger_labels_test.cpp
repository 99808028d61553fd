// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptagger's labels: chosen, changed while playing, refused.

#include "no_threads.hpp"
#include "tagger_support.hpp"

namespace bcp::test {
namespace {

constexpr GstClockTime kFrame = 40 * GST_MSECOND;

std::vector<std::string> names(GstBuffer* buffer) {
  std::vector<std::string> all;
  const GstBcpMeta* meta = gst_buffer_get_bcp_meta(buffer);
  if (!meta) return all;
  const GstBcpLabels* labels = gst_bcp_result_get_labels(meta->result);
  for (guint k = 0; k < gst_bcp_labels_get_size(labels); ++k) all.emplace_back(gst_bcp_labels_get_name(labels, k));
  return all;
}

using Names = std::vector<std::string>;

TEST(BcpTaggerLabels, AreThoseOfTheBundleByDefault) {
  Tagger tagger;
  tagger.caps(rgb_caps());
  EXPECT_EQ(names(tagger.push(frame(kRed)).get()), (Names{"red", "green", "blue", "yellow", "cyan", "magenta"}));
}

TEST(BcpTaggerLabels, AreScoredInTheOrderGiven) {
  Tagger tagger("labels=\"blue, red\"");
  tagger.caps(rgb_caps());
  EXPECT_EQ(names(tagger.push(frame(kRed)).get()), (Names{"blue", "red"}));
}

TEST(BcpTaggerLabels, ComeFromAFileWithCrLfAndByteOrderMark) {
  const Folder folder;
  write_file(folder.file("labels.txt"), "\xEF\xBB\xBF# colours\r\nred\r\n\r\n  green \r\n");
  Tagger tagger("labels-file=" + folder.file("labels.txt"));
  tagger.caps(rgb_caps());
  EXPECT_EQ(names(tagger.push(frame(kRed)).get()), (Names{"red", "green"}));
}

TEST(BcpTaggerLabels, CanHaveTheirOwnThreshold) {
  const Folder folder;
  write_file(folder.file("labels.json"), R"(["red", {"label": "green", "threshold": 0.000000000001}])");
  Tagger tagger("labels-file=" + folder.file("labels.json"));
  tagger.caps(rgb_caps());
  EXPECT_EQ(shown(tagger.push(frame(kRed)).get()).count("green"), 1u);
}

TEST(BcpTaggerLabels, ChangeAtAFrameBoundaryAndKeepWhatWasLearnt) {
  Tagger tagger("preset=paper inference-interval=1000");
  tagger.caps(rgb_caps());
  for (guint i = 0; i < 4; ++i) {
    tagger.event(gst_event_new_flush_start());  // each frame after a flush is scored
    tagger.event(gst_event_new_flush_stop(TRUE));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    tagger.event(gst_event_new_segment(&segment));
    tagger.push(frame(i % 2 ? kRed : kYellow, i * kFrame));
  }
  const auto out = tagger.change("labels", "yellow,cyan,red", kRed, 5 * kFrame);
  EXPECT_EQ(names(out.get()), (Names{"yellow", "cyan", "red"}));
  const GstBcpMeta* meta = gst_buffer_get_bcp_meta(out.get());
  EXPECT_FALSE(meta->held);
  EXPECT_EQ(gst_bcp_result_get_samples(meta->result), 4);
  EXPECT_NE(gst_bcp_result_get_correction(meta->result, 0), 0);
  const auto active = tagger.messages("bcp-labels-active");
  ASSERT_EQ(active.size(), 1u);
  guint count = 0, serial = 0;
  EXPECT_TRUE(gst_structure_get_uint(active[0].get(), "count", &count));
  EXPECT_TRUE(gst_structure_get_uint(active[0].get(), "serial", &serial));
  EXPECT_EQ(count, 3u);
  EXPECT_GT(serial, 0u);
  EXPECT_EQ(tagger.stat<int>("labels"), 3);
}

TEST(BcpTaggerLabels, StayInUseWhenTheNewOnesAreRefused) {
  Tagger tagger("labels=red,green");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  for (const char* bad : {"red,purpel", "red,red", " , ,", "red,\xff\xfe"}) {
    const auto out = tagger.change("labels", bad, kRed, kFrame);
    EXPECT_EQ(names(out.get()), (Names{"red", "green"})) << bad;
    const auto faults = tagger.faults();
    ASSERT_EQ(faults.size(), 1u) << bad;
    EXPECT_EQ(faults[0].type, GST_MESSAGE_WARNING);
    EXPECT_NE(faults[0].text.find("the old labels stay in use"), std::string::npos) << faults[0].text;
  }
  EXPECT_TRUE(tagger.messages("bcp-labels-active").empty());
  EXPECT_EQ(names(tagger.change("labels", nullptr, kRed, 2 * kFrame).get()).size(), 6u);
}

TEST(BcpTaggerLabels, ComeFromThePropertySetLast) {
  const Folder folder;
  write_file(folder.file("labels.txt"), "blue\n");
  Tagger tagger("labels=red,green");
  tagger.caps(rgb_caps());
  EXPECT_EQ(names(tagger.change("labels-file", folder.file("labels.txt").c_str(), kRed).get()), (Names{"blue"}));
  EXPECT_EQ(names(tagger.change("labels", "green", kRed, kFrame).get()), (Names{"green"}));
}

TEST(BcpTaggerLabels, AreCorrectedOnlyAboveTheAnchorConfidence) {
  Tagger tagger("preset=paper anchor-confidence=1");
  tagger.caps(rgb_caps());
  const auto corrected = [&](GstClockTime pts) {
    const auto out = tagger.push(frame(kRed, pts));
    const GstBcpResult* result = gst_buffer_get_bcp_meta(out.get())->result;
    return gst_bcp_result_get_correction(result, 3) != 0;
  };
  tagger.push(frame(kYellow));
  EXPECT_FALSE(corrected(kFrame));
  g_object_set(tagger.element(), "anchor-confidence", 0.2, nullptr);
  EXPECT_TRUE(corrected(2 * kFrame));
  gst_util_set_object_arg(G_OBJECT(tagger.element()), "correction", "none");
  EXPECT_FALSE(corrected(3 * kFrame));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers have a pthread_create() of their own
TEST(BcpTaggerLabels, StayInUseWithoutAThreadForNewOnes) {
  Tagger tagger;
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  const int before = tagger.stat<int>("labels");
  {
    const NoThreads none;
    g_object_set(tagger.element(), "labels", "red, blue", nullptr);
    for (int i = 1; i <= 3; ++i) {
      const gst::BufferPtr out = tagger.push(frame(kRed, static_cast<GstClockTime>(i) * 40 * GST_MSECOND));
      ASSERT_NE(out, nullptr);
      EXPECT_EQ(best(out.get()), "red");
    }
    EXPECT_EQ(none.refused(), 1) << "not once a frame";
  }
  const std::vector<Message> said = tagger.faults();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].type, GST_MESSAGE_WARNING);
  EXPECT_NE(said[0].text.find("cannot start a thread for new labels"), std::string::npos) << said[0].text;
  EXPECT_NE(said[0].text.find("the old labels stay in use"), std::string::npos) << said[0].text;
  EXPECT_EQ(tagger.stat<int>("faults"), 1);
  EXPECT_EQ(tagger.stat<int>("labels"), before);

  tagger.change("labels", "red, blue", kRed, GST_SECOND);  // once there are threads again
  EXPECT_EQ(tagger.stat<int>("labels"), 2);
}
#endif

}  // namespace
}  // namespace bcp::test
