// SPDX-License-Identifier: LGPL-2.1-or-later
// The file that several streams write their numbers to, without streams.

#include "tagger/metrics_file.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <mutex>

#include "support.hpp"
#include "support/stats_metrics.hpp"
#include "tagger/statistics.hpp"

namespace bcp::test {
namespace {

using tagger::MetricsFile;

constexpr MetricsFile::Interval kSoon{10};

// A stream that has seen so many frames, and the failures that were reported to it.
struct Source {
  explicit Source(std::string source) : name(std::move(source)) {}

  MetricsFile::Read read() {
    return [this]() -> MetricsFile::Reading {
      tagger::Statistics statistics;
      statistics.frames = frames;
      ++readings;
      return {name, gst::StructurePtr(statistics.to_structure())};
    };
  }
  MetricsFile::Failed failed() {
    return [reports = reports](const Error& error, bool speak) {
      ++reports->failures;
      if (!speak) return;
      {
        std::lock_guard lock(reports->mutex);
        reports->spoken.push_back(error.message);
      }
      if (reports->on_speak) reports->on_speak();
    };
  }
  std::unique_ptr<MetricsFile> join(const std::string& path, MetricsFile::Interval interval = std::chrono::hours(1)) {
    auto joined = MetricsFile::join(path, interval, read(), failed());
    if (joined) return *std::move(joined);
    ADD_FAILURE() << joined.error().message;
    return nullptr;
  }

  const std::string name;
  std::atomic<std::uint64_t> frames = 0;
  std::atomic<int> readings = 0;
  struct Reports {
    std::atomic<int> failures = 0;
    std::mutex mutex;
    std::vector<std::string> spoken;
    std::function<void()> on_speak;
    std::size_t count() {
      std::lock_guard lock(mutex);
      return spoken.size();
    }
  };
  const std::shared_ptr<Reports> reports = std::make_shared<Reports>();
};

// Waits until it is so, as long as it takes; a test that hangs has failed.
void until(const std::function<bool()>& so) {
  while (!so()) g_usleep(5000);
}

TEST(MetricsFile, ExistsAsSoonAsAStreamStarts) {
  const Folder folder;
  Source door("door");
  const auto file = door.join(folder.file("m.prom"));
  EXPECT_TRUE(has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"door\"} 0"));
}

TEST(MetricsFile, HasTheFinalValuesAfterTheStreamStops) {
  const Folder folder;
  Source door("door");
  auto file = door.join(folder.file("m.prom"));
  door.frames = 7;
  file.reset();
  EXPECT_TRUE(has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"door\"} 7"));
  EXPECT_FALSE(std::filesystem::is_empty(folder.file("")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("")), {}), 1) << "nothing is left beside it";
}

TEST(MetricsFile, IsWrittenOncePerInterval) {
  const Folder folder;
  Source door("door");
  const auto file = door.join(folder.file("m.prom"), kSoon);
  door.frames = 1;
  until([&] { return has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"door\"} 1"); });
  door.frames = 2;
  until([&] { return has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"door\"} 2"); });
}

TEST(MetricsFile, UsesAShorterIntervalAtOnce) {
  const Folder folder;
  Source door("door");
  const auto file = door.join(folder.file("m.prom"), std::chrono::seconds(G_MAXUINT));
  door.frames = 1;
  file->set_interval(kSoon);
  until([&] { return has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"door\"} 1"); });
}

TEST(MetricsFile, IsNotWrittenBetweenIntervals) {
  const Folder folder;
  Source door("door");
  const auto file = door.join(folder.file("m.prom"));
  for (int i = 0; i < 1000; ++i) file->set_interval(std::chrono::hours(1));
  EXPECT_EQ(door.readings, 1);
}

TEST(MetricsFile, HasTheValuesOfAllStreamsThatUseIt) {
  const Folder folder;
  std::filesystem::create_symlink("m.prom", folder.file("link.prom"));
  Source door("door"), yard("yard");
  door.frames = 1;
  yard.frames = 2;
  const auto first = door.join(folder.file("m.prom"));
  const auto second = yard.join(folder.file("link.prom"));
  EXPECT_TRUE(
      has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"door\"} 1\nbcp_frames_total{source=\"yard\"} 2"));
}

TEST(MetricsFile, NumbersStreamsWithTheSameName) {
  const Folder folder;
  Source one("cam"), other("cam");
  const auto first = one.join(folder.file("m.prom"));
  const auto second = other.join(folder.file("m.prom"));
  EXPECT_TRUE(
      has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"cam\"} 0\nbcp_frames_total{source=\"cam (2)\"} 0"));
}

TEST(MetricsFile, KeepsTheFinalValuesOfAllStreamsOfAPipeline) {
  const Folder folder;
  Source door("door"), yard("yard");
  auto first = door.join(folder.file("m.prom"));
  auto second = yard.join(folder.file("m.prom"));
  door.frames = 3;
  yard.frames = 4;
  first.reset();
  second.reset();
  EXPECT_TRUE(has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"door\"} 3"));
  EXPECT_TRUE(has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"yard\"} 4"));
}

TEST(MetricsFile, DropsAStreamThatStoppedAnIntervalAgo) {
  const Folder folder;
  Source door("door"), yard("yard");
  auto first = door.join(folder.file("m.prom"), kSoon);
  const auto second = yard.join(folder.file("m.prom"), kSoon);
  first.reset();
  EXPECT_TRUE(has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"door\"} 0"));
  until([&] { return !has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"door\"} 0"); });
  EXPECT_TRUE(has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"yard\"} 0"));
}

TEST(MetricsFile, ListsARestartedStreamOnce) {
  const Folder folder;
  Source door("door"), yard("yard");
  auto first = door.join(folder.file("m.prom"));
  const auto second = yard.join(folder.file("m.prom"));
  door.frames = 5;
  first.reset();
  door.frames = 0;
  first = door.join(folder.file("m.prom"));
  EXPECT_TRUE(has_lines(folder.file("m.prom"), "bcp_frames_total{source=\"door\"} 0"));
  EXPECT_EQ(contents(folder.file("m.prom")).find("door (2)"), std::string::npos);
}

TEST(MetricsFile, IsRefusedInAMissingFolder) {
  const Folder folder;
  Source door("door");
  const auto joined = MetricsFile::join(folder.file("none/m.prom"), kSoon, door.read(), door.failed());
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().code, ErrorCode::kNotFound);
  EXPECT_NE(joined.error().message.find("none/m.prom"), std::string::npos) << joined.error().message;
  EXPECT_NE(joined.error().message.find("metrics-file"), std::string::npos) << joined.error().message;
  EXPECT_EQ(door.reports->failures, 0);
}

TEST(MetricsFile, ReportsAFailedWriteOnceAndAllStreamsCountIt) {
  const Folder folder;
  const std::string inner = folder.file("inner"), away = folder.file("away"), path = folder.file("inner/m.prom");
  std::filesystem::create_directory(inner);
  Source door("door"), yard("yard");
  const auto first = door.join(path, kSoon);
  const auto second = yard.join(path, kSoon);
  std::filesystem::rename(inner, away);
  until([&] { return door.reports->failures >= 2 && yard.reports->failures >= 2; });
  EXPECT_EQ(door.reports->count() + yard.reports->count(), 1U);

  yard.frames = 9;
  std::filesystem::rename(away, inner);
  until([&] { return has_lines(path, "bcp_frames_total{source=\"yard\"} 9"); });
  std::filesystem::rename(inner, away);
  const int before = yard.reports->failures;
  until([&] { return yard.reports->failures > before; });
  EXPECT_EQ(door.reports->count() + yard.reports->count(), 2U)
      << "a failure after a successful write is reported again";
}

// As a synchronous bus handler does that stops the pipeline: all parts end inside the report, on the writer's thread.
TEST(MetricsFile, CanBeLeftFromInsideTheReportOfAFailure) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("inner"));
  Source door("door"), yard("yard");
  std::unique_ptr<MetricsFile> first, second;
  std::promise<void> left;
  door.reports->on_speak = [&] {
    first.reset();
    second.reset();
    left.set_value();
  };
  first = door.join(folder.file("inner/m.prom"), kSoon);
  second = yard.join(folder.file("inner/m.prom"), kSoon);
  std::filesystem::rename(folder.file("inner"), folder.file("away"));
  std::future<void> done = left.get_future();
  if (done.wait_for(std::chrono::seconds(30)) != std::future_status::ready) {
    (void)first.release();  // they wait for each other for ever: let the other tests run
    (void)second.release();
    FAIL() << "leaving the file waits for the report, which waits for the file to be left";
  }
}

// As a handler does that waits for another thread which stops the pipeline.
TEST(MetricsFile, CanBeLeftWhileTheReportOfAFailureWaitsForIt) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("inner"));
  Source door("door");
  std::promise<void> reported, left;
  auto is_left = std::make_shared<std::future<void>>(left.get_future());
  auto in_time = std::make_shared<std::promise<bool>>();
  std::future<bool> result = in_time->get_future();
  door.reports->on_speak = [&reported, is_left, in_time] {
    reported.set_value();
    in_time->set_value(is_left->wait_for(std::chrono::seconds(10)) == std::future_status::ready);
  };
  auto file = door.join(folder.file("inner/m.prom"), kSoon);
  std::filesystem::rename(folder.file("inner"), folder.file("away"));
  reported.get_future().wait();
  file.reset();
  left.set_value();
  EXPECT_TRUE(result.get()) << "leaving the file waited for the report";
}

TEST(Metrics, LeaveOutMissingStats) {
  prometheus::Exposition exposition;
  const gst::StructurePtr stats(gst_structure_new("bcp-stats", "frames", G_TYPE_UINT64, guint64{3}, nullptr));
  gst::add_stats(exposition, "old", stats.get());
  const std::string text = exposition.text();
  EXPECT_NE(text.find("bcp_frames_total{source=\"old\"} 3\n"), std::string::npos);
  EXPECT_EQ(text.find("bcp_labels"), std::string::npos);
  EXPECT_EQ(text.find("bcp_inference_seconds"), std::string::npos);
}

TEST(Metrics, HaveTimesInSecondsAndNanWithoutSamples) {
  tagger::Statistics statistics;
  statistics.add_result({.wait = {}, .preprocess = 1, .inference = 40, .adapt = 1}, 2);
  statistics.add_result({.wait = {}, .preprocess = 1, .inference = 60, .adapt = 1}, 2);
  prometheus::Exposition exposition;
  gst::add_stats(exposition, "cam", gst::StructurePtr(statistics.to_structure()).get());
  const std::string text = exposition.text();
  EXPECT_NE(text.find("bcp_inference_seconds{source=\"cam\",quantile=\"0.5\"} 0.04\n"
                      "bcp_inference_seconds{source=\"cam\",quantile=\"0.99\"} 0.06\n"
                      "bcp_inference_seconds_sum{source=\"cam\"} 0.1\n"
                      "bcp_inference_seconds_count{source=\"cam\"} 2\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("bcp_wait_seconds{source=\"cam\",quantile=\"0.5\"} NaN\n"), std::string::npos);
  EXPECT_NE(text.find("bcp_labels_active{source=\"cam\"} 2\n"), std::string::npos);
}

}  // namespace
}  // namespace bcp::test
