// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/cache.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.hpp"
#include "common/temporary.hpp"

namespace bcp::cli::get {
namespace {

namespace fs = std::filesystem;

class GetCache : public testing::Test {
 protected:
  // What find() makes of a snapshot of acme/NAME with these two files.
  Repository found(const std::string& name, const std::string& config, const std::string& readme) {
    const std::string commit(40, 'a'), id = "acme/" + name;
    const RepositoryCache cache(directory_.path(), id);
    fs::create_directories(cache.snapshot(commit));
    EXPECT_TRUE(replace_file(cache.snapshot(commit) + "/config.json", config));
    EXPECT_TRUE(replace_file(cache.snapshot(commit) + "/README.md", readme));
    EXPECT_TRUE(cache.set_ref("main", commit));
    const std::optional<Repository> repository = cache.find({id});
    return repository ? *repository : Repository{"none", ""};
  }

  const test::TemporaryDirectory directory_;
};

TEST_F(GetCache, KnowsASiglipByItsNameOrItsConfiguration) {
  EXPECT_TRUE(found("SigLIP2-base", "{}", "").is_siglip);
  EXPECT_TRUE(found("one", R"({"model_type": "siglip"})", "").is_siglip);
  EXPECT_TRUE(found("two", R"({"architectures": ["SiglipModel"]})", "").is_siglip);
  EXPECT_FALSE(found("three", R"({"model_type": "clip", "architectures": ["CLIPModel"]})", "").is_siglip);
  EXPECT_FALSE(found("four", "[1, ", "").is_siglip);
}

TEST_F(GetCache, ReadsTheLicenceFromTheReadme) {
  EXPECT_EQ(found("one", "{}", "---\nlanguage: en\nlicense: apache-2.0\n---\nlicense: text\n").licence, "apache-2.0");
  EXPECT_EQ(found("two", "{}", "---\r\nlicense: \"mit\"\r\n---\r\n").licence, "mit");
  EXPECT_EQ(found("three", "{}", "---\nlicense: other\nlicense_name: acme-research\n---\n").licence, "acme-research");
  EXPECT_EQ(found("four", "{}", "# A model\nlicense: no front matter\n").licence, "");
  EXPECT_EQ(found("five", "{}", "---\nlicense:\n- mit\n---\n").licence, "mit");
}

}  // namespace
}  // namespace bcp::cli::get
