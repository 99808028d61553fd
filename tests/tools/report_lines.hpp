// SPDX-License-Identifier: LGPL-2.1-or-later
// Results written by the tests of the report, line by line.

#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "common/temporary.hpp"
#include "gst-bcp/report/results.hpp"
#include "gst-bcp/report/time_axis.hpp"

namespace bcp::cli::report {

// A label in a line: {"car", before, after}; shown from 0.2 on.
struct Said {
  std::string label;
  double before, after, correction = 0;
};

inline std::string said(const std::vector<Said>& labels) {
  nlohmann::json list = nlohmann::json::array();
  for (const Said& each : labels)
    list.push_back({{"label", each.label},
                    {"shown", each.after >= 0.2},
                    {"probability", each.after},
                    {"correction", each.correction},
                    {"zero_shot_probability", each.before},
                    {"zero_shot_shown", each.before >= 0.2}});
  return list.dump();
}

inline std::string line(double pts, const std::vector<Said>& labels, const std::string& anchor = "",
                        double samples = 100, const std::string& source = "cam") {
  return R"({"version":1,"source":")" + source + R"(","pts":)" + std::to_string(pts) +
         R"(,"utc":"2026-01-01T12:00:00.000000Z","inference_pts":)" + std::to_string(pts) +
         R"(,"region":null,"anchor":)" +
         (anchor.empty() ? "null" : R"({"label":")" + anchor + R"(","probability":0.9})") + R"(,"samples":)" +
         std::to_string(samples) + R"(,"labels":)" + said(labels) + "}\n";
}

// A label in a line of version 2; shown from 0.5 on, by plain CLIP from 0.2.
struct ReportedLabel {
  std::string label;
  double plain, presence, prior, evidence;
};

inline std::string presence_line(double pts, const std::vector<ReportedLabel>& labels, const std::string& context = "",
                                 bool calibrated = true) {
  nlohmann::json list = nlohmann::json::array();
  for (const ReportedLabel& each : labels)
    list.push_back({{"label", each.label},
                    {"shown", each.presence >= 0.5},
                    {"probability", each.presence},
                    {"softmax", 0.125},
                    {"prior", each.prior},
                    {"evidence", each.evidence},
                    {"correction", 0},
                    {"zero_shot_softmax", each.plain},
                    {"zero_shot_shown", each.plain >= 0.2}});
  nlohmann::json all = {{"version", 2},           {"source", "cam"},   {"pts", pts},
                        {"decision", "presence"}, {"threshold", 0.5},  {"calibrated", calibrated},
                        {"context", nullptr},     {"anchor", nullptr}, {"samples", 100},
                        {"labels", list}};
  if (!context.empty()) all["context"] = {{"word", context}, {"weight", 0.375}};
  return all.dump() + "\n";
}

class Report : public ::testing::Test {
 protected:
  Result<Results> read(const std::string& text) {
    EXPECT_TRUE(replace_file(path_, text));
    return read_results(path_);
  }

  // The results of a valid text, with their times set.
  Results laid_out(const std::string& text) {
    Result<Results> results = read(text);
    if (!results) throw std::runtime_error(results.error().message);
    for (Stream& stream : results->streams) lay_out(stream);
    return *std::move(results);
  }

  test::TemporaryDirectory directory_;
  std::string path_ = directory_.path() + "/results.jsonl";
};

}  // namespace bcp::cli::report
