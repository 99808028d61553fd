// SPDX-License-Identifier: LGPL-2.1-or-later
// The bundle that ships with the project, end to end.
#include <gtest/gtest.h>

#include <cmath>

#include "base/sha256.hpp"
#include "clip/model.hpp"
#include "common/temporary.hpp"

namespace bcp::clip {
namespace {

std::string demo() {
  return std::string(BCP_MODELS) + "/" + kDemoBundle;
}

TEST(DemoBundle, OpensAndKnowsTwentyNouns) {
  const auto model = Model::open(demo(), {.provider = onnx::Provider::kCpu});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ((*model)->bundle().name, "demo");
  EXPECT_EQ((*model)->bundle().licence, "Apache-2.0");
  EXPECT_EQ((*model)->bundle().identity, "960cd3bbd00e42594a80a5eece869d162d6898ee110b3b631df82854ae7f5f3c");
  EXPECT_EQ((*model)->labels().own()->labels.size(), 20u);
  EXPECT_EQ((*model)->encoder().embedding_size(), 512);
  EXPECT_EQ((*model)->encoder().provider(), "cpu");
  EXPECT_EQ((*model)->encoder().provider_note(), "");
}

TEST(DemoBundle, HasTheChecksumsTheReadmeLists) {
  const std::string readme = test::read(std::string(BCP_MODELS) + "/README.md");
  for (const char* file : {"visual.onnx", "text_bank.safetensors"}) {
    const auto hash = sha256_of_file(demo() + "/" + file);
    ASSERT_TRUE(hash) << hash.error().message;
    EXPECT_NE(readme.find("| `" + std::string(file) + "` | `" + *hash + "` |"), std::string::npos) << *hash;
  }
}

// bundle.json's numbers were computed by Python and its own test_picture(): equal here means equal definitions.
TEST(DemoBundle, EncodesTheTestPictureAsTheBundleSays) {
  const auto model = Model::open(demo(), {.provider = onnx::Provider::kCpu});
  ASSERT_TRUE(model) << model.error().message;
  const Bundle& bundle = (*model)->bundle();
  const std::vector<float> picture = test_picture(0, bundle.tensor);
  std::vector<float> embedding(512);
  ASSERT_TRUE((*model)->encoder().encode(picture, 1, embedding));
  ASSERT_EQ(bundle.self_test.size(), 32u);
  for (std::size_t i = 0; i < bundle.self_test.size(); ++i) EXPECT_NEAR(embedding[i], bundle.self_test[i], 2e-5) << i;
  double length = 0;
  for (const float value : embedding) length += static_cast<double>(value) * static_cast<double>(value);
  EXPECT_NEAR(std::sqrt(length), 1, 1e-6);
}

TEST(DemoBundle, EncodesABatchAsItEncodesEachPictureAlone) {
  // One thread: ThreadSanitizer does not see how ONNX Runtime's own threads take turns.
  const auto model = Model::open(demo(), {.provider = onnx::Provider::kCpu, .threads = 1});
  ASSERT_TRUE(model) << model.error().message;
  ImageEncoder& encoder = (*model)->encoder();
  std::vector<float> both;
  std::vector<float> alone(2 * 512), together(2 * 512);
  for (int number = 0; number < 2; ++number) {
    const std::vector<float> picture = test_picture(number, (*model)->bundle().tensor);
    ASSERT_TRUE(encoder.encode(picture, 1, std::span(alone).subspan(static_cast<std::size_t>(number) * 512, 512)));
    both.insert(both.end(), picture.begin(), picture.end());
  }
  ASSERT_TRUE(encoder.encode(both, 2, together));
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_NEAR(together[i], alone[i], 1e-5) << i;
}

}  // namespace
}  // namespace bcp::clip
