// SPDX-License-Identifier: LGPL-2.1-or-later
// Texts to ids: the rules one by one, cutting, speed, and many threads.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <unordered_map>

#include "tokenize/clean_text.hpp"
#include "tokenize_vectors.hpp"

namespace bcp::tokenize {
namespace {

using Ids = std::vector<TokenId>;

const Tokenizer& clip() {
  static const Result<Tokenizer> tokenizer = Tokenizer::clip();
  return *tokenizer;
}

TEST(Tokenizer, GivesTheWellKnownIdsOfClip) {
  EXPECT_EQ(clip().ids("a photo of a cat"), (Ids{49406, 320, 1125, 539, 320, 2368, 49407}));
  EXPECT_EQ(clip().ids("hello world!"), (Ids{49406, 3306, 1002, 256, 49407}));
  EXPECT_EQ(clip().size(), 49408);
  EXPECT_EQ(clip().start(), 49406);
  EXPECT_EQ(clip().end(), 49407);
  EXPECT_FALSE(clip().padding());
}

TEST(Tokenizer, GivesStartAndEndForAnEmptyText) {
  for (const char* text : {"", " ", "\n\t\u3000", "\xEF\xBB\xBF", "\x1B[31m"})
    EXPECT_EQ(clip().ids(text), (Ids{49406, 49407}));
}

TEST(Tokenizer, CutsAtAnyLengthAndKeepsTheEnd) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "cat ";
  for (std::size_t length = 2; length <= Tokenizer::kContextLength; ++length) {
    Ids expected(length, 2368);
    expected.front() = 49406;
    expected.back() = 49407;
    EXPECT_EQ(clip().ids(text, length), expected);
  }
  EXPECT_EQ(clip().ids(text, 102).size(), 102u);
  EXPECT_EQ(clip().ids(text, 4096).size(), 102u);
}

TEST(Tokenizer, CutsInsideAWordToo) {
  const Ids whole = clip().ids("antidisestablishmentarianism");
  ASSERT_GT(whole.size(), 4u);
  EXPECT_EQ(clip().ids("antidisestablishmentarianism", 4), (Ids{whole[0], whole[1], whole[2], 49407}));
}

TEST(Tokenizer, KnowsItsTokensByOpenClipsNames) {
  EXPECT_EQ(clip().ids("<start_of_text>cat<END_OF_TEXT>"), (Ids{49406, 49406, 2368, 49407, 49407}));
  EXPECT_GT(clip().ids("<|endoftext|>").size(), 3u);
}

TEST(Tokenizer, ReadsBrokenBytesAsReplacementCharacters) {
  EXPECT_EQ(clip().ids("cat \xFF\xC3 dog"), clip().ids("cat \uFFFD\uFFFD dog"));
  EXPECT_EQ(clip().ids("\xF0\x9F\x98"), clip().ids("\uFFFD"));
  EXPECT_EQ(clip().ids("\xED\xA0\x80"), clip().ids("\uFFFD\uFFFD\uFFFD"));
  EXPECT_EQ(clip().ids(std::string("a\0b", 3)), clip().ids("ab"));
}

TEST(Cleaning, NormalisesText) {
  EXPECT_EQ(clean_text("  A\u00A0“Photo”\r\nof \uFB01ne ＣＡＴＳ  "), "a \"photo\" of fine cats");
  EXPECT_EQ(clean_text("\x1B[1;31mred\x1B[0m \x07light"), "red light");
  EXPECT_EQ(clean_text("e\u0301"), "\u00E9");
  EXPECT_EQ(clean_text("ΟΔΥΣΣΕΥΣ Σ"), "οδυσσευς σ");
  EXPECT_EQ(clean_text("İ"), "i\u0307");
}

TEST(Cleaning, LeavesMojibakeAsItIs) {
  EXPECT_EQ(clean_text("sÃ³"), "sã³");
}

TEST(Cleaning, LeavesHtmlReferencesAsTheyAreTyped) {
  EXPECT_EQ(clean_text("Fish &amp; Chips"), "fish &amp; chips");
  EXPECT_EQ(clean_text("&EACUTE; &#233; &#xE9; &notit &#27;[31m"), "&eacute; &#233; &#xe9; &notit &#27;[31m");
  EXPECT_NE(clip().ids("fish &amp; chips"), clip().ids("fish & chips"));
}

// Input that takes a quadratic algorithm minutes. The limit leaves room for a sanitizer on a busy machine.
TEST(Tokenizer, IsNotSlowForAHundredThousandCharacters) {
  std::string random_letters;
  std::mt19937 random(7);
  for (int i = 0; i < 100'000; ++i) random_letters += static_cast<char>('a' + random() % 26);
  std::string sigmas, marks = "a";
  for (int i = 0; i < 50'000; ++i) {
    sigmas += "\u03A3'";
    marks += i % 2 ? "\u0301" : "\u0327";
  }
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& text : {std::string(100'000, 'a'), std::string(100'000, '&'), std::string(100'000, '\x1B'),
                                  random_letters, sigmas, marks})
    EXPECT_LE(clip().ids(text).size(), Tokenizer::kContextLength);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

// The reference joins pair by pair over the whole word; so does this simple version, for words of moderate length.
TEST(Tokenizer, JoinsLongWordsLikeTheSimpleAlgorithm) {
  const test::ClipTokens clip_tokens;
  std::unordered_map<std::string, std::size_t> rank_of;
  for (std::size_t i = 0; i < clip_tokens.merges.size(); ++i) rank_of.emplace(clip_tokens.merges[i], i);
  std::unordered_map<std::string, TokenId> id_of;
  for (std::size_t i = 0; i < clip_tokens.tokens.size(); ++i) id_of.emplace(clip_tokens.tokens[i], TokenId(i));

  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    std::string text;
    const unsigned letters = 2 + static_cast<unsigned>(round) % 25;
    for (int i = 0; i < 150; ++i) text += static_cast<char>('a' + random() % letters);
    std::vector<std::string> word;
    for (const char c : text) word.emplace_back(1, c);
    word.back() += "</w>";
    for (;;) {
      std::size_t best = clip_tokens.merges.size();
      for (std::size_t i = 0; i + 1 < word.size(); ++i)
        if (const auto found = rank_of.find(word[i] + " " + word[i + 1]); found != rank_of.end())
          best = std::min(best, found->second);
      if (best == clip_tokens.merges.size()) break;
      for (std::size_t i = 0; i + 1 < word.size(); ++i) {
        if (word[i] + " " + word[i + 1] != clip_tokens.merges[best]) continue;
        word[i] += word[i + 1];
        word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
    }
    Ids expected{49406};
    for (const std::string& token : word) expected.push_back(id_of.at(token));
    expected.push_back(49407);
    EXPECT_EQ(clip().ids(text, 1000), expected) << text;
  }
}

TEST(Tokenizer, ServesManyThreadsAtOnce) {
  const std::vector<std::string> texts{"a photo of a cat", "ΟΔΥΣΣΕΥΣ &amp; 犬", "\u00E9 <end_of_text>", "“it’s”"};
  std::vector<Ids> expected;
  for (const std::string& text : texts) expected.push_back(clip().ids(text));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 500; ++i) {
        const std::size_t one = (i + t) % texts.size();
        wrong += clip().ids(texts[one]) != expected[one];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// Any bytes give ids of the vocabulary, between one start and one end, and always the same ids.
TEST(Tokenizer, TakesAnyBytes) {
  const std::vector<std::string> pieces{
      "&",        "amp;", "#x1b;", "\x1B[", "1m", "<", "\n",       "\xCE\xA3",     "\xEF\xBC\xA1", "\xF0\x9F",
      "\xCC\x81", "'s",   " ",     "a",     "7",  "!", "\xC5\x89", "\xE2\x80\x9C", "<end_of_text>"};
  std::mt19937 random(20240601);
  for (int round = 0; round < 5'000; ++round) {
    std::string text;
    for (auto i = random() % 24; i > 0; --i)
      text += random() % 3 ? pieces[random() % pieces.size()] : std::string(1, static_cast<char>(random()));
    const std::size_t length = 2 + random() % 40;
    const Ids ids = clip().ids(text, length);
    ASSERT_GE(ids.size(), 2u);
    ASSERT_LE(ids.size(), length);
    ASSERT_EQ(ids.front(), clip().start());
    ASSERT_EQ(ids.back(), clip().end());
    for (const TokenId id : ids) ASSERT_TRUE(id >= 0 && id < clip().size());
    ASSERT_EQ(clip().ids(text, length), ids);
  }
}

}  // namespace
}  // namespace bcp::tokenize
