// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/choose.hpp"

#include <gtest/gtest.h>

#include <set>

namespace bcp::cli::get {
namespace {

using Names = std::set<std::string>;

Repository repository_of(const std::vector<std::string>& paths) {
  Repository repository{"acme/clip", std::string(40, '0')};
  for (const std::string& path : paths) repository.files.push_back({path, 1});
  return repository;
}

Names chosen(const std::vector<std::string>& paths, const Selection& selection = {}) {
  const Result<Choice> choice = choose(repository_of(paths), selection);
  if (!choice) return {"error: " + choice.error().message};
  Names names;
  for (const RepositoryFile& file : choice->files) names.insert(file.path);
  return names;
}

// As Transformers.js' repositories are.
const std::vector<std::string> kHuggingFace = {".gitattributes",
                                               "LICENSE.txt",
                                               "README.md",
                                               "config.json",
                                               "merges.txt",
                                               "onnx/model.onnx",
                                               "onnx/model_fp16.onnx",
                                               "onnx/text_model.onnx",
                                               "onnx/text_model_q4.onnx",
                                               "onnx/text_model_quantized.onnx",
                                               "onnx/vision_model.onnx",
                                               "onnx/vision_model.onnx_data",
                                               "onnx/vision_model_q4.onnx",
                                               "onnx/vision_model_q4.onnx_data",
                                               "onnx/vision_model_quantized.onnx",
                                               "onnx/vision_model_uint8.onnx",
                                               "preprocessor_config.json",
                                               "pytorch_model.bin",
                                               "quantize_config.json",
                                               "special_tokens_map.json",
                                               "tokenizer.json",
                                               "tokenizer_config.json",
                                               "vocab.json",
                                               "images/cat.png"};
const Names kBeside = {"LICENSE.txt",
                       "README.md",
                       "config.json",
                       "preprocessor_config.json",
                       "special_tokens_map.json",
                       "tokenizer.json",
                       "tokenizer_config.json"};

Names with(Names names, const Names& more) {
  names.insert(more.begin(), more.end());
  return names;
}

TEST(GetChoose, TakesTheMostPreciseTowersAndTheirFiles) {
  EXPECT_EQ(chosen(kHuggingFace),
            with(kBeside, {"onnx/vision_model.onnx", "onnx/vision_model.onnx_data", "onnx/text_model.onnx"}));
}

TEST(GetChoose, TakesTheVariantAskedForWithItsOwnWeights) {
  EXPECT_EQ(chosen(kHuggingFace, {"q4"}),
            with(kBeside, {"onnx/vision_model_q4.onnx", "onnx/vision_model_q4.onnx_data", "onnx/text_model_q4.onnx"}));
  for (const char* name : {"q8", "int8", "quantized"})
    EXPECT_EQ(chosen(kHuggingFace, {name}),
              with(kBeside, {"onnx/vision_model_quantized.onnx", "onnx/text_model_quantized.onnx"}));
}

TEST(GetChoose, TakesThePlainTextTowerWhereItHasNoSuchVariant) {
  EXPECT_EQ(chosen(kHuggingFace, {"uint8"}), with(kBeside, {"onnx/vision_model_uint8.onnx", "onnx/text_model.onnx"}));
  EXPECT_EQ(choose(repository_of(kHuggingFace), {"uint8"})->remarks.size(), 1U);
}

TEST(GetChoose, NamesTheVariantsThereAre) {
  const Result<Choice> none = choose(repository_of(kHuggingFace), {"fp16"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("choose one of fp32, int8, q4, uint8"), std::string::npos)
      << none.error().message;
}

TEST(GetChoose, TakesVocabularyFilesWhereThereIsNoTokenizer) {
  EXPECT_EQ(chosen({"onnx/vision_model.onnx", "onnx/text_model.onnx", "vocab.json", "merges.txt"}),
            (Names{"onnx/vision_model.onnx", "onnx/text_model.onnx", "vocab.json", "merges.txt"}));
}

TEST(GetChoose, TakesImmichsFolders) {
  EXPECT_EQ(chosen({"README.md", "config.json", "textual/fp16/model.armnn", "textual/model.onnx",
                    "textual/tokenizer.json", "visual/model.armnn", "visual/model.onnx", "visual/preprocess_cfg.json",
                    "visual/rknpu/rk3588/model.rknn"}),
            (Names{"README.md", "config.json", "textual/model.onnx", "textual/tokenizer.json", "visual/model.onnx",
                   "visual/preprocess_cfg.json"}));
}

TEST(GetChoose, TakesOneFileThatHoldsBothTowers) {
  EXPECT_EQ(chosen({"config.json", "onnx/model.onnx", "onnx/model_fp16.onnx"}),
            (Names{"config.json", "onnx/model.onnx"}));
}

TEST(GetChoose, TakesTheFileThatHoldsASiglipsBias) {
  Repository siglip = repository_of(kHuggingFace);
  siglip.is_siglip = true;
  const auto towers = [&](const Selection& selection) {
    Names names;
    const Result<Choice> choice = choose(siglip, selection);
    if (!choice) return Names{"error: " + choice.error().message};
    for (const RepositoryFile& file : choice->files)
      if (file.path.ends_with(".onnx")) names.insert(file.path);
    return names;
  };
  EXPECT_EQ(towers({}), Names{"onnx/model.onnx"});
  EXPECT_EQ(towers({"fp16"}), Names{"onnx/model_fp16.onnx"});
}

TEST(GetChoose, TakesABundleOfOursAsItIs) {
  EXPECT_EQ(
      chosen({".gitattributes", "NOTICE", "bundle.json", "text_bank.safetensors", "visual.onnx", "training/log.txt"}),
      (Names{"NOTICE", "bundle.json", "text_bank.safetensors", "visual.onnx"}));
}

TEST(GetChoose, LetsTheUserNameFilesOfOtherRepositories) {
  const std::vector<std::string> odd = {"a.onnx", "b.onnx", "c.onnx", "a.bin", "config.json"};
  const Result<Choice> several = choose(repository_of(odd), {});
  ASSERT_FALSE(several);
  EXPECT_NE(several.error().message.find("--file"), std::string::npos);
  EXPECT_EQ(chosen(odd, {"", {"a.onnx", "c.onnx", "a.bin"}}), (Names{"a.onnx", "c.onnx", "a.bin", "config.json"}));
  EXPECT_FALSE(choose(repository_of(odd), {"", {"d.onnx"}}));
}

TEST(GetChoose, SaysThatThereIsNoOnnxFile) {
  const Result<Choice> none = choose(repository_of({"config.json", "model.safetensors"}), {});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("only PyTorch weights (model.safetensors)"), std::string::npos);
}

TEST(GetChoose, KnowsPathsThatLeadOut) {
  for (const char* path : {"", "/etc/x", "../x", "a/../b", "a//b", "a/", ".", "a\\b", "a\nb"})
    EXPECT_FALSE(is_safe_path(path)) << path;
  for (const char* path : {"a", "a/b.onnx", "..a/b..", ".gitattributes"}) EXPECT_TRUE(is_safe_path(path)) << path;
}

}  // namespace
}  // namespace bcp::cli::get
