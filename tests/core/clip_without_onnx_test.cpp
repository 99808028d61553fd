// SPDX-License-Identifier: LGPL-2.1-or-later
// A build without ONNX Runtime: everything up to the model works, and then the error says what is missing.
#include <gtest/gtest.h>

#include "clip/model.hpp"
#include "onnx/session.hpp"

namespace bcp::clip {
namespace {

TEST(WithoutOnnx, OpeningAModelSaysWhatIsMissingAndHowToGetIt) {
  for (const onnx::Provider provider : {onnx::Provider::kAuto, onnx::Provider::kCpu, onnx::Provider::kCuda}) {
    const auto model = Model::open(std::string(BCP_TEST_DATA) + "/bundles/toy", {.provider = provider});
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
    EXPECT_NE(model.error().message.find("no ONNX Runtime"), std::string::npos) << model.error().message;
    EXPECT_NE(model.error().message.find("-Donnx=enabled"), std::string::npos) << model.error().message;
  }
  EXPECT_EQ(onnx::version(), "");
  EXPECT_TRUE(onnx::providers().empty());
}

}  // namespace
}  // namespace bcp::clip
