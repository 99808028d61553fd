// SPDX-License-Identifier: LGPL-2.1-or-later
// The input of a report: valid and invalid lines, and when each is valid.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gst-bcp/report/changes.hpp"
#include "gst-bcp/report/results.hpp"
#include "gst-bcp/report/time_axis.hpp"
#include "report_lines.hpp"

namespace bcp::cli::report {
namespace {

using ReportResults = Report;
using ReportTimes = Report;

TEST_F(ReportResults, AreReadWithBothProbabilities) {
  const Result<Results> results = read(line(1.5, {{"car", 0.3, 0.6, 1.25}}, "bus", 12));
  ASSERT_TRUE(results);
  ASSERT_EQ(results->streams.size(), 1u);
  const Stream& stream = results->streams[0];
  ASSERT_EQ(stream.scores.size(), 1u);
  EXPECT_EQ(results->labels[stream.scores[0].label], "car");
  EXPECT_FLOAT_EQ(stream.scores[0].plain_probability, 0.3f);
  EXPECT_FLOAT_EQ(stream.scores[0].probability, 0.6f);
  EXPECT_FLOAT_EQ(stream.scores[0].correction, 1.25f);
  EXPECT_EQ(results->labels[static_cast<std::size_t>(stream.moments[0].anchor)], "bus");
  EXPECT_EQ(stream.moments[0].samples, 12);
  EXPECT_NEAR(stream.moments[0].utc, 1767268800, 0.5);
}

TEST_F(ReportResults, AreReadOfBothVersions) {
  const Result<Results> results =
      read(line(0, {{"car", 0.3, 0.6, 1.25}}) + presence_line(1, {{"car", 0.3, 0.9, 0.75, 2.5}}, "street", false));
  ASSERT_TRUE(results);
  EXPECT_EQ(results->skipped, 0u);
  const Stream& stream = results->streams.at(0);
  ASSERT_EQ(stream.moments.size(), 2u);
  EXPECT_FALSE(stream.moments[0].presence);
  EXPECT_TRUE(std::isnan(stream.moments[0].threshold));
  EXPECT_TRUE(std::isnan(stream.scores[0].prior));
  EXPECT_EQ(stream.moments[0].context, -1);
  EXPECT_TRUE(stream.moments[1].presence);
  EXPECT_FALSE(stream.moments[1].calibrated);
  EXPECT_FLOAT_EQ(stream.moments[1].threshold, 0.5f);
  ASSERT_EQ(stream.moments[1].context, 0);
  EXPECT_EQ(results->contexts, std::vector<std::string>{"street"});
  EXPECT_FLOAT_EQ(stream.moments[1].context_weight, 0.375f);
  const Score& score = stream.scores.at(1);
  EXPECT_FLOAT_EQ(score.probability, 0.9f);
  EXPECT_FLOAT_EQ(score.plain_probability, 0.3f) << "zero_shot_softmax";
  EXPECT_FLOAT_EQ(score.prior, 0.75f);
  EXPECT_FLOAT_EQ(score.evidence, 2.5f);
}

TEST_F(ReportResults, SkipCountAndNameBrokenLines) {
  const Result<Results> results = read(line(0, {}) + "nonsense\n\n[1]\n{\"version\":1}\n" + line(1, {}) +
                                       R"({"version":1,"labels":[{"label":5}]})");
  ASSERT_TRUE(results);
  EXPECT_EQ(results->results, 2u);
  EXPECT_EQ(results->skipped, 4u);
  ASSERT_EQ(results->first_faults.size(), 4u);
  EXPECT_EQ(results->first_faults[0].find("results.jsonl:2: not valid JSON"), 0u) << results->first_faults[0];
  EXPECT_EQ(results->first_faults[1], "results.jsonl:4: not a JSON object");
  EXPECT_EQ(results->first_faults[3].find("results.jsonl:7: "), 0u) << results->first_faults[3];
}

TEST_F(ReportResults, ListOnlyTheFirstInvalidLines) {
  std::string text = line(0, {});
  for (int i = 0; i < 1000; ++i) text += "{\n";
  const Result<Results> results = read(text);
  ASSERT_TRUE(results);
  EXPECT_EQ(results->skipped, 1000u);
  EXPECT_EQ(results->first_faults.size(), 5u);
}

TEST_F(ReportResults, SkipALineWithoutEnd) {
  const Result<Results> results = read(line(0, {}) + std::string(std::size_t{17} << 20, 'x') + "\n" + line(1, {}));
  ASSERT_TRUE(results);
  EXPECT_EQ(results->results, 2u);
  EXPECT_EQ(results->first_faults, std::vector<std::string>{"results.jsonl:2: longer than 16 MB"});
}

TEST_F(ReportResults, DropAllDataOfAnInvalidLine) {
  const Result<Results> results =
      read(line(0, {}) + R"({"version":1,"source":"cam","labels":[{"label":"car","shown":true},{}]})");
  ASSERT_TRUE(results);
  EXPECT_EQ(results->streams[0].moments.size(), 1u);
  EXPECT_TRUE(results->streams[0].scores.empty());
}

TEST_F(ReportResults, IgnoreEvents) {
  const Result<Results> results = read(R"({"event":"label-on","label":"car","pts":1})"
                                       "\n" +
                                       line(0, {}));
  ASSERT_TRUE(results);
  EXPECT_EQ(results->events, 1u);
  EXPECT_EQ(results->skipped, 0u);
}

TEST_F(ReportResults, OfOlderVersionsCountAsUnchanged) {
  const Results results = laid_out(
      R"({"version":1,"source":null,"pts":0,"labels":[{"label":"car","shown":true,"probability":0.5,"correction":1}]})");
  EXPECT_EQ(results.older, 1u);
  EXPECT_TRUE(std::isnan(results.streams[0].scores[0].plain_probability));
  EXPECT_EQ(find_changes(results.streams[0], results.labels.size()).changed, 0u);
}

TEST_F(ReportResults, OfANewerFormatAreRefusedWithTheReason) {
  const Result<Results> results = read(line(0, {}) + R"({"version":3,"labels":[]})");
  ASSERT_TRUE(results);
  EXPECT_NE(results->first_faults[0].find("newer than this gst-bcp"), std::string::npos);
}

TEST_F(ReportResults, AreAnErrorWhenEmpty) {
  const Result<Results> results = read("nonsense\n");
  ASSERT_FALSE(results);
  EXPECT_NE(results.error().message.find("results.jsonl:1: not valid JSON"), std::string::npos)
      << results.error().message;
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read_results(directory_.path() + "/nothing"));
}

TEST_F(ReportResults, AreKeptApartBySourceAndByRegion) {
  std::string region = line(0, {{"car", 0.5, 0.5}});
  region.replace(region.find("\"region\":null"), 13, "\"region\":7");
  const Result<Results> results = read(line(0, {}, "", 1, "a") + line(0, {}, "", 1, "b") + line(0, {}) + region);
  ASSERT_TRUE(results);
  ASSERT_EQ(results->streams.size(), 4u);
  EXPECT_EQ(results->streams[1].source, "b");
  EXPECT_EQ(results->streams[3].source, "cam");
  EXPECT_TRUE(results->streams[3].regions);
}

TEST_F(ReportResults, KeepNothingOfFaintLabels) {
  const Result<Results> results = read(line(0, {{"car", 0.01, 0.01}, {"bus", 0.01, 0.1}, {"cat", 0.1, 0.01}}));
  ASSERT_TRUE(results);
  EXPECT_EQ(results->streams[0].scores.size(), 2u);
}

TEST_F(ReportTimes, HoldUntilTheNextResult) {
  const Results results = laid_out(line(0, {}) + line(0.5, {}) + line(1, {}));
  const auto& moments = results.streams[0].moments;
  EXPECT_DOUBLE_EQ(moments[0].until, 0.5);
  EXPECT_DOUBLE_EQ(moments[2].until, 1.5);
  EXPECT_TRUE(moments[2].continues);
}

TEST_F(ReportTimes, EndAtAGap) {
  const Results results = laid_out(line(0, {}) + line(0.5, {}) + line(1, {}) + line(60, {}) + line(60.5, {}));
  const auto& moments = results.streams[0].moments;
  EXPECT_DOUBLE_EQ(moments[2].until, 1.5);
  EXPECT_FALSE(moments[3].continues);
  EXPECT_TRUE(moments[4].continues);
}

TEST_F(ReportTimes, GoOnWhereTheStreamJumpsBack) {
  const Results results = laid_out(line(0, {}) + line(1, {}) + line(2, {}) + line(0, {}) + line(1, {}));
  const auto& moments = results.streams[0].moments;
  EXPECT_DOUBLE_EQ(moments[3].time, 3);
  EXPECT_DOUBLE_EQ(moments[4].time, 4);
  EXPECT_DOUBLE_EQ(moments[4].pts, 1);
  EXPECT_FALSE(moments[3].continues);
}

TEST_F(ReportTimes, ComeFromTheClockWhereTheStreamHasNone) {
  const auto at = [](const char* utc) {
    return R"({"version":1,"pts":null,"utc":")" + std::string(utc) + R"(","labels":[]})" + "\n";
  };
  Result<Results> results = read(at("2026-01-01T23:59:59.500000Z") + at("2026-01-02T00:00:01.000000Z"));
  ASSERT_TRUE(results);
  EXPECT_EQ(lay_out(results->streams[0]), TimeAxis::kClock);
  EXPECT_NEAR(results->streams[0].moments[1].time, 1.5, 1e-6);
}

TEST_F(ReportTimes, AreNumbersWhereThereIsNoClockEither) {
  Result<Results> results =
      read("{\"version\":1,\"pts\":null,\"labels\":[]}\n{\"version\":1,\"pts\":null,\"labels\":[]}\n");
  ASSERT_TRUE(results);
  EXPECT_EQ(lay_out(results->streams[0]), TimeAxis::kNumber);
  EXPECT_EQ(results->streams[0].moments[1].time, 1);
}

TEST_F(ReportResults, SkipALineThatNamesALabelTwice) {
  const Result<Results> results =
      read(line(0, {{"car", 0.5, 0.5}}) + line(1, {{"car", 0.5, 0.5}, {"bus", 0.5, 0.5}, {"car", 0.5, 0.1}}));
  ASSERT_TRUE(results);
  EXPECT_EQ(results->results, 1u);
  EXPECT_EQ(results->skipped, 1u);
  EXPECT_EQ(results->first_faults.front(), "results.jsonl:2: it names the label \"car\" twice");
}

}  // namespace
}  // namespace bcp::cli::report
