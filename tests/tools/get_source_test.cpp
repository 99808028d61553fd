// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/source.hpp"

#include <gtest/gtest.h>

namespace bcp::cli::get {
namespace {

constexpr const char* kHub = "https://huggingface.co";

Result<Source> parse(const std::string& word) {
  return parse_source({word}, kHub);
}

TEST(GetSource, KnowsEverySpellingOfARepository) {
  for (const char* word : {"hf:acme/clip", "acme/clip", "https://huggingface.co/acme/clip",
                           "https://huggingface.co/acme/clip/", "https://hf.co/acme/clip/tree/main/onnx"}) {
    const Result<Source> source = parse(word);
    ASSERT_TRUE(source) << source.error().message;
    const auto* const repository = std::get_if<RepositorySource>(&*source);
    ASSERT_NE(repository, nullptr) << word;
    EXPECT_EQ(repository->repository.id, "acme/clip");
    EXPECT_EQ(repository->repository.revision, "main");
  }
}

TEST(GetSource, TakesARevision) {
  for (const char* word : {"hf:acme/clip@refs/pr/1", "acme/clip@refs/pr/1"}) {
    const Result<Source> source = parse(word);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(std::get<RepositorySource>(*source).repository.revision, "refs/pr/1");
  }
}

TEST(GetSource, RefusesNamesThatCouldLeadElsewhere) {
  for (const char* word : {"hf:../clip", "hf:acme/..", "hf:acme", "hf:acme/a/b", "hf:acme/clip@", "hf:acme/clip@../x",
                           "hf:acme/cl ip", "hf:/clip", "hf:acme/clip@a/../b"})
    EXPECT_FALSE(parse(word)) << word;
}

TEST(GetSource, KnowsTheNamesPeopleUse) {
  for (const char* word : {"clip-vit-b32", "ViT-B/32", "vit_b_32", "openai/clip-vit-base-patch32"}) {
    const Result<Source> source = parse(word);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(std::get<RepositorySource>(*source).repository.id, "Xenova/clip-vit-base-patch32") << word;
  }
  for (const char* word : {"openai:ViT-B/32", "openai:clip-vit-b32", "openai:ViT-B-32.pt"}) {
    const Result<Source> source = parse(word);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(std::get<Checkpoint>(*source).file, "ViT-B-32.pt") << word;
  }
  const Result<Source> resnet = parse("RN50");
  ASSERT_TRUE(resnet) << resnet.error().message;
  EXPECT_EQ(std::get<Checkpoint>(*resnet).file, "RN50.pt");
}

TEST(GetSource, FindsEveryKnownModelByItsOwnName) {
  for (const KnownModel& model : known_models()) {
    EXPECT_EQ(find_known(std::string(model.name)), &model) << model.name;
    EXPECT_TRUE(parse(std::string(model.name))) << model.name;
  }
}

TEST(GetSource, KeepsTheFoldersThatAddressesDifferBy) {
  const Result<Source> source =
      parse_source({"https://a.org/x/visual/model.onnx?token=1", "https://b.org/x/textual/model.onnx"}, kHub);
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ(std::get<AddressSource>(*source).paths,
            (std::vector<std::string>{"visual/model.onnx", "textual/model.onnx"}));
  EXPECT_EQ(std::get<AddressSource>(*parse("https://a.org/x/y/model.onnx")).paths,
            std::vector<std::string>{"model.onnx"});
}

TEST(GetSource, UsesTheFileIfItsPageIsGiven) {
  EXPECT_EQ(std::get<AddressSource>(*parse("https://huggingface.co/acme/clip/blob/main/onnx/model.onnx")).urls,
            std::vector<std::string>{"https://huggingface.co/acme/clip/resolve/main/onnx/model.onnx"});
  EXPECT_EQ(std::get<AddressSource>(*parse("https://a.org/blob/model.onnx")).urls,
            std::vector<std::string>{"https://a.org/blob/model.onnx"});
}

TEST(GetSource, RefusesAddressesThatAreNoModel) {
  EXPECT_FALSE(parse("https://a.org/x/model.zip"));
  EXPECT_FALSE(parse("https://a.org/"));
  EXPECT_FALSE(parse_source({"https://a.org/x/a.onnx", "https://b.org/x/a.onnx"}, kHub));
  EXPECT_FALSE(parse_source({"clip-vit-b32", "clip-vit-b16"}, kHub));
}

TEST(GetSource, LetsNoAddressLeadOutOfTheModelsDirectory) {
  for (const char* word : {"https://a.org/x/..%2f..%2fmodel.onnx", "https://a.org/x/../../model.onnx",
                           "https://a.org/%2e%2e/%2e%2e/model.onnx"}) {
    const Result<Source> source = parse(word);
    ASSERT_TRUE(source) << source.error().message;
    EXPECT_EQ(std::get<AddressSource>(*source).paths, std::vector<std::string>{"model.onnx"}) << word;
  }
}

TEST(GetSource, SuggestsTheNearestName) {
  EXPECT_EQ(nearest_known("siglp2-base"), "siglip2-base");
  EXPECT_EQ(nearest_known("xenova/mobileclip_s1"), "hf:Xenova/mobileclip_s0");
  EXPECT_EQ(nearest_known("resnet-of-my-own"), "");
}

}  // namespace
}  // namespace bcp::cli::get
