// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "base/prometheus.hpp"

namespace bcp::prometheus {
namespace {

constexpr Family kFrames{"bcp_frames_total", "Frames."};
constexpr Family kTemperature{"bcp_temperature", "How warm."};
constexpr Family kRun{"bcp_run_seconds", "How long."};

std::string gauge_line(double value) {
  Exposition exposition;
  exposition.gauge(kTemperature, {}, value);
  const std::string text = exposition.text();
  return text.substr(text.rfind("bcp_temperature"));
}

std::string labelled_line(const std::string& value) {
  Exposition exposition;
  exposition.gauge(kTemperature, {{"source", value}}, 1);
  const std::string text = exposition.text();
  return text.substr(text.find("\nbcp_temperature") + 1);
}

TEST(Prometheus, IsEmptyWithoutSamples) {
  EXPECT_EQ(Exposition().text(), "");
}

TEST(Prometheus, WritesEachKindInTheTextFormat) {
  Exposition exposition;
  exposition.counter(kFrames, {{"source", "door"}}, 12);
  exposition.gauge(kTemperature, {}, 21.5);
  exposition.summary(kRun, {{"source", "door"}}, std::array{Quantile{0.5, 0.02}, Quantile{0.99, 0.1}}, 1.25, 40);
  EXPECT_EQ(exposition.text(),
            "# HELP bcp_frames_total Frames.\n"
            "# TYPE bcp_frames_total counter\n"
            "bcp_frames_total{source=\"door\"} 12\n"
            "# HELP bcp_temperature How warm.\n"
            "# TYPE bcp_temperature gauge\n"
            "bcp_temperature 21.5\n"
            "# HELP bcp_run_seconds How long.\n"
            "# TYPE bcp_run_seconds summary\n"
            "bcp_run_seconds{source=\"door\",quantile=\"0.5\"} 0.02\n"
            "bcp_run_seconds{source=\"door\",quantile=\"0.99\"} 0.1\n"
            "bcp_run_seconds_sum{source=\"door\"} 1.25\n"
            "bcp_run_seconds_count{source=\"door\"} 40\n");
}

TEST(Prometheus, KeepsAFamilyTogetherForAnyOrderOfSamples) {
  Exposition exposition;
  for (const char* source : {"a", "b"}) {
    exposition.counter(kFrames, {{"source", source}}, 1);
    exposition.gauge(kTemperature, {{"source", source}}, 2);
  }
  EXPECT_EQ(exposition.text(),
            "# HELP bcp_frames_total Frames.\n"
            "# TYPE bcp_frames_total counter\n"
            "bcp_frames_total{source=\"a\"} 1\n"
            "bcp_frames_total{source=\"b\"} 1\n"
            "# HELP bcp_temperature How warm.\n"
            "# TYPE bcp_temperature gauge\n"
            "bcp_temperature{source=\"a\"} 2\n"
            "bcp_temperature{source=\"b\"} 2\n");
}

TEST(Prometheus, EscapesQuotesBackslashesAndLineEnds) {
  EXPECT_EQ(labelled_line("a\"b\\c\n"), "bcp_temperature{source=\"a\\\"b\\\\c\\n\"} 1\n");
  EXPECT_EQ(labelled_line("Tür, {Hof} = 1"), "bcp_temperature{source=\"Tür, {Hof} = 1\"} 1\n");
  EXPECT_EQ(labelled_line(""), "bcp_temperature{source=\"\"} 1\n");
}

TEST(Prometheus, ReplacesInvalidUtf8) {
  EXPECT_EQ(labelled_line("a\xff\xc3z"), "bcp_temperature{source=\"a\uFFFD\uFFFDz\"} 1\n");
}

TEST(Prometheus, EscapesHelpButNotItsQuotes) {
  Exposition exposition;
  exposition.gauge({"bcp_x", "Say \"hi\"\nback\\slash"}, {}, 1);
  EXPECT_EQ(exposition.text(),
            "# HELP bcp_x Say \"hi\"\\nback\\\\slash\n"
            "# TYPE bcp_x gauge\n"
            "bcp_x 1\n");
}

TEST(Prometheus, WritesNumbersThatReadBackTheSame) {
  EXPECT_EQ(gauge_line(0), "bcp_temperature 0\n");
  EXPECT_EQ(gauge_line(-3), "bcp_temperature -3\n");
  EXPECT_EQ(gauge_line(1000000), "bcp_temperature 1000000\n");
  EXPECT_EQ(gauge_line(0.1), "bcp_temperature 0.1\n");
  EXPECT_EQ(gauge_line(1e300), "bcp_temperature 1e+300\n");
  EXPECT_EQ(gauge_line(std::numeric_limits<double>::quiet_NaN()), "bcp_temperature NaN\n");
  EXPECT_EQ(gauge_line(std::numeric_limits<double>::infinity()), "bcp_temperature +Inf\n");
  EXPECT_EQ(gauge_line(-std::numeric_limits<double>::infinity()), "bcp_temperature -Inf\n");
}

}  // namespace
}  // namespace bcp::prometheus
