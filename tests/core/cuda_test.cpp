// SPDX-License-Identifier: LGPL-2.1-or-later
// With the real CUDA build of ONNX Runtime (suite cuda; `tests/run.sh --cuda` fetches the library and sets
// LD_LIBRARY_PATH). Without a GPU these are the errors a user would see; with one, the results must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "clip/model.hpp"
#include "onnx/session.hpp"

namespace bcp::clip {
namespace {

std::string mini() {
  return std::string(BCP_MODELS) + "/" + kBundledModel;
}

bool has_gpu() {
  return std::filesystem::exists("/dev/nvidia0");
}

class Cuda : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<std::string> providers = onnx::providers();
    const bool has_cuda = std::find(providers.begin(), providers.end(), "CUDAExecutionProvider") != providers.end();
    ASSERT_TRUE(has_cuda)
        << "ONNX Runtime " << onnx::version()
        << " was loaded and has no CUDA provider: run `tests/run.sh --cuda`, or set LD_LIBRARY_PATH to the library of "
           "onnxruntime-gpu";
  }
};

TEST_F(Cuda, FailsWithTheMissingFileAndAdviceWithoutAGpu) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU here";
  const auto model = Model::open(mini(), {.provider = onnx::Provider::kCuda});
  ASSERT_FALSE(model);
  const std::string& message = model.error().message;
  RecordProperty("message", message);
  EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(message.find("CUDA device 0"), std::string::npos) << message;
  EXPECT_NE(message.find("cannot open shared object file"), std::string::npos) << message;
  EXPECT_NE(message.find("execution-provider=auto"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(message.find(".cc:"), std::string::npos) << message;
  EXPECT_EQ(message.find("ONNXRuntimeError"), std::string::npos) << message;
}

TEST_F(Cuda, AutoFallsBackToTheCpuAndReportsWhyWithoutAGpu) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU here";
  const auto model = Model::open(mini(), {.provider = onnx::Provider::kAuto});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ((*model)->encoder().provider(), "cpu");
  const std::string& note = (*model)->encoder().provider_note();
  EXPECT_NE(note.find("running on the CPU: CUDA is not available"), std::string::npos) << note;
  EXPECT_NE(note.find("cannot open shared object file"), std::string::npos) << note;
}

// After the error the library must still work.
TEST_F(Cuda, FailsRepeatedlyAndStillRunsOnTheCpu) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU here";
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(Model::open(mini(), {.provider = onnx::Provider::kCuda}));
    EXPECT_TRUE(Model::open(mini(), {.provider = onnx::Provider::kCpu}));
  }
}

TEST_F(Cuda, EncodesLikeTheCpu) {
  if (!has_gpu()) GTEST_SKIP() << "there is no GPU here";
  const auto on_gpu = Model::open(mini(), {.provider = onnx::Provider::kCuda});
  ASSERT_TRUE(on_gpu) << on_gpu.error().message;
  EXPECT_EQ((*on_gpu)->encoder().provider(), "cuda");
  const auto on_cpu = Model::open(mini(), {.provider = onnx::Provider::kCpu});
  ASSERT_TRUE(on_cpu) << on_cpu.error().message;
  const auto width = static_cast<std::size_t>((*on_cpu)->encoder().embedding_size());
  for (int number = 0; number < 2; ++number) {
    const std::vector<float> picture = test_picture(number, (*on_cpu)->bundle().tensor);
    std::vector<float> expected(width), found(width);
    ASSERT_TRUE((*on_cpu)->encoder().encode(picture, 1, expected));
    ASSERT_TRUE((*on_gpu)->encoder().encode(picture, 1, found));
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-3) << i;
  }
}

}  // namespace
}  // namespace bcp::clip
