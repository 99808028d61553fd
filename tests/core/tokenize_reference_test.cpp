// SPDX-License-Identifier: LGPL-2.1-or-later
// Every id of every text must equal the reference's: open_clip's SimpleTokenizer, and Hugging Face's tokenizers.
#include <gtest/gtest.h>

#include <array>
#include <cinttypes>
#include <cstdio>

#include "tokenize_vectors.hpp"

namespace bcp::tokenize {
namespace {

std::string digest(const Tokenizer& tokenizer, const test::CodePoints& range) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (char32_t c = range.first; c <= range.last; ++c) {
    std::string it;
    unicode::append(it, c);
    for (const std::string& text :
         {"x" + it + "Y", "A\u03A3" + it + "b A\u03A3" + it + " " + it + "\u03A3 A" + it + "\u03A3"})
      for (const TokenId id : tokenizer.ids(text))
        for (int byte = 0; byte < 4; ++byte)
          value = (value ^ ((static_cast<std::uint32_t>(id) >> (8 * byte)) & 0xFF)) * 0x100000001B3;
  }
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016" PRIx64, value);
  return text.data();
}

// Shows the first differences in full and counts the rest.
void expect_agreement(const Tokenizer& tokenizer, const std::string& vectors_name, std::size_t at_least) {
  const test::TokenizerVectors vectors(vectors_name);
  ASSERT_GE(vectors.cases.size(), at_least);
  std::size_t wrong = 0;
  for (const test::TokenizerCase& one : vectors.cases) {
    const std::vector<TokenId> ids = tokenizer.ids(one.text);
    if (ids == one.ids) continue;
    if (++wrong <= 10) {
      EXPECT_EQ(ids, one.ids) << testing::PrintToString(one.text.substr(0, 200));
    }
  }
  EXPECT_EQ(wrong, 0u) << "of " << vectors.cases.size() << " texts";
  wrong = 0;
  for (const test::CodePoints& range : vectors.code_points)
    if (digest(tokenizer, range) != range.digest && ++wrong <= 10)
      ADD_FAILURE() << "a code point from " << std::hex << std::uint32_t{range.first} << " to "
                    << std::uint32_t{range.last};
  EXPECT_EQ(wrong, 0u) << "of " << vectors.code_points.size() << " ranges of code points";
}

Result<Tokenizer> open_json(const std::string& shape, bool pairs) {
  const test::TemporaryDirectory directory;
  test::write(directory / "tokenizer.json", test::ClipTokens().tokenizer_json(shape, pairs).dump());
  return Tokenizer::open(directory / "tokenizer.json");
}

TEST(Tokenizer, AgreesWithOpenClipOnEveryText) {
  const Result<Tokenizer> tokenizer = Tokenizer::clip();
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  expect_agreement(*tokenizer, "open_clip.json.gz", 10'000);
}

TEST(Tokenizer, AgreesWithHuggingFaceOnEveryTextForOpenAisFile) {
  const Result<Tokenizer> tokenizer = open_json("tokenizer_openai.json", false);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  expect_agreement(*tokenizer, "tokenizers_openai.json.gz", 5'000);
}

TEST(Tokenizer, AgreesWithHuggingFaceOnEveryTextForANewerFile) {
  const Result<Tokenizer> tokenizer = open_json("tokenizer_newer.json", true);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  expect_agreement(*tokenizer, "tokenizers_newer.json.gz", 1'900);
}

}  // namespace
}  // namespace bcp::tokenize
