// SPDX-License-Identifier: LGPL-2.1-or-later
// When files of a recording begin and end, with a real encoder and a real muxer, and a clock of the test.
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "base/json.hpp"
#include "gst-bcp/run/record/recorder.hpp"

namespace bcp::cli::run {
namespace {

using std::chrono::seconds;
namespace fs = std::filesystem;

constexpr guint kRate = 10, kPictures = 120;  // a key picture each second
constexpr std::chrono::milliseconds kRetry{1}, kBeyondRetry{5};
const WallTime kBegin{seconds(1795005523)};  // 2026-11-18T12-38-43Z

// Twelve seconds of H.264.
const std::vector<Packet>& stream() {
  static const std::vector<Packet> packets = [] {
    std::vector<Packet> made;
    const gst::ElementPtr pipeline(gst_parse_launch(
        "videotestsrc num-buffers=120 ! video/x-raw,width=64,height=48,framerate=10/1 ! x264enc tune=zerolatency "
        "speed-preset=ultrafast key-int-max=10 ! video/x-h264,stream-format=byte-stream,alignment=au ! h264parse "
        "! appsink name=out sync=false",
        nullptr));
    const gst::ElementPtr out(gst_bin_get_by_name(GST_BIN(pipeline.get()), "out"));
    gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
    while (const gst::SamplePtr sample{gst_app_sink_pull_sample(GST_APP_SINK(out.get()))}) {
      Packet packet;
      packet.buffer.reset(gst_buffer_ref(gst_sample_get_buffer(sample.get())));
      packet.caps.reset(gst_caps_ref(gst_sample_get_caps(sample.get())));
      packet.time = made.size() * GST_SECOND / kRate;
      packet.connection = 1;
      packet.is_key = !GST_BUFFER_FLAG_IS_SET(packet.buffer.get(), GST_BUFFER_FLAG_DELTA_UNIT);
      made.push_back(std::move(packet));
    }
    gst_element_set_state(pipeline.get(), GST_STATE_NULL);
    return made;
  }();
  return packets;
}

// A result that shows `shown`, of the labels person and car.
gst::BcpResultPtr result_with(const std::string& shown) {
  const char* const names[] = {"person", "car"};
  static const gst::BcpLabelsPtr labels(gst_bcp_labels_new(names, 2));
  const gst::BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels.get()));
  for (guint i = 0; i < 2; ++i) {
    gst_bcp_result_builder_set_value(builder.get(), GST_BCP_SCORE_FIELD_PROBABILITY, i, shown == names[i] ? 0.75 : 0.1);
    if (shown == names[i]) gst_bcp_result_builder_set_flags(builder.get(), i, GST_BCP_SCORE_SHOWN);
  }
  return gst::BcpResultPtr(gst_bcp_result_builder_end(builder.get()));
}

class RunRecorder : public testing::Test {
 protected:
  RunRecorder() {
    gst_init(nullptr, nullptr);
    folder_ = fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  ~RunRecorder() override { fs::remove_all(folder_); }

  void open(const RecordOptions& options, std::shared_ptr<void> previous = nullptr) {
    Recorder::Setup setup;
    setup.previous = std::move(previous);
    setup.camera = "door";
    setup.folder = folder_.string();
    setup.options = options;
    setup.retry = kRetry;
    setup.now = [this] { return std::chrono::system_clock::now() + std::chrono::hours(hours_); };
    setup.say = [this](const std::string& sentence) {
      const std::lock_guard lock(mutex_);
      said_.push_back(sentence);
      said_something_.notify_all();
    };
    recorder_ = std::move(*Recorder::open(std::move(setup)));
  }

  // Pictures number `from` to below `to`, as if each had come at its time.
  void feed(guint from, guint to) {
    for (guint i = from; i < to; ++i) {
      const Packet& known = stream().at(i);
      Packet packet;
      packet.buffer.reset(gst_buffer_ref(known.buffer.get()));
      packet.caps.reset(gst_caps_ref(known.caps.get()));
      packet.time = known.time;
      packet.connection = known.connection;
      packet.is_key = known.is_key;
      packet.arrival = kBegin + std::chrono::milliseconds(100) * i;
      recorder_->add(std::move(packet));
    }
  }
  // A result for the picture number `picture`.
  void label(const gst::BcpResultPtr& result, guint picture) {
    recorder_->add(gst::BcpResultPtr(gst_bcp_result_ref(result.get())), stream().at(picture).time);
  }
  // Waits until that many files were begun.
  void wait_for_files(std::uint64_t count) {
    while (recorder_->status()->now().files < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // Waits until that many sentences were said.
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    said_something_.wait_for(lock, seconds(30), [&] { return said_.size() >= count; });
    ASSERT_GE(said_.size(), count);
  }
  std::vector<IndexEntry> finished() {
    recorder_.reset();
    return RecordIndex::load(folder_.string())->entries();
  }
  std::vector<nlohmann::json> labels_of(const IndexEntry& entry) {
    std::vector<nlohmann::json> lines;
    std::ifstream file((folder_ / entry.file).replace_extension(".jsonl"));
    for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  }
  // The pictures in a file.
  guint pictures_in(const IndexEntry& entry) {
    const std::string line = "filesrc location=" + (folder_ / entry.file).string() +
                             " ! qtdemux ! h264parse ! avdec_h264 ! appsink name=out sync=false";
    const gst::ElementPtr pipeline(gst_parse_launch(line.c_str(), nullptr));
    const gst::ElementPtr out(gst_bin_get_by_name(GST_BIN(pipeline.get()), "out"));
    gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
    guint count = 0;
    while (const gst::SamplePtr sample{gst_app_sink_pull_sample(GST_APP_SINK(out.get()))}) ++count;
    gst_element_set_state(pipeline.get(), GST_STATE_NULL);
    return count;
  }

  fs::path folder_;
  std::atomic<int> hours_{0};  // by which the wall clock was set
  std::mutex mutex_;
  std::condition_variable said_something_;
  std::vector<std::string> said_;  // under the mutex
  std::unique_ptr<Recorder> recorder_;
};

TEST_F(RunRecorder, SplitsAtKeyPicturesAndLosesNone) {
  RecordOptions options;
  options.segment = 4;
  open(options);
  feed(0, kPictures);
  const std::vector<IndexEntry> entries = finished();
  ASSERT_EQ(entries.size(), 3U);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_NEAR(entries[i].start, unix_seconds(kBegin) + 4.0 * static_cast<double>(i), 0.05);
    EXPECT_NEAR(entries[i].seconds, 4, 0.11);
    EXPECT_EQ(pictures_in(entries[i]), 40U);
    EXPECT_EQ(entries[i].ended, "whole");
  }
  EXPECT_TRUE(said_.empty()) << said_.front();
}

TEST_F(RunRecorder, BeginsAClipAtTheKeyPictureBeforeTheEvent) {
  RecordOptions options;
  options.when = "person and not car";
  options.before = 1.5;
  options.after = 1;
  open(options);
  const gst::BcpResultPtr car = result_with("car"), person = result_with("person");
  feed(0, 50);
  label(car, 45);
  feed(50, 62);
  label(person, 57);  // 5.7 s: the clip begins with the key picture at 4.0 s
  feed(62, 72);
  label(person, 66);  // the same result still holds at 6.6 s: the clip ends with the key picture after 7.6 s
  feed(72, 79);
  label(car, 77);
  feed(79, kPictures);
  const std::vector<IndexEntry> entries = finished();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_NEAR(entries[0].start, unix_seconds(kBegin) + 4, 0.05);
  EXPECT_NEAR(entries[0].seconds, 4, 0.05);
  EXPECT_EQ(pictures_in(entries[0]), 40U);
  EXPECT_EQ(entries[0].event, "person and not car");
  const std::vector<nlohmann::json> labels = labels_of(entries[0]);
  ASSERT_EQ(labels.size(), 3U);
  EXPECT_EQ(labels[0]["labels"][0]["label"], "car");
  EXPECT_EQ(labels[1]["labels"][0]["label"], "person");
  EXPECT_DOUBLE_EQ(labels[1]["seconds"].get<double>(), 1.7);
  EXPECT_DOUBLE_EQ(labels[2]["seconds"].get<double>(), 3.7);
}

// The sound of many cameras, which needs no parser.
TEST_F(RunRecorder, StoresG711InMatroska) {
  RecordOptions options;
  options.container = "mkv";
  open(options);
  constexpr std::size_t kBytes = 8000 / kRate;
  for (guint i = 0; i < 40; ++i) {
    feed(i, i + 1);
    Packet sound;
    sound.buffer.reset(gst_buffer_new_allocate(nullptr, kBytes, nullptr));
    gst_buffer_memset(sound.buffer.get(), 0, 0xd5, kBytes);
    GST_BUFFER_DURATION(sound.buffer.get()) = GST_SECOND / kRate;
    sound.caps.reset(gst_caps_from_string("audio/x-alaw,rate=8000,channels=1"));
    sound.time = stream().at(i).time;
    sound.connection = 1;
    sound.is_sound = true;
    recorder_->add(std::move(sound));
  }
  const std::vector<IndexEntry> entries = finished();
  EXPECT_TRUE(said_.empty()) << said_.front();
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].sound, "G.711 A-law");
  EXPECT_EQ(entries[0].ended, "whole");
  EXPECT_GT(entries[0].bytes, 39 * kBytes);
}

TEST_F(RunRecorder, GivesAFileTheLabelsThatHoldAtItsBeginning) {
  RecordOptions options;
  options.segment = 4;
  open(options);
  feed(0, 30);
  label(result_with("car"), 10);
  feed(30, kPictures);
  const std::vector<IndexEntry> entries = finished();
  ASSERT_EQ(entries.size(), 3U);
  for (const IndexEntry& entry : entries) {
    ASSERT_EQ(labels_of(entry).size(), 1U);
    EXPECT_EQ(labels_of(entry)[0]["labels"][0]["label"], "car");
  }
  EXPECT_DOUBLE_EQ(labels_of(entries[1])[0]["seconds"].get<double>(), 0);
  std::ifstream file((folder_ / entries[1].file).replace_extension(".vtt"));
  const std::string subtitles{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(subtitles.find("00:00:00.000 --> 00:00:04.000\ncar\n"), std::string::npos) << subtitles;
}

TEST_F(RunRecorder, BeginsANewFileWhenTheClockIsSetBackAndReportsItOnce) {
  open({});
  feed(0, 35);
  wait_for_files(1);
  hours_ = -1;
  wait_for(1);
  feed(35, kPictures);
  const std::vector<IndexEntry> entries = finished();
  ASSERT_EQ(said_.size(), 1U);
  EXPECT_NE(said_[0].find("was set back by 3600 s"), std::string::npos) << said_[0];
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].file, "2026-11-18T12-38-43Z.mp4");
  EXPECT_EQ(entries[1].file, "2026-11-18T11-38-47Z.mp4");
  EXPECT_EQ(pictures_in(entries[0]), 40U);
  EXPECT_EQ(pictures_in(entries[1]), 80U);
}

TEST_F(RunRecorder, ReportsAFaultOfTheDiskOnceAndGoesOn) {
  std::ofstream(folder_) << "a file where the folder should be";
  open({});
  wait_for(1);
  feed(0, 60);
  while (recorder_->status()->now().state != RecordStatus::State::kFault)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(600));  // tried again, and not reported
  fs::remove(folder_);
  feed(60, kPictures);
  const std::vector<IndexEntry> entries = finished();
  ASSERT_EQ(said_.size(), 2U);
  EXPECT_NE(said_[0].find("door is not recorded: cannot create"), std::string::npos) << said_[0];
  EXPECT_NE(said_[1].find("door: the recording continues with"), std::string::npos) << said_[1];
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_GE(pictures_in(entries[0]), 60U);
}

// A file that has ended is not ended again because the index fails.
TEST_F(RunRecorder, GoesOnWhenItsIndexCannotBeWritten) {
  RecordOptions options;
  options.segment = 4;
  open(options);
  feed(0, 20);
  wait_for_files(1);
  fs::create_directory(folder_ / kIndexName);
  feed(20, 60);
  wait_for(1);
  fs::remove(folder_ / kIndexName);
  std::this_thread::sleep_for(kBeyondRetry);
  feed(60, kPictures);
  const std::vector<IndexEntry> entries = finished();
  ASSERT_EQ(said_.size(), 2U) << said_[0];
  EXPECT_NE(said_[0].find("door is not recorded: cannot open"), std::string::npos) << said_[0];
  EXPECT_NE(said_[1].find("door: the recording continues with"), std::string::npos) << said_[1];
  ASSERT_GE(entries.size(), 3U);
  EXPECT_EQ(pictures_in(entries[0]), 40U);
  for (std::size_t i = 1; i < entries.size(); ++i) EXPECT_NE(entries[i].file, entries[i - 1].file);
}

// A camera that a reload starts again is recorded into the folder that its last job still completes.
TEST_F(RunRecorder, FollowsTheRecorderBeforeIt) {
  open({});
  feed(0, 60);
  recorder_->finish();
  std::shared_ptr<void> before = std::move(recorder_);
  open({}, std::move(before));
  feed(60, kPictures);
  const std::vector<IndexEntry> entries = finished();
  EXPECT_TRUE(said_.empty()) << said_.front();
  ASSERT_EQ(entries.size(), 2U);
  for (const IndexEntry& entry : entries) {
    EXPECT_EQ(entry.ended, "whole");
    EXPECT_EQ(pictures_in(entry), 60U);
  }
}

TEST_F(RunRecorder, CreatesAFolderThatWasRemovedAgain) {
  RecordOptions options;
  options.segment = 4;
  open(options);
  feed(0, 20);
  wait_for_files(1);
  fs::remove_all(folder_);
  feed(20, 60);
  wait_for(1);
  std::this_thread::sleep_for(kBeyondRetry);
  feed(60, kPictures);
  const std::vector<IndexEntry> entries = finished();
  ASSERT_EQ(said_.size(), 2U) << said_[0];
  EXPECT_NE(said_[1].find("door: the recording continues with"), std::string::npos) << said_[1];
  ASSERT_GE(entries.size(), 2U);
  EXPECT_EQ(pictures_in(entries[0]), 40U);
}

TEST_F(RunRecorder, EndsFilesEarlyWhenLittleIsKept) {
  RecordOptions options;
  for (const Packet& packet : stream())
    options.keep_bytes = options.keep_bytes.value_or(0) + gst_buffer_get_size(packet.buffer.get());
  *options.keep_bytes /= 2;
  open(options);
  std::size_t written = 0;
  for (guint i = 0; i < kPictures; i += kRate) {
    feed(i, i + kRate);
    // The muxer is as fast as the camera: all but the newest fragment is in the file.
    while (recorder_->status()->now().bytes < written) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (guint k = i; k < i + kRate; ++k) written += gst_buffer_get_size(stream().at(k).buffer.get()) * 9 / 10;
  }
  const std::vector<IndexEntry> entries = finished();
  EXPECT_EQ(said_.size(), 1U);
  EXPECT_NE(said_.at(0).find("is less than two files of 300 s: files are ended early"), std::string::npos) << said_[0];
  ASSERT_FALSE(entries.empty());
  std::uint64_t bytes = 0;
  for (const IndexEntry& entry : entries) bytes += entry.bytes;
  EXPECT_LE(bytes, *options.keep_bytes);
  EXPECT_GE(pictures_in(entries.back()), kRate);
}

}  // namespace
}  // namespace bcp::cli::run
