// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish/result_json.hpp"
#include "mqtt/event_json.hpp"

#include <clocale>
#include <cmath>

#include "support.hpp"

namespace bcp::test {
namespace {

using gst::BcpLabelsPtr;
using gst::BcpResultPtr;
using nlohmann::ordered_json;

ordered_json parsed(const BcpResultPtr& result, bool all_labels = false, const publish::ResultTimes& times = {}) {
  publish::ResultJson json;
  return ordered_json::parse(json.compose(result.get(), times, all_labels));
}

TEST(ResultJson, MatchesTheExampleWithSoftmax) {
  publish::ResultJson json;
  EXPECT_EQ(
      json.compose(street(0, "cam").get(),
                   {.pts = 1234 * GST_MSECOND, .inference_pts = 1200 * GST_MSECOND, .utc_us = 1767268800000123}, false),
      R"({"version":2,"source":"cam","pts":1.234000000,"utc":"2026-01-01T12:00:00.000123Z",)"
      R"("inference_pts":1.200000000,"region":null,"decision":"softmax","threshold":0.2,"calibrated":false,)"
      R"("context":null,"anchor":{"label":"car","probability":0.75},"samples":412,)"
      R"("labels":[{"label":"car","shown":true,"probability":0.9,"softmax":0.9,"prior":null,"evidence":null,)"
      R"("logit":27.125,"zero_shot":27.125,"correction":0,"zero_shot_softmax":0.75,"zero_shot_shown":true},)"
      R"({"label":"tree","shown":false,"probability":0.095,"softmax":0.095,"prior":null,"evidence":null,)"
      R"("logit":23.75,"zero_shot":25,"correction":-1.25,"zero_shot_softmax":0.24,"zero_shot_shown":true}]})");
}

TEST(ResultJson, MatchesTheExampleWithPresence) {
  publish::ResultJson json;
  EXPECT_EQ(
      json.compose(street_by_presence().get(),
                   {.pts = 1234 * GST_MSECOND, .inference_pts = 1200 * GST_MSECOND, .utc_us = 1767268800000123}, false),
      R"({"version":2,"source":"cam","pts":1.234000000,"utc":"2026-01-01T12:00:00.000123Z",)"
      R"("inference_pts":1.200000000,"region":null,"decision":"presence","threshold":0.5,"calibrated":true,)"
      "\"context\":{\"word\":\"str\xc3\xa9"
      "et\",\"weight\":0.375},"
      R"("anchor":{"label":"car","probability":0.75},"samples":412,)"
      R"("labels":[{"label":"car","shown":true,"probability":0.875,"softmax":0.8125,"prior":0.5,"evidence":4.25,)"
      R"("logit":27.125,"zero_shot":27.125,"correction":0,"zero_shot_softmax":0.75,"zero_shot_shown":true},)"
      R"({"label":"tree","shown":true,"probability":0.625,"softmax":0.171875,"prior":0.25,"evidence":1.5,)"
      R"("logit":23.75,"zero_shot":25,"correction":-1.25,"zero_shot_softmax":0.1875,"zero_shot_shown":false}]})");
  EXPECT_EQ(parsed(street_by_presence(0, false))["calibrated"], false);
}

TEST(ResultJson, AddsTheOtherLabelsWithAllLabels) {
  const ordered_json line = parsed(street(), true);
  ASSERT_EQ(line["labels"].size(), 3U);
  EXPECT_EQ(line["labels"][2]["label"], "boat");
  EXPECT_EQ(line["labels"][2]["shown"], false);
}

TEST(ResultJson, WritesNullForMissingValues) {
  const BcpLabelsPtr labels(gst_bcp_labels_new(nullptr, 0));
  const ordered_json line = parsed(make_result(labels.get(), {}));
  for (const char* key : {"source", "pts", "inference_pts", "region", "anchor", "context"})
    EXPECT_TRUE(line[key].is_null()) << key;
  EXPECT_TRUE(line["labels"].empty());
}

TEST(ResultJson, NamesTheRegion) {
  EXPECT_EQ(parsed(street(0, "cam", 12))["region"], 12);
}

TEST(ResultJson, StaysValidForNumbersThatAreNotFinite) {
  const char* names[] = {"a", "b", "c"};
  const BcpLabelsPtr labels(gst_bcp_labels_new(names, 3));
  const Score scores[] = {{NAN, INFINITY, -INFINITY, 0, NAN, GST_BCP_SCORE_SHOWN},
                          {1e300, -1e-300, -0.0, 0, 0.25, GST_BCP_SCORE_SHOWN},
                          {0, 0, 0, 0, NAN, GST_BCP_SCORE_SHOWN}};
  const ordered_json line =
      parsed(make_result(labels.get(), scores, {.anchor = 0, .anchor_probability = NAN, .samples = 1234567890}));
  EXPECT_EQ(line["labels"][0]["label"], "b");
  EXPECT_TRUE(line["labels"][1]["logit"].is_null());
  EXPECT_TRUE(line["anchor"]["probability"].is_null());
  EXPECT_EQ(line["samples"], 1234567890);
}

TEST(ResultJson, EscapesNames) {
  const char* names[] = {"a \"quoted\"\n\\ one", "na\xc3\xafve"};
  const BcpLabelsPtr labels(gst_bcp_labels_new(names, 2));
  const std::vector<Score> scores(2, Score{.probability = 0.5, .flags = GST_BCP_SCORE_SHOWN});
  publish::ResultJson json;
  const BcpResultPtr result = make_result(labels.get(), scores);
  const std::string text = json.compose(result.get(), {}, false);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const ordered_json line = ordered_json::parse(text);
  EXPECT_EQ(line["labels"][0]["label"].get<std::string>(), names[0]);
  EXPECT_EQ(line["labels"][1]["label"].get<std::string>(), names[1]);
}

TEST(ResultJson, WritesADecimalPointInEveryLocale) {
  const char* set = nullptr;
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"}) {
    if ((set = std::setlocale(LC_NUMERIC, name))) break;
  }
  const ordered_json line = parsed(street(), false, {.pts = GST_SECOND / 2});
  std::setlocale(LC_NUMERIC, "C");
  EXPECT_EQ(line["labels"][0]["probability"], 0.9);
  EXPECT_EQ(line["pts"], 0.5);
  if (!set) GTEST_SKIP() << "no locale with a decimal comma is installed";
}

TEST(EventLine, IsJsonForAnyLabel) {
  const decide::Event on{.label = "a \"b\"\n", .on = true, .probability = NAN, .peak = 0.5, .mean = 0.5};
  EXPECT_EQ(mqtt::event_line(on, "", GST_CLOCK_TIME_NONE),
            R"({"event":"label-on","source":null,"label":"a \"b\"\n","pts":null,"start":null,"end":null,)"
            R"("duration":null,"probability":null,"peak":0.5,"mean":0.5})");
  const decide::Event gone{.label = "\xFF",
                           .on = false,
                           .start = 0.5,
                           .end = 2.0,
                           .duration = 1.5,
                           .probability = 0.5,
                           .peak = 0.75,
                           .mean = 0.625};
  const auto off = nlohmann::json::parse(mqtt::event_line(gone, "cam", 2 * GST_SECOND));
  EXPECT_EQ(off["event"], "label-off");
  EXPECT_EQ(off["start"], 0.5);
  EXPECT_EQ(off["end"], 2.0);
  EXPECT_EQ(off["duration"], 1.5);
  EXPECT_EQ(off["pts"], 2.0);
  EXPECT_EQ(off["probability"], 0.5);
  EXPECT_EQ(off["peak"], 0.75);
  EXPECT_EQ(off["mean"], 0.625);
}

}  // namespace
}  // namespace bcp::test
