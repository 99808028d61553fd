// SPDX-License-Identifier: LGPL-2.1-or-later
// SigLIP, SigLIP 2 and MobileCLIP against their own libraries: pictures and texts through all steps up to the score
// (tests/export/families.py).

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "clip/model.hpp"
#include "common/pictures.hpp"
#include "common/temporary.hpp"
#include "tag/frame_encoder.hpp"
#include "tag/stream_tagger.hpp"

namespace bcp::clip {
namespace {

using nlohmann::json;
constexpr onnx::SessionOptions kCpu{.provider = onnx::Provider::kCpu, .threads = 1};
constexpr double kTolerance = 1e-4;
constexpr int kFirst = 3;  // of the pictures

class Family : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string directory = std::string(BCP_TEST_DATA "/families/") + GetParam();
    auto model = Model::open(directory, kCpu);
    ASSERT_TRUE(model) << model.error().message;
    model_ = *model;
    expected_ = json::parse(test::read(directory + "/expected.json"));
  }

  std::vector<float> embedding_of(int number) {
    const test::PatternPicture p(kFirst + number);
    tag::FrameEncoder frame(model_->images().embedding_size(), model_->bundle().tensor);
    EXPECT_TRUE(frame.configure(p.format, image::Coverage::kCentre));
    frame.preprocess(p.picture());
    const auto embedding = frame.infer(model_->images());
    EXPECT_TRUE(embedding) << embedding.error().message;
    return embedding ? std::vector<float>(embedding->begin(), embedding->end()) : std::vector<float>();
  }

  TextMatrix texts() {
    auto encoder = TextEncoder::open(model_->bundle(), kCpu);
    EXPECT_TRUE(encoder) << encoder.error().message;
    if (!encoder) return {};
    auto rows = (*encoder)->encode(expected_["strings"].get<std::vector<std::string>>());
    EXPECT_TRUE(rows) << rows.error().message;
    return rows ? *std::move(rows) : TextMatrix();
  }

  static double off_by(std::span<const float> found, const json& expected) {
    double worst = found.size() == expected.size() ? 0 : HUGE_VAL;
    for (std::size_t i = 0; i < found.size() && i < expected.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(found[i]) - expected[i].get<double>()));
    return worst;
  }

  std::shared_ptr<Model> model_;
  json expected_;
};

TEST_P(Family, EmbedsPicturesLikeItsOwnLibrary) {
  for (int number = 0; number < 3; ++number)
    EXPECT_LE(off_by(embedding_of(number), expected_["images"][static_cast<std::size_t>(number)]), kTolerance)
        << number;
}

TEST_P(Family, EmbedsTextsLikeItsOwnLibrary) {
  const TextMatrix rows = texts();
  ASSERT_EQ(rows.rows(), 20);
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    EXPECT_LE(off_by({rows.row(i).data(), static_cast<std::size_t>(rows.cols())},
                     expected_["texts"][static_cast<std::size_t>(i)]),
              kTolerance)
        << expected_["strings"][static_cast<std::size_t>(i)];
}

// The scores that a stream of these pictures reports.
TEST_P(Family, ScoresLikeItsOwnLibrary) {
  tag::Vocabulary words;
  words.labels.embeddings = texts();
  ASSERT_EQ(words.labels.embeddings.rows(), 20);
  for (int i = 0; i < 20; ++i) words.labels.labels.push_back({.name = std::to_string(i)});
  tag::StreamTagger tagger(std::move(words), tag::encoder_of(model_->bundle()));
  const bool sigmoid = model_->bundle().scoring == Scoring::kSigmoid;
  EXPECT_EQ(sigmoid, std::string(GetParam()).starts_with("siglip"));
  for (int number = 0; number < 3; ++number) {
    tag::Outcome outcome;
    ASSERT_TRUE(tagger.look(embedding_of(number), {}, outcome));
    const json& logits = expected_["logits"][static_cast<std::size_t>(number)];
    double sum = 0;
    for (std::size_t k = 0; k < 20; ++k) {
      const double expected = logits[k].get<double>();
      EXPECT_NEAR(outcome.scores.zero_shot[k], expected, kTolerance * model_->bundle().logit_scale)
          << number << " " << k;
      if (sigmoid) {
        EXPECT_NEAR(outcome.probability[k], 1 / (1 + std::exp(-expected)), 1e-3) << number << " " << k;
      }
      sum += outcome.scores.zero_shot_probability[k];
    }
    EXPECT_NEAR(sum, 1, 1e-6) << "decision=softmax";
    EXPECT_FALSE(outcome.calibrated);
  }
}

TEST(FamilyFiles, ATokenizerOfAnotherModelIsRefused) {
  // SigLIP 2's tokenizer has 1600 tokens, the table of this SigLIP 700 rows.
  const test::TemporaryDirectory copy;
  const std::filesystem::path from = BCP_TEST_DATA "/families";
  std::filesystem::copy(from / "siglip", copy.path(), std::filesystem::copy_options::recursive);
  std::filesystem::copy_file(from / "siglip2/tokenizer.json", copy / "tokenizer.json",
                             std::filesystem::copy_options::overwrite_existing);
  const auto model = Model::open(copy.path(), kCpu);
  ASSERT_TRUE(model) << model.error().message;  // a text tower is loaded when a label needs it
  const auto texts = (*model)->labels().encode({{.name = "cat"}}, {}, {});
  ASSERT_FALSE(texts);
  for (const char* part : {"tokenizer.json", "1600", "700"})
    EXPECT_NE(texts.error().message.find(part), std::string::npos) << texts.error().message;
}

INSTANTIATE_TEST_SUITE_P(Every, Family, testing::Values("siglip", "siglip2", "mobileclip"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace bcp::clip
