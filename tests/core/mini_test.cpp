// SPDX-License-Identifier: LGPL-2.1-or-later
// The bundle that ships with the project, end to end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "clip/model.hpp"
#include "common/ppm.hpp"
#include "common/temporary.hpp"
#include "tag/label_request.hpp"

namespace bcp::tag {
namespace {

using namespace clip;  // what is tested is a model, and the words it is used with

constexpr onnx::SessionOptions kCpu{.provider = onnx::Provider::kCpu};

std::string mini() {
  return std::string(BCP_MODELS) + "/" + kBundledModel;
}

std::string fixture(const std::string& name) {
  return std::string(BCP_TEST_DATA) + "/mini/" + name;
}

std::vector<float> unit(std::vector<float> values) {
  double length = 0;
  for (const float value : values) length += static_cast<double>(value) * static_cast<double>(value);
  for (float& value : values) value /= static_cast<float>(std::sqrt(length));
  return values;
}

// The pixels of a PPM file as the tower's input: the fixtures already have its size.
std::vector<float> tensor_of(const std::string& path, const image::TensorSpec& spec) {
  const test::Ppm picture(path);
  std::vector<float> tensor;
  for (std::size_t channel = 0; channel < 3; ++channel)
    for (std::size_t y = 0; y < picture.height; ++y)
      for (std::size_t x = 0; x < picture.width; ++x) {
        const auto value = static_cast<float>(picture.at(x, y, channel));
        tensor.push_back((value / 255 - spec.mean[channel]) / spec.std[channel]);
      }
  return tensor;
}

std::vector<Label> labels(std::initializer_list<const char*> names) {
  std::vector<Label> made;
  for (const char* name : names) made.push_back({.name = name});
  return made;
}

class MiniBundle : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Model::open(mini(), kCpu);
    ASSERT_TRUE(opened) << opened.error().message;
    model_ = *std::move(opened);
  }
  Vocabulary vocabulary(const std::string& labels) {
    LabelRequest request;
    request.source = LabelSource::kText;
    request.labels = labels;
    auto words = encode_labels(request, model_->labels(), word_traits(model_->bundle()), {});
    EXPECT_TRUE(words) << words.error().message;
    return words ? *std::move(words) : Vocabulary{};
  }
  std::shared_ptr<Model> model_;
};

TEST_F(MiniBundle, OpensWithItsOwnLabels) {
  EXPECT_EQ(model_->bundle().name, "mini");
  const auto own = model_->labels().own();
  ASSERT_TRUE(own);
  EXPECT_GE(own->labels.size(), 50u);
  EXPECT_LE(own->labels.size(), 150u);
  EXPECT_EQ(model_->encoder().embedding_size(), 384);
  EXPECT_EQ(model_->encoder().provider(), "cpu");
  EXPECT_EQ(model_->encoder().provider_note(), "");
}

TEST_F(MiniBundle, HasTheChecksumsTheReadmeLists) {
  const std::string readme = test::read(mini() + "/README.md");
  for (const char* file : {"visual.onnx", "textual.onnx", "text_bank.safetensors", "context_bank.safetensors"}) {
    const auto hash = sha256_of_file(mini() + "/" + file);
    ASSERT_TRUE(hash) << hash.error().message;
    EXPECT_NE(readme.find("| `" + std::string(file) + "` | `" + *hash + "` |"), std::string::npos) << file << *hash;
  }
}

// The figures of the README are those of the shipped labels.
TEST_F(MiniBundle, ListsTheMeasurementOfEveryLabelInItsReadme) {
  const std::string readme = test::read(mini() + "/README.md");
  const auto own = model_->labels().own();
  ASSERT_TRUE(own);
  for (const Label& label : own->labels)
    EXPECT_NE(readme.find("| " + label.name + " |"), std::string::npos) << label.name;
}

TEST_F(MiniBundle, EncodesTheFixturesTextsLikePython) {
  for (const auto& expected : nlohmann::json::parse(test::read(fixture("texts.json")))) {
    const std::string text = expected["text"];
    const auto set = model_->labels().encode({{.name = text}}, std::vector<std::string>{"{}"}, {});
    ASSERT_TRUE(set) << set.error().message;
    const auto row = unit(expected["text_embeds"].get<std::vector<float>>());
    for (std::size_t i = 0; i < row.size(); ++i)
      EXPECT_NEAR(set->embeddings(0, static_cast<Eigen::Index>(i)), row[i], 1e-5) << text << " " << i;
  }
}

TEST_F(MiniBundle, EncodesTheFixturesPicturesLikePython) {
  for (const auto& expected : nlohmann::json::parse(test::read(fixture("pictures.json")))) {
    const std::string name = expected["picture"];
    const std::vector<float> tensor = tensor_of(fixture(name), model_->bundle().tensor);
    std::vector<float> embedding(384);
    ASSERT_TRUE(model_->encoder().encode(tensor, 1, embedding));
    const auto row = unit(expected["image_embeds"].get<std::vector<float>>());
    for (std::size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(embedding[i], row[i], 1e-5) << name << " " << i;
  }
}

// bundle.json's numbers were computed by Python with its own test_picture(): equal results mean equal definitions.
TEST_F(MiniBundle, EncodesTheTestPictureAsTheBundleSays) {
  const Bundle& bundle = model_->bundle();
  std::vector<float> embedding(384);
  ASSERT_TRUE(model_->encoder().encode(test_picture(0, bundle.tensor), 1, embedding));
  ASSERT_EQ(bundle.self_test.size(), 32u);
  for (std::size_t i = 0; i < bundle.self_test.size(); ++i) EXPECT_NEAR(embedding[i], bundle.self_test[i], 2e-5) << i;
}

TEST(MiniBundleBatch, EncodesABatchAsItEncodesEachPictureAlone) {
  // One thread: ThreadSanitizer does not understand the synchronisation of ONNX Runtime's own threads.
  const auto model = Model::open(mini(), {.provider = onnx::Provider::kCpu, .threads = 1});
  ASSERT_TRUE(model) << model.error().message;
  ImageEncoder& encoder = (*model)->encoder();
  constexpr std::size_t kWidth = 384;
  std::vector<float> both;
  std::vector<float> alone(2 * kWidth), together(2 * kWidth);
  for (int number = 0; number < 2; ++number) {
    const std::vector<float> picture = test_picture(number, (*model)->bundle().tensor);
    ASSERT_TRUE(
        encoder.encode(picture, 1, std::span(alone).subspan(static_cast<std::size_t>(number) * kWidth, kWidth)));
    both.insert(both.end(), picture.begin(), picture.end());
  }
  ASSERT_TRUE(encoder.encode(both, 2, together));
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_NEAR(together[i], alone[i], 1e-5) << i;
}

TEST_F(MiniBundle, NeedsNoTextTowerForItsOwnLabelsAndContextWords) {
  const auto words = encode_labels({}, model_->labels(), {.alias_cosine = 0.7}, {});
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_GE(words->anchors(), 110u);
  EXPECT_EQ(model_->labels().texts_run(), 0u);
}

TEST_F(MiniBundle, HasTheEmbeddingsOfItsTextTowerInItsBanks) {
  const auto own = model_->labels().own();
  const auto encoded = model_->labels().encode(own->labels, std::vector<std::string>{"{}"}, {});
  ASSERT_TRUE(encoded) << encoded.error().message;
  EXPECT_LT((encoded->embeddings - own->embeddings).cwiseAbs().maxCoeff(), 1e-5f);
}

TEST_F(MiniBundle, CompetesWithItsOwnContextWords) {
  const Vocabulary words = vocabulary("dog, street");
  const auto& context = words.context.labels;
  const auto has = [&](const char* name) {
    return std::any_of(context.begin(), context.end(), [&](const Label& word) { return word.name == name; });
  };
  EXPECT_TRUE(has("musical instrument"));  // one of its own, not of the everyday table
  EXPECT_TRUE(has("cat"));
  EXPECT_FALSE(has("dog"));
  EXPECT_FALSE(has("spectacles"));  // an everyday noun that other models compete with
}

TEST_F(MiniBundle, ReportsWordsItProbablyDoesNotKnow) {
  const Vocabulary words = vocabulary("person, puppy, street, tree, traffic light, delivery van, lorry");
  EXPECT_EQ(words.unfamiliar, (std::vector<std::string>{"street", "tree", "traffic light", "delivery van"}));
  const std::string note = unfamiliar_note(words, "mini");
  EXPECT_NE(note.find("\"street\", \"tree\""), std::string::npos) << note;
  EXPECT_NE(note.find("gst-bcp model get"), std::string::npos) << note;
  EXPECT_EQ(unfamiliar_note(vocabulary("person, puppy"), "mini"), "");
}

TEST_F(MiniBundle, ChecksTheWordsWithoutTheirTemplate) {
  LabelRequest request;
  request.source = LabelSource::kText;
  request.labels = "dog, cat, street";
  request.templates = "itap of a {} on the street";
  const auto words = encode_labels(request, model_->labels(), word_traits(model_->bundle()), {});
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_EQ(words->unfamiliar, (std::vector<std::string>{"street"}));
}

TEST_F(MiniBundle, NamesAtMostEightWordsThatItDoesNotKnow) {
  Vocabulary words;
  for (int i = 0; i < 10; ++i) words.unfamiliar.push_back("w" + std::to_string(i));
  EXPECT_NE(unfamiliar_note(words, "mini").find("\"w7\" and 2 more"), std::string::npos);
}

TEST_F(MiniBundle, TakesAnyTextAsALabel) {
  const auto set = model_->labels().encode(
      labels({"犬", "собака", "كلب", "🐶", "👩‍🚀", "x", "café", "...", "\xff\xfe"}), {}, {});
  ASSERT_TRUE(set) << set.error().message;
  const auto overlong = model_->labels().encode({{.name = std::string(400, 'a') + " dog"}}, {}, {});
  ASSERT_TRUE(overlong) << overlong.error().message;
  EXPECT_TRUE(set->embeddings.allFinite());
  for (Eigen::Index row = 0; row < set->embeddings.rows(); ++row)
    EXPECT_NEAR(set->embeddings.row(row).norm(), 1, 1e-5) << row;
  const auto unfamiliar = model_->labels().unfamiliar(set->labels);
  ASSERT_TRUE(unfamiliar) << unfamiliar.error().message;
  EXPECT_GE(unfamiliar->size(), 7u);
  EXPECT_EQ(unfamiliar->front(), "犬");
}

}  // namespace
}  // namespace bcp::tag
