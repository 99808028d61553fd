// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/temporary.hpp"
#include "eval/evaluate.hpp"
#include "eval/video.hpp"

namespace bcp::eval {
namespace {

const std::vector<Method> kBoth = {{"zero_shot", "plain CLIP", MethodKind::kNone}, {"bcp", "BCP", MethodKind::kBcp}};

// Twenty pictures, four labels, one in each: the most probable, and the only one above the threshold.
class Video : public testing::Test {
 protected:
  Video() : truth_{20, 4, std::vector<std::int8_t>(80, 0)} {
    std::vector<float> logits(80, 0);
    for (std::size_t i = 0; i < 20; ++i) {
      logits[i * 4 + i % 4] = 8;
      truth_.values[i * 4 + i % 4] = 1;
    }
    EXPECT_TRUE(write_npy(directory_ / "l.npy", logits, {20, 4}));
  }
  Stream stream() { return std::move(*Stream::open({.logits = directory_ / "l.npy"})); }
  Table run(const VideoSettings& settings, std::span<const Method> methods = kBoth) {
    Stream pictures = stream();
    const Result<Table> table = video_protocol(pictures, truth_, methods, settings);
    EXPECT_TRUE(table) << table.error().message;
    return *table;
  }
  static double number(const Table& table, const std::string& method, const std::string& key) {
    for (const Line& line : table.lines) {
      for (std::size_t i = 0; line.name == method && i < table.columns.size(); ++i)
        if (table.columns[i].key == key) return line.numbers.at(i);
    }
    ADD_FAILURE() << "no " << key << " of " << method;
    return 0;
  }

  test::TemporaryDirectory directory_;
  Truth truth_;
};

VideoSettings still(std::size_t shots) {
  return {.dwell = {.shots = shots, .longest = 30, .least_change = 0, .most_change = 0}};
}

TEST_F(Video, IsPerfectForPerfectStillPictures) {
  const Table table = run(still(40));
  EXPECT_EQ(table.key, "video");
  EXPECT_EQ(table.line_key, "method");
  ASSERT_EQ(table.lines.size(), 2u);
  for (const Line& line : table.lines) ASSERT_EQ(line.numbers.size(), table.columns.size());
  for (const char* key : {"frames.logits", "frames.softmax", "shots.logits", "shots.softmax", "f1"})
    EXPECT_DOUBLE_EQ(number(table, "zero_shot", key), 100) << key;
  for (const char* key : {"flicker", "flicker_hysteresis", "first_label", "never_named"})
    EXPECT_EQ(number(table, "zero_shot", key), 0) << key;
  EXPECT_TRUE(std::isnan(number(table, "zero_shot", "learnt")));
  EXPECT_EQ(number(table, "bcp", "learnt"), 100);
}

TEST_F(Video, CountsAShotOnceOfAnyLength) {
  // The truth has label 0 in only one of its pictures: its mAP depends on how often that picture counts.
  for (std::size_t i = 4; i < 20; i += 4) truth_.values[i * 4] = 0;
  Stream pictures = stream();
  const Result<Table> long_shots = video_protocol(pictures, truth_, kBoth, still(60));
  VideoSettings single = still(60);
  single.dwell.longest = 1;
  const Result<Table> single_frames = video_protocol(pictures, truth_, kBoth, single);
  ASSERT_TRUE(long_shots);
  ASSERT_TRUE(single_frames);
  EXPECT_NE(number(*long_shots, "zero_shot", "frames.logits"), number(*long_shots, "zero_shot", "shots.logits"));
  EXPECT_DOUBLE_EQ(number(*single_frames, "zero_shot", "frames.logits"),
                   number(*single_frames, "zero_shot", "shots.logits"))
      << "a shot of one frame is that frame";
}

TEST_F(Video, FlickersWhenLogitsChangeAndLessWithHysteresis) {
  VideoSettings settings = still(60);
  settings.dwell.least_change = settings.dwell.most_change = 1;
  const Table table = run(settings);
  EXPECT_GT(number(table, "zero_shot", "flicker"), 1);
  EXPECT_LT(number(table, "zero_shot", "flicker_hysteresis"), number(table, "zero_shot", "flicker"));
  EXPECT_LT(number(table, "zero_shot", "frames.softmax"), 100);
  EXPECT_GE(number(table, "zero_shot", "shots.softmax"), number(table, "zero_shot", "frames.softmax"));
}

// Twelve pictures with one of twelve labels each.
class VideoPresenceLines : public testing::Test {
 protected:
  VideoPresenceLines() : truth_{12, 12, std::vector<std::int8_t>(144, 0)} {
    for (std::size_t i = 0; i < 12; ++i) truth_.values[i * 12 + i] = 1;
    write(9);
    for (std::size_t k = 0; k < 12; ++k) names_.push_back("l" + std::to_string(k));
  }
  // `margin`: how far the logit of the label is above the others.
  void write(float margin) {
    std::vector<float> logits(144, 0);
    for (std::size_t i = 0; i < 12; ++i) logits[i * 12 + i] = margin;
    EXPECT_TRUE(write_npy(directory_ / "l.npy", logits, {12, 12}));
  }
  // The lines by name.
  std::map<std::string, std::vector<double>> run(const VideoSettings& settings) {
    Stream pictures = std::move(*Stream::open({.logits = directory_ / "l.npy"}));
    const PresenceSettings presence;
    const VideoPresence asked{names_, presence};
    const Result<Table> table = video_protocol(pictures, truth_, kBoth, settings, {}, &asked);
    EXPECT_TRUE(table) << table.error().message;
    std::map<std::string, std::vector<double>> lines;
    for (const Line& line : table->lines) lines[line.name] = line.numbers;
    return lines;
  }
  enum Column { kFrameLogits, kFrames, kShotLogits, kShots, kFlicker, kFlickerHysteresis, kFirst, kNever, kF1 };

  test::TemporaryDirectory directory_;
  Truth truth_;
  std::vector<std::string> names_;
};

TEST_F(VideoPresenceLines, ArePerfectForStillPictures) {
  auto lines = run(still(40));
  for (const char* line : {"presence", "presence_frame"}) {
    ASSERT_TRUE(lines.contains(line)) << line;
    EXPECT_DOUBLE_EQ(lines[line][kF1], 100) << line << ": a cut must end what was shown before it";
    EXPECT_DOUBLE_EQ(lines[line][kFrames], 100) << line;
    EXPECT_EQ(lines[line][kFlicker], 0) << line;
    EXPECT_EQ(lines[line][kFirst], 0) << line;
    EXPECT_TRUE(std::isnan(lines[line][kFrameLogits])) << line;
  }
}

TEST_F(VideoPresenceLines, FlickerLessWithTheMeanOfAShot) {
  VideoSettings settings = still(10);
  settings.dwell.longest = 3000;
  settings.dwell.least_change = settings.dwell.most_change = 0.15;
  write(3);
  auto lines = run(settings);
  EXPECT_GT(lines["presence_frame"][kFlicker], 10);
  EXPECT_LT(lines["presence"][kFlicker], lines["presence_frame"][kFlicker] / 2);
  EXPECT_LT(lines["presence_frame"][kFlickerHysteresis], lines["presence_frame"][kFlicker]);
  settings.presence_span = 0.1;
  EXPECT_GT(run(settings)["presence"][kFlicker], lines["presence"][kFlicker]);
}

TEST_F(VideoPresenceLines, AreLeftOutWithTooFewWords) {
  truth_ = {12, 4, std::vector<std::int8_t>(48, 1)};
  names_.resize(4);
  EXPECT_TRUE(write_npy(directory_ / "l.npy", std::vector<float>(48, 0), {12, 4}));
  EXPECT_FALSE(run(still(5)).contains("presence"));
}

TEST_F(Video, IsTheSameForTheSameSeed) {
  VideoSettings settings = still(20);
  settings.dwell.least_change = settings.dwell.most_change = 1;
  const Table first = run(settings), second = run(settings);
  EXPECT_EQ(first.lines[1].numbers, second.lines[1].numbers);
  settings.dwell.seed = 1;
  EXPECT_NE(run(settings).lines[1].numbers, first.lines[1].numbers);
}

TEST_F(Video, ReportsItsProgress) {
  Stream pictures = stream();
  std::vector<double> shares;
  const Result<Table> table = video_protocol(pictures, truth_, kBoth, still(200),
                                             [&](double share, const std::string&) { shares.push_back(share); });
  ASSERT_TRUE(table);
  ASSERT_GT(shares.size(), 2u);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_LE(shares.back(), 1);
}

TEST_F(Video, NamesANumberThatIsNotFinite) {
  EXPECT_TRUE(write_npy(directory_ / "l.npy", std::vector<float>(80, NAN), {20, 4}));
  Stream pictures = stream();
  const Result<Table> table = video_protocol(pictures, truth_, kBoth, still(5));
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().message.find("has NaN in row"), std::string::npos) << table.error().message;
}

TEST_F(Video, IsAProtocolWithItsSeedAndTheEffectOfEachAddition) {
  Request request;
  request.names = {"a", "b", "c", "d"};
  request.protocols = {Protocol::kVideo, Protocol::kLastHalf};
  request.seed = 3;
  request.video = still(30);
  Stream pictures = stream();
  std::vector<double> shares;
  const Result<Results> results =
      evaluate(request, pictures, truth_, [&](double share, const std::string&) { shares.push_back(share); });
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->protocols.size(), 2u);
  const Table& table = results->protocols[1];
  EXPECT_EQ(table.key, "video");
  std::vector<std::string> names;
  for (const Line& line : table.lines) names.push_back(line.name);
  EXPECT_EQ((std::vector<std::string>(names.begin(), names.begin() + 3)),
            (std::vector<std::string>{"zero_shot", "bcp", "bcp_video"}));
  EXPECT_NE(std::find(names.begin(), names.end(), "paper+shrinkage"), names.end());
  EXPECT_NE(table.note.find("30 shots"), std::string::npos) << table.note;
  EXPECT_NE(table.note.find("seed 3"), std::string::npos) << table.note;
  EXPECT_EQ(results->settings["video"]["shots"], 30);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_LE(shares.back(), 1);
}

TEST(VideoAblations, AddEachPartToThePapersMethodAndRemoveItFromOurs) {
  adapt::AdapterSettings full;
  full.bcp.shrinkage = 5;
  full.novelty.distance = 0.1;
  const std::vector<Method> methods = video_ablations(full, true);
  ASSERT_EQ(methods.size(), 4u);
  EXPECT_EQ(methods[0].key, "paper+shrinkage");
  EXPECT_EQ(methods[0].settings.bcp.shrinkage, 5);
  EXPECT_EQ(methods[0].settings.novelty.distance, 0);
  EXPECT_EQ(methods[1].key, "paper+novelty");
  EXPECT_EQ(methods[1].settings.novelty.distance, 0.1);
  EXPECT_EQ(methods[2].key, "video-shrinkage");
  EXPECT_EQ(methods[2].settings.bcp.shrinkage, 0);
  EXPECT_EQ(methods[2].settings.novelty.distance, 0.1);
  EXPECT_EQ(methods[3].key, "video-novelty");
  EXPECT_EQ(methods[3].settings.bcp.shrinkage, 5);
}

TEST(VideoAblations, CoverEveryValueOfThePreset) {
  // The paper's method with all additions is our preset.
  const adapt::AdapterSettings full = adapt::preset_settings(adapt::Preset::kVideo);
  const std::vector<Method> methods = video_ablations(full, true);
  ASSERT_FALSE(methods.empty());
  for (const Method& method : methods) {
    EXPECT_EQ(method.kind, MethodKind::kBcp);
    EXPECT_NE(method.settings, full) << method.key;
    EXPECT_NE(method.settings, adapt::AdapterSettings{}) << method.key;
  }
  EXPECT_EQ(video_ablations(full, false).size(), methods.size() - 2) << "no gate without embeddings";
  EXPECT_TRUE(video_ablations({}, true).empty()) << "nothing is added";
}

}  // namespace
}  // namespace bcp::eval
