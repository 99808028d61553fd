// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptagger with a text tower: arbitrary words, changed while frames flow.

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "common/layouts.hpp"
#include "tagger_support.hpp"

namespace bcp::test {
namespace {

constexpr GstClockTime kFrame = 40 * GST_MSECOND;

// The labels of a result in one string, and the number of scores.
std::string list_of(const GstBcpResult* result) {
  std::string list;
  const GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  for (guint k = 0; k < gst_bcp_labels_get_size(labels); ++k) {
    if (k) list += ',';
    list += gst_bcp_labels_get_name(labels, k);
  }
  return list;
}

TEST(BcpTaggerWords, ArePutToTheModelAsTheUserWroteThem) {
  Tagger tagger("labels=\"red, a green thing, blue\"", "toy-words");
  tagger.caps(rgb_caps());
  EXPECT_EQ(best(tagger.push(frame(kRed)).get()), "red");
  EXPECT_EQ(best(tagger.push(frame(kGreen, kFrame)).get()), "a green thing");
  EXPECT_TRUE(tagger.faults().empty());
}

TEST(BcpTaggerWords, AreRequiredByAModelWithoutLabels) {
  const auto faults = run(
      pipeline("videotestsrc num-buffers=1 ! bcptagger decision=softmax model=" + kBundles + "toy-words ! fakesink"));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].type, GST_MESSAGE_ERROR);
  EXPECT_NE(faults[0].text.find("labels or labels-file"), std::string::npos) << faults[0].text;
}

TEST(BcpTaggerWords, ChangeWhilePlayingAndKeepWhatWasLearnt) {
  Tagger tagger("labels=red,yellow preset=paper", "toy-words");
  tagger.caps(rgb_caps());
  for (guint i = 0; i < 4; ++i) tagger.push(frame(i % 2 ? kRed : kYellow, i * kFrame));
  const auto out = tagger.change("labels", "blue,yellow,red", kRed, 5 * kFrame);
  const GstBcpResult* result = gst_buffer_get_bcp_meta(out.get())->result;
  EXPECT_EQ(list_of(result), "blue,yellow,red");
  EXPECT_GE(gst_bcp_result_get_samples(result), 4);
  EXPECT_NE(gst_bcp_result_get_correction(result, 1), 0);
  EXPECT_EQ(gst_bcp_result_get_correction(result, 0), 0);  // nothing was learnt about blue
}

TEST(BcpTaggerWords, FollowTheTemplate) {
  Tagger tagger("labels=red,blue prompt-template=\"a photo of a {}\"", "toy-words");
  tagger.caps(rgb_caps());
  const auto logit = [](const gst::BufferPtr& out, guint k) {
    return gst_bcp_result_get_zero_shot(gst_buffer_get_bcp_meta(out.get())->result, k);
  };
  const double before = logit(tagger.push(frame(kRed)), 0);
  const auto out = tagger.change("prompt-template", "a photo of a {}\nsomething {} and yellow", kRed, kFrame);
  EXPECT_LT(logit(out, 0), before - 0.1);
  tagger.change("prompt-template", "no place for it", kRed, 2 * kFrame);
  const auto faults = tagger.faults();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].text.find("write {} there"), std::string::npos) << faults[0].text;
  EXPECT_NE(faults[0].text.find("the old labels stay in use"), std::string::npos) << faults[0].text;
}

TEST(BcpTaggerWords, HaveTemplatesAndSynonymsInAFile) {
  const Folder folder;
  write_file(folder.file("labels.json"),
             R"([{"label": "warm", "synonyms": ["red", "yellow"]}, {"label": "cold", "template": "very blue"}])");
  const auto faults = run(pipeline("videotestsrc num-buffers=1 ! bcptagger decision=softmax model=" + kBundles +
                                   "toy-words labels-file=" + folder.file("labels.json") + " ! fakesink"));
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].text.find("entry 2 (\"cold\")"), std::string::npos) << faults[0].text;
  write_file(folder.file("labels.json"),
             R"([{"label": "warm", "synonyms": ["red", "yellow"], "colour": "#e69f00"},
                 {"label": "cold", "template": "{} and blue"}])");
  Tagger tagger("labels-file=" + folder.file("labels.json"), "toy-words");
  tagger.caps(rgb_caps());
  const gst::BufferPtr first = tagger.push(frame(kYellow));
  EXPECT_EQ(best(first.get()), "warm");
  EXPECT_EQ(best(tagger.push(frame(kBlue, kFrame)).get()), "cold");
  const GstBcpLabels* labels = gst_bcp_result_get_labels(gst_buffer_get_bcp_meta(first.get())->result);
  EXPECT_EQ(gst_bcp_labels_get_color(labels, 0), 0xe69f00);
  EXPECT_EQ(gst_bcp_labels_get_color(labels, 1), -1);
}

std::string many_labels(unsigned from, unsigned count) {
  std::string labels = "red";
  for (unsigned i = 0; i < count; ++i) labels += ",label " + std::to_string(from + i);
  return labels;
}

TEST(BcpTaggerWords, ReportTheProgressOfALongList) {
  // A unique prefix: the embeddings of an earlier list would be cached.
  Tagger tagger("labels=red", "toy-slow-words");
  tagger.caps(rgb_caps());
  const auto start = std::chrono::steady_clock::now().time_since_epoch().count();
  std::string labels = "red";
  // Seconds of encoding on any machine: there is a message every half second.
  for (int i = 0; i < 960; ++i) labels += ",label " + std::to_string(start) + " " + std::to_string(i);
  tagger.change("labels", labels.c_str(), kRed, kFrame);
  EXPECT_EQ(tagger.stat<int>("labels"), 961);
  guint last = 0, seen = 0;
  for (const auto& message : tagger.messages("bcp-labels-progress")) {
    guint done = 0, total = 0;
    EXPECT_TRUE(gst_structure_get_uint(message.get(), "done", &done));
    EXPECT_TRUE(gst_structure_get_uint(message.get(), "total", &total));
    EXPECT_EQ(total, 961u);
    EXPECT_GT(done, last);
    last = done;
    ++seen;
  }
  EXPECT_GE(seen, 1u);
}

// Encoding takes tens of milliseconds for each list here. Frames are pushed as fast as they return, and none waits for
// an encoding: the longest time in the element is that of a frame on a busy machine.
TEST(BcpTaggerWords, ChangeAThousandTimesUnderLoadAndNoFrameWaits) {
  Tagger tagger("labels=\"" + many_labels(0, 3) + "\"", "toy-slow-words");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));

  std::atomic<bool> done = false;
  std::thread user([&] {
    for (unsigned i = 1; i <= 1000; ++i) {
      g_object_set(tagger.element(), "labels", many_labels(7 * i, 1 + i % 5).c_str(), nullptr);
      g_usleep(2000);
    }
    done = true;
  });
  std::vector<std::pair<std::string, guint>> lists;  // as the frames have them, and how many frames
  std::vector<double> times;
  std::size_t frames = 0, without = 0;
  const auto push_one = [&] {
    const auto start = std::chrono::steady_clock::now();
    const auto out = tagger.push(frame(kRed, ++frames * kFrame));
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    ASSERT_TRUE(out) << "a frame was lost";
    const GstBcpMeta* meta = gst_buffer_get_bcp_meta(out.get());
    if (!meta) return static_cast<void>(++without);
    const GstBcpResult* result = meta->result;
    const std::string list = list_of(result);
    if (lists.empty() || lists.back().first != list) lists.emplace_back(list, 0);
    ++lists.back().second;
    // Red is the first label of every list, and the frame is red: with the scores of another list this would fail.
    const guint size = gst_bcp_labels_get_size(gst_bcp_result_get_labels(result));
    for (guint k = 1; k < size; ++k) {
      ASSERT_GT(gst_bcp_result_get_zero_shot(result, 0), gst_bcp_result_get_zero_shot(result, k)) << list;
    }
  };
  while (!done) ASSERT_NO_FATAL_FAILURE(push_one());
  user.join();
  // The last list is in use at the end.
  const std::string last = many_labels(7000, 1 + 1000 % 5);
  for (int i = 0; i < 5000 && (lists.empty() || lists.back().first != last); ++i) {
    ASSERT_NO_FATAL_FAILURE(push_one());
    g_usleep(1000);
  }
  EXPECT_EQ(lists.back().first, last);
  EXPECT_EQ(without, 0u);
  EXPECT_GE(lists.size(), 2u);  // how many more depends on the machine
  EXPECT_TRUE(tagger.faults().empty());
  // Each list is complete and one of the requested lists.
  for (const auto& [list, count] : lists) {
    unsigned first = 0;
    ASSERT_EQ(std::sscanf(list.c_str(), "red,label %u", &first), 1) << list;
    ASSERT_EQ(first % 7, 0u) << list;
    EXPECT_EQ(list, many_labels(first, first ? 1 + first / 7 % 5 : 3));
  }
  std::sort(times.begin(), times.end());
  RecordProperty("frames", static_cast<int>(frames));
  RecordProperty("lists", static_cast<int>(lists.size()));
  RecordProperty("longest_ms", std::to_string(times.back()));
  RecordProperty("p99_ms", std::to_string(times[times.size() * 99 / 100]));
}

class TaggerOpens : public testing::TestWithParam<Layout> {};

TEST_P(TaggerOpens, AModelInEachLayout) {
  LayoutDirectory directory(GetParam().directory);
  GetParam().fill(directory);
  const std::string model = GetParam().open.empty() ? directory.path() : directory / GetParam().open;
  const Pipeline player = pipeline(
      "videotestsrc num-buffers=3 ! video/x-raw,width=320,height=240 ! bcptagger labels=cat,dog threshold=0 "
      "decision=softmax model=" +
      model + " ! bcppublish location=" + directory / "out.jsonl" + " ! fakesink");
  for (const auto& message : run(player)) EXPECT_EQ(message.type, GST_MESSAGE_INFO) << message.text;
  std::ifstream lines(directory / "out.jsonl");
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    ++count;
    EXPECT_TRUE(line.find("\"cat\"") != std::string::npos || line.find("\"dog\"") != std::string::npos) << line;
  }
  EXPECT_EQ(count, 3);
}

INSTANTIATE_TEST_SUITE_P(Every, TaggerOpens, testing::ValuesIn(sound_layouts()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace bcp::test
