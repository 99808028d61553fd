// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/prompts.hpp"

#include <gtest/gtest.h>

namespace bcp::clip {
namespace {

using Templates = std::vector<std::string>;

void expect_refused(const std::string& text, const std::string& part) {
  const auto parsed = parse_templates(text);
  ASSERT_FALSE(parsed) << text;
  EXPECT_NE(parsed.error().message.find(part), std::string::npos) << parsed.error().message;
}

TEST(Prompts, AreOnePerLine) {
  const auto parsed = parse_templates("a photo of a {}\r\n\n  a drawing of {}.  \n{}");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, (Templates{"a photo of a {}", "a drawing of {}.", "{}"}));
}

TEST(Prompts, PutTheLabelWhereTheBracesAre) {
  EXPECT_EQ(fill_template("a photo of a {}, a type of pet", "cat"), "a photo of a cat, a type of pet");
  EXPECT_EQ(fill_template("{}", "{}"), "{}");
}

TEST(Prompts, AreRefusedWithoutBracesOrWithTwo) {
  expect_refused("a photo", "write {} there");
  expect_refused("a photo of a {}\n{} and {}", "more than once");
  expect_refused(" \n ", "no prompt template");
  expect_refused("\xff {}", "UTF-8");
  expect_refused(std::string(100'000, 'x') + "{}", "100002 bytes");
  std::string many;
  for (std::size_t i = 0; i <= kMaxTemplates; ++i) many += "{}\n";
  expect_refused(many, "use fewer");
}

}  // namespace
}  // namespace bcp::clip
