// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs every layout: pictures and words through the towers as stored on disk.
#include <gtest/gtest.h>

#include <array>

#include "clip/model.hpp"
#include "common/layouts.hpp"
#include "onnx/session.hpp"

namespace bcp::clip {
namespace {

constexpr onnx::SessionOptions kCpu{.provider = onnx::Provider::kCpu, .threads = 1};

std::shared_ptr<Model> open_sound(const std::string& path) {
  auto model = Model::open(path, kCpu);
  EXPECT_TRUE(model) << model.error().message;
  return model ? *model : nullptr;
}

Eigen::VectorXf picture(Model& model, int number) {
  Eigen::VectorXf embedding(model.encoder().embedding_size());
  const Status encoded = model.encoder().encode(test_picture(number, model.bundle().tensor), 1,
                                                {embedding.data(), static_cast<std::size_t>(embedding.size())});
  EXPECT_TRUE(encoded) << encoded.error().message;
  return embedding;
}

LabelSet texts(Model& model) {
  auto set = model.labels().encode({{.name = "cat"}, {.name = "dog"}}, {}, {});
  EXPECT_TRUE(set) << set.error().message;
  return set ? *std::move(set) : LabelSet{};
}

class LayoutThatRuns : public testing::TestWithParam<test::Layout> {};

TEST_P(LayoutThatRuns, NamesPicturesWithWords) {
  test::LayoutDirectory directory(GetParam().directory);
  GetParam().fill(directory);
  const auto model = open_sound(GetParam().open.empty() ? directory.path() : directory / GetParam().open);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->encoder().embedding_size(), 512);
  EXPECT_GT((picture(*model, 0) - picture(*model, 1)).norm(), 0.01);
  const LabelSet set = texts(*model);
  ASSERT_EQ(set.embeddings.rows(), 2);
  ASSERT_EQ(set.embeddings.cols(), 512);
  EXPECT_GT((set.embeddings.row(0) - set.embeddings.row(1)).norm(), 0.01);

  // A batch gives the same as its pictures alone, also for towers without batches.
  const std::vector<float> first = test_picture(0, model->bundle().tensor),
                           second = test_picture(1, model->bundle().tensor);
  std::vector<float> both = first, embeddings(1024);
  both.insert(both.end(), second.begin(), second.end());
  ASSERT_TRUE(model->encoder().encode(both, 2, embeddings));
  EXPECT_LT((Eigen::Map<Eigen::VectorXf>(embeddings.data() + 512, 512) - picture(*model, 1)).norm(), 5e-3);
}

INSTANTIATE_TEST_SUITE_P(Every, LayoutThatRuns, testing::ValuesIn(test::sound_layouts()),
                         [](const auto& each) { return each.param.name; });

TEST(LayoutVariants, DifferFromFullPrecisionByLittle) {
  test::LayoutDirectory directory;
  test::layout_named("HuggingFaceChosenVariant").fill(directory);
  const auto full = open_sound(directory.path());
  ASSERT_TRUE(full);
  const Eigen::VectorXf expected = picture(*full, 0);
  const LabelSet words = texts(*full);
  for (const char* variant : {"_fp16", "_quantized"}) {
    const auto model = open_sound(directory / ("onnx/vision_model" + std::string(variant) + ".onnx"));
    ASSERT_TRUE(model);
    EXPECT_NE(model->bundle().identity, full->bundle().identity);
    EXPECT_GT(picture(*model, 0).dot(expected), 0.98) << variant;
    const LabelSet others = texts(*model);
    EXPECT_GT(others.embeddings.row(0).dot(words.embeddings.row(0)), 0.98) << variant;
  }
}

// For pictures, only half of a file with both towers is loaded; the whole file gives the same.
TEST(LayoutVariants, CutOutOfOneFileGiveTheSameAsTheWholeFile) {
  test::LayoutDirectory directory;
  test::layout_named("HuggingFaceOneFile").fill(directory);
  const auto model = open_sound(directory.path());
  ASSERT_TRUE(model);
  const auto whole = onnx::Session::open({.path = directory / "onnx/model.onnx", .bytes = {}}, kCpu);
  ASSERT_TRUE(whole) << whole.error().message;
  (*whole)->use({{"pixel_values", "float", {1, 3, 224, 224}},
                 {"input_ids", "int64", {1, 77}},
                 {"attention_mask", "int64", {1, 77}}},
                {"image_embeds", "float", {1, 512}});
  const std::vector<float> pixels = test_picture(0, model->bundle().tensor);
  const std::vector<std::int64_t> ids(77, 49407), mask(77, 1);
  const auto output = (*whole)->run_once(std::array<const void*, 3>{pixels.data(), ids.data(), mask.data()}, 1);
  ASSERT_TRUE(output) << output.error().message;
  ASSERT_EQ(output->values.size(), 512u);
  const Eigen::VectorXf expected = Eigen::Map<const Eigen::VectorXf>(output->values.data(), 512).normalized();
  EXPECT_LT((picture(*model, 0) - expected).norm(), 1e-5);
}

TEST(LayoutVariants, OfEveryOpsetRun) {
  for (int opset = 11; opset <= 21; ++opset) {
    test::LayoutDirectory directory;
    directory.tower("visual.onnx", "opset_" + std::to_string(opset) + ".onnx");
    directory.tower("textual.onnx", "textual_int64.onnx");
    const auto model = open_sound(directory.path());
    ASSERT_TRUE(model) << opset;
    EXPECT_GT((picture(*model, 0) - picture(*model, 1)).norm(), 0.01) << opset;
  }
}

// CLIP's vocabulary has 49,408 tokens; a tower with another number was made for another vocabulary.
TEST(LayoutVariants, WithAVocabularyOfAnotherSizeAreRefused) {
  test::LayoutDirectory directory;
  directory.tower("visual.onnx", "visual.onnx");
  directory.tower("textual.onnx", "text_with_table.onnx");
  nlohmann::json longer = test::config::vocabulary();
  longer["<|endoftext|>"] = 250'001;
  directory.put("vocab.json", longer);
  directory.text("merges.txt", test::config::merges());
  const auto model = open_sound(directory.path());
  ASSERT_TRUE(model);
  const auto set = model->labels().encode({{.name = "cat"}}, {}, {});
  ASSERT_FALSE(set);
  EXPECT_NE(set.error().message.find("a table for 49408 tokens"), std::string::npos) << set.error().message;
  EXPECT_NE(set.error().message.find("250002"), std::string::npos) << set.error().message;
}

}  // namespace
}  // namespace bcp::clip
