// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/presence_entry.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.hpp"
#include "common/temporary.hpp"

namespace bcp::cli {
namespace {

namespace fs = std::filesystem;

// huggingface_hub's cache is shared: a model that was got from there consists of links into it.
TEST(PresenceEntry, ReplacesALinkAndLeavesItsTarget) {
  const test::TemporaryDirectory directory;
  const std::string shared = directory / "shared", model = directory / "model";
  fs::create_directories(model);
  const std::string before = "{\"other\": 7}";
  ASSERT_TRUE(replace_file(shared, before));
  fs::create_symlink(shared, model + "/presence.json");
  clip::Bundle bundle;
  bundle.directory = model;
  clip::PresenceTraits traits;
  traits.scale = 1.5;
  ASSERT_TRUE(write_presence(bundle, traits));
  EXPECT_EQ(*read_file(shared, 1000), before);
  EXPECT_FALSE(fs::is_symlink(model + "/presence.json"));
  const std::string after = *read_file(model + "/presence.json", 1000);
  EXPECT_NE(after.find("\"other\": 7"), std::string::npos) << after;
  EXPECT_NE(after.find("\"scale\": 1.5"), std::string::npos) << after;
  EXPECT_FALSE(fs::exists(model + "/presence.json.new"));
}

}  // namespace
}  // namespace bcp::cli
