// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gst-bcp/run/plan/leftover.hpp"
#include "gst-bcp/run/plan/media_look.hpp"
#include "gst-bcp/run/plan/record_options.hpp"
#include "gst-bcp/run/record/index.hpp"
#include "gst-bcp/run/record/recovery.hpp"
#include "gst-bcp/run/record/retention.hpp"
#include "gst-bcp/run/record/wall_clock.hpp"
#include "made_video.hpp"

namespace bcp::cli::run {
namespace {

class RunRecordIndex : public testing::Test {
 protected:
  RunRecordIndex() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("index-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~RunRecordIndex() override { std::filesystem::remove_all(folder_); }

  IndexEntry made(const std::string& name, double start, std::uint64_t bytes = 100) {
    std::ofstream(folder_ / name) << "x";
    return {.file = name,
            .start = start,
            .seconds = 10,
            .bytes = bytes,
            .video = "H.264",
            .sound = "",
            .ended = "whole",
            .event = ""};
  }

  std::filesystem::path folder_;
};

TEST_F(RunRecordIndex, IsReadAsItWasWritten) {
  RecordIndex index = *RecordIndex::load(folder_.string());
  EXPECT_TRUE(index.add(made("a.mp4", 1000)));
  EXPECT_TRUE(index.add(made("b.mp4", 1010)));
  std::filesystem::remove(folder_ / "a.mp4");
  EXPECT_TRUE(index.remove("a.mp4"));
  const RecordIndex again = *RecordIndex::load(folder_.string());
  ASSERT_EQ(again.entries().size(), 1U);
  EXPECT_EQ(again.entries()[0].file, "b.mp4");
  EXPECT_EQ(again.entries()[0].start, 1010);
  EXPECT_EQ(again.entries()[0].bytes, 100U);
}

TEST_F(RunRecordIndex, IgnoresALineThatAPowerCutLeft) {
  RecordIndex index = *RecordIndex::load(folder_.string());
  EXPECT_TRUE(index.add(made("a.mp4", 1000)));
  std::ofstream(folder_ / kIndexName, std::ios::app) << "{\"file\":\"b.m";
  RecordIndex again = *RecordIndex::load(folder_.string());
  EXPECT_EQ(again.entries().size(), 1U);
  EXPECT_TRUE(again.add(made("c.mp4", 1020)));
  EXPECT_EQ(RecordIndex::load(folder_.string())->entries().size(), 2U);
}

// The live page reads the index while a recorder writes it: what is added meanwhile must not be lost.
TEST_F(RunRecordIndex, IsNotChangedByReading) {
  RecordIndex index = *RecordIndex::load(folder_.string());
  EXPECT_TRUE(index.add(made("a.mp4", 1000)));
  EXPECT_TRUE(index.add(made("b.mp4", 1010)));
  std::filesystem::remove(folder_ / "a.mp4");
  EXPECT_TRUE(index.remove("a.mp4"));
  std::ofstream(folder_ / kIndexName, std::ios::app) << "{\"file\":\"b.m";
  const auto text = [this] {
    std::ifstream file(folder_ / kIndexName);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const std::string before = text();
  EXPECT_EQ(RecordIndex::load(folder_.string())->entries().size(), 1U);
  EXPECT_EQ(text(), before);
}

TEST_F(RunRecordIndex, RemovesTheOldestRecordedEvenIfTheClockWasSetBack) {
  RecordOptions options;
  options.keep_bytes = 250;
  const std::vector<IndexEntry> entries = {made("first.mp4", 5000), made("second.mp4", 1000), made("third.mp4", 1010)};
  EXPECT_EQ(surplus(entries, options, 1020, 0), std::vector<std::string>{"first.mp4"});
}

TEST_F(RunRecordIndex, RemovesFilesThatAreTooOld) {
  RecordOptions options;
  options.keep_for = 60;
  const std::vector<IndexEntry> entries = {made("old.mp4", 1000), made("new.mp4", 2000)};
  EXPECT_EQ(surplus(entries, options, 2050, 0), std::vector<std::string>{"old.mp4"});
}

TEST(RunRecordOptions, WritesShorterFilesWhenLessIsKept) {
  RecordOptions options;
  options.keep_for = 30;
  const SegmentLimits limits = segment_limits(options);
  EXPECT_EQ(limits.seconds, 15);
  EXPECT_NE(limits.remark.find("--record-keep-for 30"), std::string::npos);
}

TEST(RunRecordOptions, ReadsTimesAndSizes) {
  EXPECT_EQ(*parse_time_span("12h"), 12 * 3600);
  EXPECT_EQ(*parse_time_span("90"), 90);
  EXPECT_FALSE(parse_time_span("2 weeks"));
  EXPECT_EQ(*parse_size("10G"), 10'000'000'000U);
  EXPECT_EQ(*parse_size("1.5M"), 1'500'000U);
  EXPECT_FALSE(parse_size("0"));
  EXPECT_FALSE(parse_size("-5M"));
}

TEST(RunRecordOptions, NamesFilesInUtc) {
  EXPECT_EQ(file_stamp(WallTime(std::chrono::seconds(1795005523))), "2026-11-18T12-38-43Z");
}

// Five seconds of video that were written with this muxer into .cam.mp4.part or .cam.mkv.part.
class RunLeftover : public RunRecordIndex {
 protected:
  void make(const std::string& muxer, const std::string& ending) {
    path_ = (folder_ / ("cam" + ending)).string();
    part_ = (folder_ / (".cam" + ending + ".part")).string();
    test::make_video(muxer, part_);
  }

  std::string path_, part_;
};

TEST_F(RunLeftover, IsCutToItsLastWholeFragment) {
  make("mp4mux fragment-duration=2000 fragment-mode=dash-or-mss", ".mp4");
  std::filesystem::resize_file(part_, std::filesystem::file_size(part_) * 3 / 4);
  const std::optional<Leftover> left = keep_leftover(part_, path_);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->file, (folder_ / "cam-recovered.mp4").string());
  EXPECT_GT(left->seconds, 1.9);
  EXPECT_LT(left->seconds, 4.1);
  EXPECT_EQ(look_at_mp4(left->file)->whole, std::filesystem::file_size(left->file));
  EXPECT_FALSE(std::filesystem::exists(part_));
}

// The muxer had completed it when the program was killed.
TEST_F(RunLeftover, MayBeComplete) {
  for (const char* name : {"cam-recovered.mp4", "cam-recovered-2.mp4"}) {
    make("mp4mux fragment-duration=2000 fragment-mode=first-moov-then-finalise", ".mp4");
    const std::uintmax_t size = std::filesystem::file_size(part_);
    const std::optional<Leftover> left = keep_leftover(part_, path_);
    ASSERT_TRUE(left);
    EXPECT_EQ(left->file, (folder_ / name).string());
    EXPECT_NEAR(left->seconds, 5, 0.15);
    EXPECT_EQ(std::filesystem::file_size(left->file), size);
  }
}

TEST_F(RunLeftover, MayBeMatroska) {
  make("matroskamux", ".mkv");
  std::filesystem::resize_file(part_, std::filesystem::file_size(part_) * 3 / 4);
  const std::optional<Leftover> left = keep_leftover(part_, path_);
  ASSERT_TRUE(left);
  EXPECT_GT(left->seconds, 2);
  EXPECT_LT(left->seconds, 5);
}

TEST_F(RunLeftover, MayBeCompleteMatroska) {
  make("matroskamux", ".mkv");
  const std::uintmax_t size = std::filesystem::file_size(part_);
  const std::optional<Leftover> left = keep_leftover(part_, path_);
  ASSERT_TRUE(left);
  EXPECT_EQ(std::filesystem::file_size(left->file), size);
}

TEST_F(RunLeftover, IsAddedToTheIndexOfARecording) {
  make("mp4mux fragment-duration=2000 fragment-mode=dash-or-mss", ".mp4");
  // Another one of that second; the others are a person's.
  const std::vector<std::string> names = {"2026-11-18T12-38-43Z.mp4", "2026-11-18T12-38-43Z_2.mp4"},
                                 others = {"2026-11-18T12-38-44Z_burglar.mp4", "2026-11-18T12-38-44Z_.mp4x.mp4",
                                           "2026-11-18T12-38-44Z.kept.mp4", "holiday.mp4"};
  for (const std::string& name : names) std::filesystem::copy_file(part_, folder_ / name);
  for (const std::string& name : others) std::ofstream(folder_ / name) << "not a whole fragment";
  RecordIndex index = *RecordIndex::load(folder_.string());
  recover(folder_.string(), index);
  ASSERT_EQ(index.entries().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(index.entries()[i].file, names[i]);
    EXPECT_EQ(index.entries()[i].start, 1795005523);
    EXPECT_EQ(index.entries()[i].ended, "recovered");
  }
  for (const std::string& name : others) EXPECT_TRUE(std::filesystem::exists(folder_ / name)) << name;
}

TEST_F(RunLeftover, IsRemovedIfNothingCanBePlayed) {
  make("mp4mux fragment-duration=2000", ".mp4");
  std::filesystem::resize_file(part_, 300);
  EXPECT_FALSE(keep_leftover(part_, path_));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

// Fragments of sound and of pictures take turns; a power cut may leave only sound.
TEST_F(RunLeftover, EndsWithPicturesAndNotWithSoundAlone) {
  make("mp4mux name=mux fragment-duration=2000 audiotestsrc num-buffers=200 ! avenc_aac ! mux. mux.", ".mp4");
  std::stringstream read;
  read << std::ifstream(part_, std::ios::binary).rdbuf();
  const std::string bytes = read.str();
  std::string header, pictures, sound;  // the first fragment of each
  for (std::size_t at = bytes.find("moof"), next; at != std::string::npos; at = next) {
    if (header.empty()) header = bytes.substr(0, at - 4);
    next = bytes.find("moof", at + 4);
    std::string& fragment = bytes[bytes.find("tfhd", at) + 11] == 1 ? pictures : sound;  // the number of the track
    if (fragment.empty()) fragment = bytes.substr(at - 4, next - at);
  }
  const auto look_at = [&](const std::string& contents) {
    std::ofstream(part_, std::ios::binary) << contents;
    return *look_at_mp4(part_);
  };
  EXPECT_EQ(look_at(header + sound).whole, 0U);
  const MediaLook whole = look_at(header + sound + pictures), more = look_at(header + sound + pictures + sound);
  EXPECT_EQ(whole.whole, (header + sound + pictures).size());
  EXPECT_EQ(more.whole, whole.whole);
  EXPECT_NEAR(more.seconds, 1, 0.15);
}

}  // namespace
}  // namespace bcp::cli::run
