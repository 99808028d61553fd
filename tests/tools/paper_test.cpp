// SPDX-License-Identifier: LGPL-2.1-or-later
// The paper's tables, and where one's own figures belong in them.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/file.hpp"
#include "common/temporary.hpp"
#include "gst-bcp/paper/comparison.hpp"
#include "gst-bcp/paper/evaluations.hpp"
#include "gst-bcp/paper/tables.hpp"

namespace bcp::cli::paper {
namespace {

using Json = nlohmann::ordered_json;

TEST(PaperTables, HaveTheAveragesThatThePaperQuotes) {
  std::map<std::string, double> averages;
  for (const Row& row : the_paper().find("main")->rows)
    if (row.keys.at("method") == "BCP") averages[row.keys.at("backbone")] = *row.figures.back();
  const std::map<std::string, double> quoted = {
      {"RN50", 69.22}, {"RN101", 70.02}, {"ViT-B/32", 70.15}, {"ViT-B/16", 71.79}};
  EXPECT_EQ(averages, quoted);
}

TEST(PaperTables, HaveAveragesThatAreMeans) {
  for (const Table& table : the_paper().tables) {
    if (table.columns.back() != kAverage) continue;
    for (const Row& row : table.rows) {
      double sum = 0;
      for (std::size_t i = 0; i + 1 < row.figures.size(); ++i) sum += *row.figures[i];
      EXPECT_NEAR(sum / static_cast<double>(row.figures.size() - 1), *row.figures.back(), 0.011)
          << table.name << " " << row.key("backbone", "") << " " << row.key("method", "");
    }
  }
}

TEST(PaperBackbone, IsFoundInTheNamesThatModelsHave) {
  EXPECT_EQ(backbone_of("clip-rn50"), "RN50");
  EXPECT_EQ(backbone_of("models/clip-rn101"), "RN101");
  EXPECT_EQ(backbone_of("clip-vit-b32-int8"), "ViT-B/32");
  EXPECT_EQ(backbone_of("openai/clip-vit-base-patch16"), "ViT-B/16");
  EXPECT_EQ(backbone_of("ViT-B-16__openai"), "ViT-B/16");
}

TEST(PaperBackbone, IsNotFoundWhereSizeOrTrainingDiffer) {
  for (const char* model : {"demo", "", "RN50x4", "clip-vit-l14", "ViT-B-32__laion2b_s34b_b79k", "ViT-B-16-plus-240"})
    EXPECT_EQ(backbone_of(model), "") << model;
}

// An evaluation of VOC2007 with ViT-B/16, in a file.
class PaperEvaluation : public ::testing::Test {
 protected:
  PaperEvaluation() {
    json_ = {{"version", 1},
             {"settings", {{"samples", 4952}, {"dataset", "voc2007"}, {"model", "clip-vit-b16"}, {"preset", "paper"}}},
             {"zero_shot", {{"logits", 79.5}, {"softmax", 80}}},
             {"bcp", {{"logits", 88.5}, {"softmax", 81}}}};
  }

  Result<Evaluation> load(const Told& told = {}) {
    const std::string path = directory_.path() + "/result.json";
    if (!replace_file(path, json_.dump())) throw std::runtime_error("cannot write");
    return Evaluation::load(path, told);
  }

  // What stands beside the paper's figure of VOC2007 with ViT-B/16.
  std::optional<double> here(const std::string& method) {
    const Result<Evaluation> evaluation = load();
    return evaluation->figure(method, "", "");
  }

  test::TemporaryDirectory directory_;
  Json json_;
};

TEST_F(PaperEvaluation, FillsItsOwnFiguresAndNoOthers) {
  const Result<Evaluation> evaluation = load();
  ASSERT_TRUE(evaluation) << evaluation.error().message;
  const Table& main = *the_paper().find("main");
  const Comparison comparison = compare(main, {*evaluation});
  int filled = 0;
  for (std::size_t row = 0; row < main.rows.size(); ++row)
    for (std::size_t column = 0; column < main.columns.size(); ++column) {
      const Pair& pair = comparison.rows[row][column];
      if (!pair.here) continue;
      ++filled;
      EXPECT_EQ(main.columns[column], "VOC2007");
      EXPECT_EQ(main.rows[row].keys.at("backbone"), "ViT-B/16");
      EXPECT_DOUBLE_EQ(*pair.here, main.rows[row].keys.at("method") == "BCP" ? 88.5 : 79.5);
    }
  EXPECT_EQ(filled, 2);
  EXPECT_TRUE(evaluation->remarks().empty());
}

TEST_F(PaperEvaluation, OffersNoBcpThatIsNotThePapers) {
  json_["settings"]["shrinkage"] = 5;
  EXPECT_EQ(here("BCP"), std::nullopt);
  EXPECT_EQ(here("CLIP"), 79.5);
  EXPECT_EQ(load()->remarks().size(), 1u);
  json_["bcp_paper"] = {{"logits", 87.0}};
  EXPECT_EQ(here("BCP"), 87.0);
}

TEST_F(PaperEvaluation, SweepsCountWhateverTheyAreOf) {
  json_["settings"]["anchors"] = 2;
  json_["protocols"]["anchors"] = {{{"value", "1"}, {"bcp", {{"logits", 88.0}}}}};
  EXPECT_EQ(load()->figure("BCP", "anchors", "1"), 88.0);
  json_["settings"]["strength"] = 0.5;
  EXPECT_EQ(load()->figure("BCP", "anchors", "1"), std::nullopt);
}

TEST_F(PaperEvaluation, AveragesTheOrdersThatWereDrawn) {
  json_["protocols"]["orderings"] = {{{"order", "file"}, {"bcp", {{"logits", 1.0}}}},
                                     {{"order", "seed 0"}, {"bcp", {{"logits", 80.0}}}},
                                     {{"order", "seed 1"}, {"bcp", {{"logits", 90.0}}}}};
  EXPECT_EQ(load()->mean_over_orders("BCP"), 85.0);
}

TEST_F(PaperEvaluation, SaysWhenItIsOfPartOfThePictures) {
  json_["settings"]["samples"] = 310;
  ASSERT_EQ(load()->remarks().size(), 1u);
  EXPECT_NE(load()->remarks()[0].find("310"), std::string::npos);
}

TEST_F(PaperEvaluation, TakesWhatItIsToldOnlyWhereItDoesNotTellItself) {
  json_["settings"]["dataset"] = nullptr;
  json_["settings"]["model"] = "demo";
  EXPECT_FALSE(load());
  EXPECT_FALSE(load({.backbone = "RN50", .dataset = ""}));
  EXPECT_FALSE(load({.backbone = "", .dataset = "VOC2012"}));
  const Result<Evaluation> told = load({.backbone = "RN50", .dataset = "VOC2012"});
  ASSERT_TRUE(told);
  EXPECT_EQ(told->dataset(), "VOC2012");
  EXPECT_EQ(told->backbone(), "RN50");
  json_["settings"]["model"] = "clip-vit-b16";
  EXPECT_EQ(load({.backbone = "RN50", .dataset = "VOC2012"})->backbone(), "ViT-B/16");
}

TEST_F(PaperEvaluation, RefusesTwoOfOneKind) {
  const Result<Evaluation> one = load();
  ASSERT_TRUE(check_distinct({*one}));
  EXPECT_FALSE(check_distinct({*one, *one}));
}

}  // namespace
}  // namespace bcp::cli::paper
