// SPDX-License-Identifier: LGPL-2.1-or-later
// What recordings sync to the disk, and when; what a power cut may leave of files that were not synced.
// tests/bench/recordings.py cuts the power of a real file system.
#include <gst/gst.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/file.hpp"
#include "gst-bcp/run/plan/leftover.hpp"
#include "gst-bcp/run/plan/outputs.hpp"
#include "gst-bcp/run/plan/recipe.hpp"
#include "gst-bcp/run/record/disk_file.hpp"
#include "gst-bcp/run/record/index.hpp"
#include "gst-bcp/run/record/label_files.hpp"
#include "gst-bcp/run/record/recovery.hpp"
#include "made_video.hpp"
#include "sync_log.hpp"

namespace bcp::cli::run {
namespace {

using test::SyncLog;
namespace fs = std::filesystem;

class RunPower : public testing::Test {
 protected:
  RunPower() {
    folder_ = fs::canonical(testing::TempDir()) /
              (std::string("power-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~RunPower() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name), std::ios::binary) << text;
    return at(name);
  }

  std::string read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(at(name), std::ios::binary).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_F(RunPower, LabelsAreSyncedWithTheirVideo) {
  const SyncLog log;
  auto file = DiskFile::create(at("a.mp4"), DiskFile::Layout::kMp4, label_files_of(at("a.mp4")));
  ASSERT_TRUE(file);
  LabelFiles labels(at("a"), WallTime());
  labels.add(0, {{"cat", 0.9}});
  labels.add(1, {{"dog", 0.9}});
  std::string bytes;
  for (const char* box : {"moov", "moof", "mdat"}) bytes += std::string("\0\0\0\x08", 4) + box;
  ASSERT_TRUE((*file)->write(0, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
  for (int i = 0; i < 1000 && !log.has(at("a.vtt")); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(log.has(at("a.mp4")));
  EXPECT_TRUE(log.has(at("a.jsonl")));
  EXPECT_TRUE(log.has(at("a.vtt")));
}

TEST_F(RunPower, LabelsAreSyncedAtTheirEnd) {
  const SyncLog log;
  LabelFiles labels(at("a"), WallTime());
  labels.add(0, {{"cat", 0.9}});
  EXPECT_TRUE(log.paths().empty());
  labels.finish(2);
  EXPECT_EQ(log.paths(), (std::vector<std::string>{at("a.jsonl"), at("a.vtt"), folder_.string()}));
}

TEST_F(RunPower, DamagedLabelsAreCutOff) {
  const std::string line = "{\"seconds\":1.0,\"labels\":[]}\n", cue = "00:00:00.000 --> 00:00:01.000\ncat\n\n";
  const std::string zeros(100, '\0');
  const std::pair<std::string, std::string> cases[] = {{line + line, line + line},
                                                       {line + line.substr(0, 9), line},
                                                       {line + zeros, line},
                                                       {line + zeros + "\n" + line, line},
                                                       {line.substr(0, 9), ""},
                                                       {zeros, ""},
                                                       {"", ""}};
  for (const auto& [damaged, expected] : cases) {
    write("a.jsonl", damaged);
    mend_label_files(at("a.mp4"));
    EXPECT_EQ(read("a.jsonl"), expected);
    EXPECT_EQ(fs::exists(at("a.jsonl")), !expected.empty());
  }
  const std::string head = "WEBVTT\n\n";
  const std::pair<std::string, std::string> subtitles[] = {{head + cue + cue, head + cue + cue},
                                                           {head + cue + cue.substr(0, 20), head + cue},
                                                           {head + cue + zeros, head + cue},
                                                           {head + cue.substr(0, 34) + zeros + cue, head},
                                                           {"WEBV", ""},
                                                           {zeros, ""},
                                                           {"", ""}};
  for (const auto& [damaged, expected] : subtitles) {
    write("a.vtt", damaged);
    mend_label_files(at("a.mp4"));
    EXPECT_EQ(read("a.vtt"), expected);
    EXPECT_EQ(fs::exists(at("a.vtt")), !expected.empty());
  }
}

// Labels are written for some time after their video is complete and in the index.
TEST_F(RunPower, DamagedLabelsOfACompleteFileAreCutOff) {
  RecordIndex index = *RecordIndex::load(folder_.string());
  write("2026-11-18T12-38-43Z.mp4", "video");
  write("2026-11-18T12-38-43Z.jsonl", "{\"seconds\":1.0}\n{\"sec");
  ASSERT_TRUE(index.add({.file = "2026-11-18T12-38-43Z.mp4", .video = "", .sound = "", .ended = "whole", .event = ""}));
  EXPECT_EQ(recover(folder_.string(), index), "");
  EXPECT_EQ(read("2026-11-18T12-38-43Z.jsonl"), "{\"seconds\":1.0}\n");
}

// The limit of the size of a file stands for a full disk.
TEST_F(RunPower, AFullDiskLeavesNoHalfLine) {
  LabelFiles labels(at("a"), WallTime());
  labels.add(0, {{"cat", 0.9}});
  const std::string before = read("a.jsonl");
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
  const rlimit small{before.size() + 5, usual.rlim_max};
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  labels.add(1, {{"dog", 0.9}});
  ::setrlimit(RLIMIT_FSIZE, &usual);
  (void)std::signal(SIGXFSZ, previous);
  EXPECT_EQ(read("a.jsonl"), before);
}

TEST_F(RunPower, ANewIndexIsSyncedWithItsFolder) {
  RecordIndex index = *RecordIndex::load(folder_.string());
  const SyncLog log;
  ASSERT_TRUE(index.add({.file = "a.mp4", .video = "", .sound = "", .ended = "whole", .event = ""}));
  EXPECT_EQ(log.paths(), (std::vector<std::string>{at(kIndexName), folder_.string()}));
  ASSERT_TRUE(index.add({.file = "b.mp4", .video = "", .sound = "", .ended = "whole", .event = ""}));
  EXPECT_EQ(log.paths().size(), 3U);
}

TEST_F(RunPower, NewFoldersAreSynced) {
  const SyncLog log;
  ASSERT_TRUE(make_folders(at("a/b")));
  EXPECT_TRUE(fs::is_directory(at("a/b")));
  EXPECT_TRUE(log.has(at("a")));
  EXPECT_TRUE(log.has(folder_.string()));
}

TEST_F(RunPower, AFileIsCutBeforeTheIndexSaysSo) {
  const std::string name = "2026-11-18T12-38-43Z.mp4";
  test::make_video("mp4mux fragment-duration=2000", at(name));
  fs::resize_file(at(name), fs::file_size(at(name)) * 3 / 4);
  RecordIndex index = *RecordIndex::load(folder_.string());
  const SyncLog log;
  EXPECT_NE(recover(folder_.string(), index), "");
  EXPECT_EQ(log.paths(), (std::vector<std::string>{at(name), at(kIndexName), folder_.string()}));
}

TEST_F(RunPower, TheVideoOfACameraIsSyncedWithItsName) {
  OutputFile::Rules rules;
  rules.keep_parts = true;
  Result<OutputFile> video = OutputFile::claim(at("cam.mp4"), rules);
  ASSERT_TRUE(video);
  const SyncLog log;
  ASSERT_TRUE(video->commit());
  EXPECT_EQ(log.paths().back(), folder_.string());
}

TEST_F(RunPower, ARecoveredVideoIsSyncedWithItsName) {
  test::make_video("mp4mux fragment-duration=2000", at(".cam.mp4.part"));
  const SyncLog log;
  ASSERT_TRUE(keep_leftover(at(".cam.mp4.part"), at("cam.mp4")));
  EXPECT_TRUE(log.has(folder_.string()));
}

// In the mode first-moov-then-finalise, which makes an ordinary file at the end, GStreamer 1.22 writes fragments with
// sound that some players refuse, and so the whole file (recipe.cpp).
TEST_F(RunPower, TheVideoOfACameraHasNoFragmentsThatPlayersRefuse) {
  gst_init(nullptr, nullptr);
  Recipe recipe;
  recipe.kind = InputKind::kLive;
  recipe.uri = "rtsp://camera/1";
  recipe.container = *container_for("cam.mp4");
  recipe.encoder = "x264enc";
  recipe.video = "cam.mp4";
  const std::string line = prepare(recipe).line.printed();
  EXPECT_NE(line.find("fragment-mode=dash-or-mss"), std::string::npos) << line;
}

}  // namespace
}  // namespace bcp::cli::run
