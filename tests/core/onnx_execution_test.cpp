// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/execution.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "onnx/library_message.hpp"
#include "onnx/openvino_config.hpp"
#include "onnx/processor.hpp"

namespace bcp::onnx {
namespace {

const std::vector<std::string> kCpuOnly = {"CPUExecutionProvider"};
const std::vector<std::string> kWithOpenVino = {"OpenVINOExecutionProvider", "CPUExecutionProvider"};
const std::vector<std::string> kWithBoth = {"CUDAExecutionProvider", "OpenVINOExecutionProvider",
                                            "CPUExecutionProvider"};
const Processor kPlain{.name = "Old CPU", .features = "avx2", .has_bf16 = false};
const Processor kWithBf16{.name = "New CPU", .features = "avx2 avx512_bf16", .has_bf16 = true};

constexpr Candidate kOnCuda{Provider::kCuda, Precision::kFp32};
constexpr Candidate kOnCpu{Provider::kCpu, Precision::kFp32};

TEST(Candidates, AutoTriesCudaThenOpenVinoThenTheCpu) {
  const Candidate fp32{Provider::kOpenVino, Precision::kFp32, true};
  EXPECT_EQ(candidates({}, kWithBoth, kPlain), (std::vector{kOnCuda, fp32, kOnCpu}));
  EXPECT_EQ(candidates({}, kWithOpenVino, kPlain), (std::vector{fp32, kOnCpu}));
  EXPECT_EQ(candidates({}, kCpuOnly, kPlain), std::vector{kOnCpu});
}

TEST(Candidates, AutoTriesBf16FirstWhereTheProcessorHasIt) {
  const Candidate bf16{Provider::kOpenVino, Precision::kBf16, true}, fp32{Provider::kOpenVino, Precision::kFp32, true};
  EXPECT_EQ(candidates({}, kWithOpenVino, kWithBf16), (std::vector{bf16, fp32, kOnCpu}));
  EXPECT_EQ(candidates({.precision = Precision::kFp32}, kWithOpenVino, kWithBf16), (std::vector{fp32, kOnCpu}));
}

TEST(Candidates, ANamedProviderIsTheOnlyOne) {
  EXPECT_EQ(candidates({.provider = Provider::kCpu}, kWithBoth, kWithBf16), std::vector{kOnCpu});
  EXPECT_EQ(candidates({.provider = Provider::kCuda}, kCpuOnly, kWithBf16), std::vector{kOnCuda});
  for (const Candidate& way : candidates({.provider = Provider::kOpenVino}, kCpuOnly, kWithBf16))
    EXPECT_EQ(way.provider, Provider::kOpenVino);
}

TEST(Candidates, OfANamedProviderOnlyAChosenPrecisionIsCompared) {
  const Candidate compared{Provider::kOpenVino, Precision::kBf16, true}, fp32{Provider::kOpenVino, Precision::kFp32};
  EXPECT_EQ(candidates({.provider = Provider::kOpenVino}, kWithOpenVino, kWithBf16), (std::vector{compared, fp32}));
  const Candidate bf16{Provider::kOpenVino, Precision::kBf16};
  EXPECT_EQ(candidates({.provider = Provider::kOpenVino, .precision = Precision::kBf16}, kWithOpenVino, kWithBf16),
            std::vector{bf16});
}

TEST(Candidates, NamedBf16GivesOnlyOpenVino) {
  const Candidate bf16{Provider::kOpenVino, Precision::kBf16};
  EXPECT_EQ(candidates({.precision = Precision::kBf16}, kCpuOnly, kWithBf16), std::vector{bf16});
}

TEST(CheckPrecision, RefusesBf16WithoutTheHardwareAndNamesTheProcessor) {
  for (const Provider provider : {Provider::kAuto, Provider::kOpenVino}) {
    const Status checked = check_precision({.provider = provider, .precision = Precision::kBf16}, kPlain);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code, ErrorCode::kUnsupported);
    for (const char* part : {"Old CPU", "avx512_bf16", "precision=auto"})
      EXPECT_NE(checked.error().message.find(part), std::string::npos) << checked.error().message;
    EXPECT_TRUE(check_precision({.provider = provider, .precision = Precision::kBf16}, kWithBf16));
  }
}

TEST(CheckPrecision, RefusesBf16WithProvidersThatDoNotHaveIt) {
  for (const Provider provider : {Provider::kCpu, Provider::kCuda}) {
    const Status checked = check_precision({.provider = provider, .precision = Precision::kBf16}, kWithBf16);
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().message.find(name_of(provider)), std::string::npos) << checked.error().message;
    EXPECT_NE(checked.error().message.find("execution-provider=openvino"), std::string::npos);
  }
}

TEST(CheckPrecision, AllowsEverythingElseAnywhere) {
  for (const Precision precision : {Precision::kAuto, Precision::kFp32, Precision::kInt8})
    for (const Provider provider : {Provider::kAuto, Provider::kCpu, Provider::kCuda, Provider::kOpenVino})
      EXPECT_TRUE(check_precision({.provider = provider, .precision = precision}, kPlain));
}

TEST(Processor, IsReadFromTheKernelsText) {
  const Processor found = read_processor(
      "processor\t: 0\nmodel\t\t: 17\nmodel name\t: Some CPU @ 2 GHz\nflags\t\t: fpu sse4_1 avx2 avx512f avx512_bf16 "
      "rdpid\nbogomips\t: 1\n\nprocessor\t: 1\nmodel name\t: Other\n");
  EXPECT_EQ(found.name, "Some CPU @ 2 GHz");
  EXPECT_EQ(found.features, "sse4_1 avx2 avx512f avx512_bf16");
  EXPECT_TRUE(found.has_bf16);
}

TEST(Processor, HasNoBf16WhenOnlyAPrefixIsListed) {
  EXPECT_FALSE(read_processor("flags : avx2 avx512_bf16x bf16\n").has_bf16);
  EXPECT_TRUE(read_processor("flags : amx_bf16\n").has_bf16);
}

TEST(Processor, OfAnUnknownSystemHasNoFeatures) {
  for (const char* text : {"", "flags", "flags :\n", ":\n:", "model name"}) {
    const Processor found = read_processor(text);
    EXPECT_EQ(found.name, "unknown processor") << text;
    EXPECT_EQ(found.features, "") << text;
    EXPECT_FALSE(found.has_bf16) << text;
  }
}

TEST(OpenVinoConfig, SetsThreadsPrecisionAndShapes) {
  const TensorInfo pictures{"pixels", "float", {1, 3, 224, 224}};
  const auto config = openvino_config(3, Precision::kBf16, std::span(&pictures, 1));
  EXPECT_EQ(config.at("device_type"), "CPU");
  EXPECT_EQ(config.at("reshape_input"), "pixels[1,3,224,224]");
  for (const char* part : {"\"INFERENCE_NUM_THREADS\":\"3\"", "\"INFERENCE_PRECISION_HINT\":\"bf16\"",
                           "\"ENABLE_CPU_PINNING\":\"NO\"", "\"CPU_DENORMALS_OPTIMIZATION\":\"YES\""})
    EXPECT_NE(config.at("load_config").find(part), std::string::npos) << config.at("load_config");
}

// Its own default is bf16 wherever the processor has it.
TEST(OpenVinoConfig, NamesFp32Too) {
  const auto config = openvino_config(1, Precision::kFp32, {});
  EXPECT_NE(config.at("load_config").find("\"INFERENCE_PRECISION_HINT\":\"f32\""), std::string::npos);
  EXPECT_FALSE(config.contains("reshape_input"));
}

TEST(LibraryMessage, OmitsTheSourcePositionsOfOpenVino) {
  EXPECT_EQ(readable("[ONNXRuntimeError] : 1 : FAIL : Exception during initialization: /a/b.cc:136 f(int) Exception "
                     "from src/core.cpp:114:\nException from src/config.cpp:475:\nNotFound: Unsupported property X.\n"),
            "NotFound: Unsupported property X");
}

}  // namespace
}  // namespace bcp::onnx
