// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include "clip/labels.hpp"
#include "common/temporary.hpp"

namespace bcp::clip {
namespace {

using Names = std::vector<std::string>;

Names names(const Result<std::vector<Label>>& labels) {
  if (!labels) return {"error: " + labels.error().message};
  Names list;
  for (const Label& label : *labels) list.push_back(label.name);
  return list;
}

Result<std::vector<Label>> load(const std::string& text) {
  const test::TemporaryDirectory directory;
  test::write(directory / "labels", text);
  return load_labels(directory / "labels");
}

// The error message must contain each of `parts`.
void expect_fault(const Result<std::vector<Label>>& labels, const Names& parts) {
  ASSERT_FALSE(labels) << "no error";
  for (const std::string& part : parts)
    EXPECT_NE(labels.error().message.find(part), std::string::npos) << labels.error().message;
}

TEST(Labels, AreSeparatedByCommasOrNewlines) {
  EXPECT_EQ(names(parse_labels("car, traffic light\nperson,")), (Names{"car", "traffic light", "person"}));
}

TEST(Labels, MayHoldACommaOrABackslashThatIsEscaped) {
  EXPECT_EQ(names(parse_labels(R"(cup\, red,back\\slash,odd\n,end\)")),
            (Names{"cup, red", R"(back\slash)", R"(odd\n)", R"(end\)"}));
}

TEST(Labels, AreTrimmedAndTheirInnerWhiteSpaceCollapsed) {
  EXPECT_EQ(names(parse_labels("  traffic \t  light \r,\xC2\xA0"
                               "caf\xC3\xA9\xE3\x80\x80noir")),
            (Names{"traffic light", "caf\xC3\xA9 noir"}));
}

TEST(Labels, ThatAreEmptyAreDropped) {
  EXPECT_EQ(names(parse_labels(",, car ,\n\n , \t,dog")), (Names{"car", "dog"}));
}

TEST(Labels, RefuseAnEmptyList) {
  expect_fault(parse_labels(""), {"no labels", "at least one"});
  expect_fault(parse_labels(" , \n"), {"no labels"});
}

TEST(Labels, RefuseTheSameNameTwiceAndSayWhere) {
  expect_fault(parse_labels("car,dog,car"), {"\"car\"", "entry 1", "entry 3", "remove one"});
}

TEST(Labels, RefuseNamesThatBecomeTheSameByCleaning) {
  expect_fault(parse_labels("traffic light,  traffic   light"), {"\"traffic light\"", "twice"});
}

TEST(Labels, DistinguishUpperAndLowerCase) {
  EXPECT_EQ(names(parse_labels("Turkey,turkey")), (Names{"Turkey", "turkey"}));
}

TEST(Labels, RefuseInvalidUtf8) {
  expect_fault(parse_labels("car,caf\xE9"), {"entry 2", "UTF-8", "byte 4"});
}

std::string many(std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += "label " + std::to_string(i) + "\n";
  return list;
}

TEST(Labels, MayBeTwentyThousandAndNoMore) {
  EXPECT_EQ(names(parse_labels(many(kMaxLabels))).size(), kMaxLabels);
  expect_fault(parse_labels(many(kMaxLabels + 1)), {"20000", "fewer"});
}

TEST(Labels, RefuseALongTextWithoutRepeatingIt) {
  EXPECT_TRUE(parse_labels(std::string(kMaxLabelBytes, 'x')));
  const auto labels = parse_labels("car," + std::string(1'000'000, 'x'));
  expect_fault(labels, {"entry 2", "1000000 bytes", "800"});
  EXPECT_LT(labels.error().message.size(), 300u);
}

TEST(LabelsFile, HasOneLabelALineAndComments) {
  EXPECT_EQ(names(load("# traffic\ncar\n\n  # indented\ntraffic light, red\nperson")),
            (Names{"car", "traffic light, red", "person"}));
}

TEST(LabelsFile, AcceptsWindowsLineEndsAndAByteOrderMark) {
  EXPECT_EQ(names(load("\xEF\xBB\xBF"
                       "car\r\n# comment\r\n\r\ndog\r\n")),
            (Names{"car", "dog"}));
  EXPECT_EQ(names(load("\xEF\xBB\xBF[\"car\"]\r\n")), (Names{"car"}));
}

TEST(LabelsFile, NamesItselfAndTheLineOfAFault) {
  expect_fault(load("car\n\ncaf\xE9\n"), {"/labels", "line 3", "UTF-8"});
  expect_fault(load("car\r\ndog\r\ncar\r\n"), {"/labels", "line 1", "line 3", "\"car\""});
  expect_fault(load("# nothing\n\n"), {"/labels", "no labels"});
  expect_fault(load(""), {"/labels", "no labels"});
}

TEST(LabelsFile, SaysWhenItIsMissing) {
  expect_fault(load_labels("/no/such/labels.txt"), {"/no/such/labels.txt", "No such file"});
}

TEST(Labels, TakeAColourInEitherSpelling) {
  const auto labels = load(R"([{"label": "car", "colour": "#E69f00"}, {"label": "dog", "color": "#000001"}, "cat"])");
  ASSERT_TRUE(labels);
  EXPECT_EQ((*labels)[0].colour, 0xe69f00U);
  EXPECT_EQ((*labels)[1].colour, 1U);
  EXPECT_FALSE((*labels)[2].colour);
}

TEST(LabelsFile, MayBeJsonWithThresholds) {
  const auto labels = load(R"( ["car", {"label": " traffic  light ", "threshold": 0.35}, {"label": "dog"}] )");
  ASSERT_EQ(names(labels), (Names{"car", "traffic light", "dog"}));
  EXPECT_FALSE((*labels)[0].threshold);
  EXPECT_DOUBLE_EQ((*labels)[1].threshold.value(), 0.35);
  EXPECT_FALSE((*labels)[2].threshold);
}

TEST(LabelsFile, RefusesJsonThatIsNotAListOfLabels) {
  expect_fault(load("[\"car\",\n\"dog\""), {"/labels", "line 2", "not valid JSON"});
  expect_fault(load("{\"label\": \"car\"}"), {"/labels", "array"});
  expect_fault(load("[\"car\", 3]"), {"entry 2", "3"});
  expect_fault(load("[{\"name\": \"car\"}]"), {"entry 1", "\"name\"", "\"label\""});
  expect_fault(load("[{\"threshold\": 0.5}]"), {"entry 1", "\"label\""});
  for (const char* colour : {"\"red\"", "\"#12345\"", "\"#1234567\"", "\"#-12345\"", "\"#12345g\"", "7", "null"}) {
    expect_fault(load(std::string("[{\"label\": \"car\", \"colour\": ") + colour + "}]"),
                 {"entry 1", "\"car\"", colour, "#e69f00"});
  }
  expect_fault(load("[{\"label\": \"car\", \"threshold\": 1.5}]"), {"entry 1", "\"car\"", "1.5", "0 to 1"});
  expect_fault(load("[{\"label\": \"car\", \"treshold\": 0.5}]"), {"\"treshold\""});
  expect_fault(load("[\"car\", \" car\"]"), {"\"car\"", "entry 1", "entry 2"});
  expect_fault(load("[\"caf\xE9\"]"), {"/labels"});
  expect_fault(load("[]"), {"no labels"});
  expect_fault(load(test::nested_lists()), {"/labels", "levels deep"});
}

}  // namespace
}  // namespace bcp::clip
