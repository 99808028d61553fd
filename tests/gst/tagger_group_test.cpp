// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptaggers that learn together, by prior-group.

#include <atomic>
#include <filesystem>
#include <thread>

#include "tagger_prior_support.hpp"

namespace bcp::test {
namespace {

std::string in_group(const std::string& name, const std::string& more = "") {
  return "preset=paper prior-group=" + name + " " + more;
}

TEST(BcpTaggerGroup, CorrectsOneStreamWithTheStatisticsOfAnother) {
  Tagger alone("preset=paper"), one(in_group("together")), two(in_group("together")), other(in_group("other"));
  teach(alone);
  teach(one);
  const auto expected = alone.push(frame(kYellow, GST_SECOND));
  for (Tagger* each : {&two, &other}) each->caps(rgb_caps());
  const auto first = two.push(frame(kYellow));
  EXPECT_EQ(samples(first.get()), std::size(kLesson));
  EXPECT_EQ(corrections(first.get()), corrections(expected.get()));
  EXPECT_NE(corrections(first.get())["red"], 0);
  EXPECT_EQ(two.stat<double>("samples"), std::size(kLesson) + 1);
  EXPECT_EQ(two.stat<std::string>("prior-group"), "together");
  EXPECT_EQ(alone.stat<std::string>("prior-group"), "");
  EXPECT_EQ(samples(other.push(frame(kYellow)).get()), 0);
}

TEST(BcpTaggerGroup, IsKeptAcrossStreamsUntilTheLastElementStops) {
  Tagger one(in_group("lives")), two(in_group("lives"));
  teach(one);
  teach(two);
  two.event(gst_event_new_stream_start("one"));
  two.event(gst_event_new_stream_start("two"));
  EXPECT_EQ(samples(two.push(frame(kRed)).get()), 2 * std::size(kLesson));

  gst_element_set_state(one.element(), GST_STATE_READY);
  EXPECT_EQ(samples(two.push(frame(kGreen)).get()), 2 * std::size(kLesson) + 1);
  {
    Tagger three(in_group("lives"));
    three.caps(rgb_caps());
    EXPECT_EQ(three.stat<double>("samples"), 2 * std::size(kLesson) + 2);
  }
  gst_element_set_state(two.element(), GST_STATE_READY);
  Tagger later(in_group("lives"));
  EXPECT_EQ(later.stat<double>("samples"), 0);
}

TEST(BcpTaggerGroup, IsResetForAllElementsByOne) {
  Tagger one(in_group("forgets")), two(in_group("forgets"));
  teach(one);
  two.caps(rgb_caps());
  EXPECT_TRUE(emit(two, "reset-prior"));
  EXPECT_EQ(samples(one.push(frame(kYellow, GST_SECOND)).get()), 0);
  EXPECT_EQ(samples(two.push(frame(kYellow)).get()), 1);
}

TEST(BcpTaggerGroup, HasOneModel) {
  Tagger one(in_group("model"));
  const auto found = faults_of(three_frames(in_group("model"), "toy-fixed"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].type, GST_MESSAGE_ERROR);
  EXPECT_CONTAINS(found[0].text, "prior-group=model is already in use with another model");
  EXPECT_CONTAINS(found[0].text, "another prior-group");
}

TEST(BcpTaggerGroup, StaysTogetherWhenLabelsAreChangedOneAfterTheOther) {
  Tagger one(in_group("changes")), two(in_group("changes"));
  teach(one);
  two.caps(rgb_caps());
  for (Tagger* each : {&one, &two}) g_object_set(each->element(), "correction", 0, nullptr);
  ASSERT_TRUE(one.change("labels", "blue, red", kRed, GST_SECOND));
  const auto posted = one.faults();
  ASSERT_EQ(posted.size(), 1u);
  EXPECT_EQ(posted[0].type, GST_MESSAGE_INFO);
  EXPECT_CONTAINS(posted[0].text, "the labels of tagger differ from those of the others in prior-group=changes");
  const auto joined = two.change("labels", "blue, red", kRed, GST_SECOND);
  ASSERT_TRUE(joined);
  EXPECT_TRUE(two.faults().empty());
  const double known = samples(joined.get());
  EXPECT_GT(known, std::size(kLesson));
  EXPECT_EQ(samples(one.push(frame(kBlue, 2 * GST_SECOND)).get()), known + 1);
}

TEST(BcpTaggerGroup, ReportsAtStartWhoseLabelsDiffer) {
  Tagger one(in_group("apart"));
  teach(one);
  const auto same = three_frames(in_group("apart")), different = three_frames(in_group("apart", "labels=red\\,blue"));
  const auto infos = [](const Pipeline& p) {
    std::string all;
    for (const Message& message : run(p)) {
      if (message.text.find("prior-group") != std::string::npos) all += message.text;
    }
    return all;
  };
  EXPECT_EQ(infos(same), "");
  EXPECT_CONTAINS(infos(different), "the labels of second differ from those of the others in prior-group=apart");
}

// Its file

TEST(BcpTaggerGroup, IsKeptInOneFileThatAnyOfItsElementsMayName) {
  const Folder folder;
  const std::string path = folder.file("a.prior"), file = "prior-file=" + path;
  {
    Tagger named(in_group("kept", file)), unnamed(in_group("kept")), too(in_group("kept", file));
    teach(named);
    teach(unnamed);
    teach(too);
    EXPECT_TRUE(emit(unnamed, "save-prior"));
    ASSERT_TRUE(unnamed.await("bcp-prior-saved"));
    EXPECT_EQ(load(path).seen.samples(), 3 * std::size(kLesson));
    EXPECT_EQ(unnamed.stat<int>("prior-saves"), 1);
    EXPECT_EQ(named.stat<int>("prior-saves"), 0);

    // The group keeps the file when the elements that set prior-file stop.
    gst_element_set_state(named.element(), GST_STATE_READY);
    gst_element_set_state(too.element(), GST_STATE_READY);
    unnamed.push(frame(kRed, GST_SECOND));
  }
  EXPECT_EQ(load(path).seen.samples(), 3 * std::size(kLesson) + 1);

  Tagger first(in_group("kept", file)), second(in_group("kept", file));
  EXPECT_EQ(first.stat<double>("prior-loaded"), 3 * std::size(kLesson) + 1);
  EXPECT_EQ(second.stat<double>("prior-loaded"), 0);  // loaded once, by the first
  EXPECT_EQ(second.stat<double>("samples"), 3 * std::size(kLesson) + 1);
}

TEST(BcpTaggerGroup, AddsTheFileToWhatWasLearntBeforeItWasSet) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  run_once(in(path));
  Tagger early(in_group("late"));
  teach(early);
  Tagger late(in_group("late", "prior-file=" + path));
  EXPECT_EQ(late.stat<double>("prior-loaded"), std::size(kLesson));
  EXPECT_EQ(samples(early.push(frame(kRed, GST_SECOND)).get()), 2 * std::size(kLesson));
}

TEST(BcpTaggerGroup, HasOneFile) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  Tagger one(in_group("file", "prior-file=" + path));
  teach(one);
  const std::string different = start_error(in_group("file", "prior-file=" + folder.file("b.prior")));
  EXPECT_CONTAINS(different, "prior-group=file uses " + path + ", but this element sets " + folder.file("b.prior"));
  EXPECT_CONTAINS(start_error(in_group("file", "prior-mode=read-only prior-file=" + path)), "another prior-mode");
  EXPECT_CONTAINS(start_error(in(path)), "prior-group=file already uses this file");
  EXPECT_FALSE(std::filesystem::exists(folder.file("b.prior")));
  // The refused starts have changed nothing.
  EXPECT_EQ(samples(one.push(frame(kRed, GST_SECOND)).get()), std::size(kLesson));
}

TEST(BcpTaggerGroup, IsOnTheDiskWhenAnyOfItsStreamsEnds) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  Tagger one(in_group("ends", "prior-file=" + path)), two(in_group("ends"));
  teach(one);
  two.caps(rgb_caps());
  two.event(gst_event_new_eos());
  EXPECT_EQ(load(path).seen.samples(), std::size(kLesson));
  one.event(gst_event_new_eos());
  EXPECT_EQ(one.stat<int>("prior-saves"), 0);  // nothing has changed since
}

TEST(BcpTaggerGroup, KeepsTheLabelsOfTheElementThatNamesTheFile) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  Tagger other(in_group("lists", "labels=red\\,green"));
  Tagger names(in_group("lists", "labels=red\\,blue prior-file=" + path));
  teach(other);
  teach(names);
  EXPECT_FALSE(emit(other, "save-prior"));
  other.event(gst_event_new_eos());
  EXPECT_FALSE(std::filesystem::exists(path));
  names.event(gst_event_new_eos());
  EXPECT_EQ(load(path).labels, (std::vector<std::string>{"red", "blue"}));
}

TEST(BcpTaggerGroup, SavesLaterWhatAStoppedElementCouldNotSave) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  {
    Tagger one(in_group("later", "prior-file=" + path)), two(in_group("later"));
    teach(one);
    std::ofstream(path) << "in the way";
    gst_element_set_state(one.element(), GST_STATE_READY);
    EXPECT_EQ(warnings(one).size(), 1u);
    std::filesystem::remove(path);
  }
  EXPECT_EQ(load(path).seen.samples(), std::size(kLesson));
}

// Also the test for ThreadSanitizer.
TEST(BcpTaggerGroup, LearnsSavesForgetsAndChangesLabelsInAllItsStreamsAtOnce) {
  constexpr int kStreams = 4, kFrames = 150;
  const Folder folder;
  const std::string path = folder.file("a.prior");
  std::atomic<bool> stop = false;
  std::atomic<int> unlabelled = 0;
  {
    std::vector<std::unique_ptr<Tagger>> taggers;
    for (int i = 0; i < kStreams; ++i) {
      taggers.push_back(std::make_unique<Tagger>(
          in_group("busy", "model-instance-id=busy prior-interval=1 " + (i % 2 ? "prior-file=" + path : ""))));
      taggers.back()->caps(rgb_caps());
    }
    std::vector<std::thread> streams, signals;
    for (const char* signal : {"save-prior", "reset-prior"}) {
      signals.emplace_back([&, signal] {
        for (std::size_t i = 0; !stop; ++i) {
          emit(*taggers[i % kStreams], signal);
          g_usleep(200);
        }
      });
    }
    for (int i = 0; i < kStreams; ++i) {
      streams.emplace_back([&, i, &tagger = *taggers[static_cast<std::size_t>(i)]] {
        for (int n = 0; n < kFrames; ++n) {
          if (n % 40 == 20 + i)
            g_object_set(tagger.element(), "labels", n % 80 < 40 ? "red, green" : "green, blue, red", nullptr);
          const auto out = tagger.push(frame(n % 2 ? kRed : kGreen, static_cast<GstClockTime>(n) * kFrame));
          if (!gst_buffer_get_bcp_meta(out.get())) ++unlabelled;
          if (n == 100 && i == 3) gst_element_set_state(tagger.element(), GST_STATE_READY);
          if (n == 100 && i == 3) break;
        }
      });
    }
    for (auto& stream : streams) stream.join();
    stop = true;
    for (auto& signal : signals) signal.join();
    for (const auto& tagger : taggers) EXPECT_TRUE(warnings(*tagger).empty());
  }
  EXPECT_EQ(unlabelled, 0);
  EXPECT_LE(load(path).seen.samples(), kStreams * kFrames);
}

}  // namespace
}  // namespace bcp::test
