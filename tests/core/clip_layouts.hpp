// SPDX-License-Identifier: LGPL-2.1-or-later
// Expectations of Bundle::open in the tests of layouts.

#pragma once

#include <gtest/gtest.h>

#include "clip/bundle/bundle.hpp"
#include "common/layouts.hpp"

namespace bcp::clip {

namespace fs = std::filesystem;
namespace config = test::config;
using nlohmann::json;
using test::LayoutDirectory;
using Parts = std::vector<std::string>;

inline void expect_refused(const std::string& path, ErrorCode code, const Parts& parts) {
  const Result<Bundle> bundle = Bundle::open(path);
  ASSERT_FALSE(bundle) << "no error; expected " << testing::PrintToString(parts);
  EXPECT_EQ(bundle.error().code, code) << bundle.error().message;
  for (const std::string& part : parts)
    EXPECT_NE(bundle.error().message.find(part), std::string::npos) << part << "\n" << bundle.error().message;
}

inline Bundle open_sound(const std::string& path) {
  Result<Bundle> bundle = Bundle::open(path);
  EXPECT_TRUE(bundle) << bundle.error().message;
  return bundle ? *std::move(bundle) : Bundle();
}

inline bool has_note(const Bundle& bundle, const std::string& part) {
  for (const std::string& note : bundle.notes)
    if (note.find(part) != std::string::npos) return true;
  return false;
}

// Hugging Face's usual files, for a test to change.
struct HuggingFace : LayoutDirectory {
  explicit HuggingFace(const std::string& name = "clip-vit-base-patch32") : LayoutDirectory(name) {
    tower("onnx/vision_model.onnx", "vision_model.onnx");
    tower("onnx/text_model.onnx", "text_model.onnx");
    test::put_hugging_face_configs(*this);
  }
};

}  // namespace bcp::clip
