// SPDX-License-Identifier: LGPL-2.1-or-later
// bcptaggers that share a model by model-instance-id.

#include <thread>

#include "tagger_support.hpp"

namespace bcp::test {
namespace {

constexpr int kStreams = 4, kFrames = 100;
constexpr Colour kColours[] = {kRed, kGreen, kBlue, kYellow};

TEST(BcpTaggerSharing, EveryStreamHasItsOwnLabels) {
  std::vector<std::unique_ptr<Tagger>> taggers;
  for (int i = 0; i < kStreams; ++i) {
    taggers.push_back(std::make_unique<Tagger>("model-instance-id=own-labels"));
    taggers.back()->caps(rgb_caps());
  }
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < kStreams; ++i) {
    threads.emplace_back([&wrong, &tagger = *taggers[static_cast<std::size_t>(i)], i] {
      const std::string expected[] = {"red", "green", "blue", "yellow"};
      for (int n = 0; n < kFrames; ++n) {
        const int colour = (i + n) % kStreams;
        const auto out = tagger.push(frame(kColours[colour], static_cast<GstClockTime>(n) * 40 * GST_MSECOND));
        if (best(out.get()) != expected[colour]) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (const auto& tagger : taggers) EXPECT_EQ(tagger->stat<int>("scored"), kFrames);
}

TEST(BcpTaggerSharing, ChangesTheLabelsOfOneStreamOnly) {
  Tagger one("model-instance-id=words labels=red\\,green", "toy-words");
  Tagger two("model-instance-id=words labels=red\\,green", "toy-words");
  one.caps(rgb_caps());
  two.caps(rgb_caps());
  EXPECT_EQ(best(one.change("labels", "blue", kRed).get()), "blue");
  EXPECT_EQ(best(two.push(frame(kRed)).get()), "red");
}

// Each frame of the slow stream waits for at most one frame of the fast stream; else this test does not end.
TEST(BcpTaggerSharing, ABusyStreamDoesNotStarveTheOthers) {
  Tagger fast("mode=async model-instance-id=starve"), slow("mode=async model-instance-id=starve");
  fast.caps(rgb_caps());
  slow.caps(rgb_caps());
  std::atomic<bool> enough = false;
  std::thread flood([&] {
    for (GstClockTime n = 0; !enough; ++n) fast.push(frame(kRed, n * GST_MSECOND));
  });
  for (int n = 1; n <= 20; ++n) {
    slow.push(frame(kGreen, static_cast<GstClockTime>(n) * GST_SECOND));
    for (int i = 0; i < 30'000 && slow.stat<int>("scored") < n; ++i) g_usleep(1000);
    ASSERT_EQ(slow.stat<int>("scored"), n);
  }
  enough = true;
  flood.join();
}

TEST(BcpTaggerSharing, StreamsStartAndStopWhileOthersPlay) {
  const std::string line =
      "videotestsrc is-live=true ! video/x-raw,framerate=100/1,width=64,height=48 ! "
      "bcptagger name=tagger mode=async decision=softmax model-instance-id=come-and-go model=" +
      kBundles + "toy ! fakesink";
  const auto scored = [](const Pipeline& p) { return count_in_stats(child(p, "tagger").get(), "scored"); };
  const auto staying = pipeline(line);
  gst_element_set_state(staying.get(), GST_STATE_PLAYING);
  std::vector<std::thread> guests;
  for (int i = 0; i < 3; ++i) {
    guests.emplace_back([&] {
      for (int visit = 0; visit < 5; ++visit) {
        const auto guest = pipeline(line);
        gst_element_set_state(guest.get(), GST_STATE_PLAYING);
        for (int wait = 0; wait < 30'000 && scored(guest) == 0; ++wait) g_usleep(1000);
        EXPECT_GT(scored(guest), 0u);
      }
    });
  }
  for (std::thread& guest : guests) guest.join();
  const guint64 before = scored(staying);
  for (int wait = 0; wait < 30'000 && scored(staying) == before; ++wait) g_usleep(1000);
  EXPECT_GT(scored(staying), before);
}

TEST(BcpTaggerSharing, ReportsWhichSettingDiffers) {
  Tagger one("model-instance-id=disagree");
  one.caps(rgb_caps());
  const auto other =
      pipeline("videotestsrc num-buffers=2 ! bcptagger model-instance-id=disagree decision=softmax model=" + kBundles +
               "toy-fixed ! fakesink");
  const auto found = run(other);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text.find("model-instance-id=disagree is already in use with the model"), std::string::npos)
      << found[0].text;
}

}  // namespace
}  // namespace bcp::test
