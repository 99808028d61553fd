// SPDX-License-Identifier: LGPL-2.1-or-later
// Conditions that are wrong: each error names the character, and nothing crashes the parser.

#include <gtest/gtest.h>

#include <ostream>
#include <random>

#include "condition/condition.hpp"

namespace bcp::condition {

struct Wrong {
  const char* text;
  const char* first_line;  // of the message
  std::size_t caret;       // its column in the third line, from 0
};
static std::ostream& operator<<(std::ostream& out, const Wrong& wrong) {
  return out << wrong.text;
}

namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all(1);
  for (const char c : text) {
    if (c == '\n') {
      all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  return all;
}

class ConditionError : public testing::TestWithParam<Wrong> {};

TEST_P(ConditionError, PointsAtTheCharacter) {
  const Wrong& wrong = GetParam();
  const Result<Condition> condition = Condition::parse(wrong.text);
  ASSERT_FALSE(condition);
  EXPECT_EQ(condition.error().code, ErrorCode::kInvalid);
  const auto message = lines(condition.error().message);
  ASSERT_EQ(message.size(), 3U) << condition.error().message;
  EXPECT_EQ(message[0], wrong.first_line);
  EXPECT_EQ(message[2], std::string(wrong.caret, ' ') + "^") << condition.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    , ConditionError,
    testing::Values(
        Wrong{"", "expected a label at character 1", 0}, Wrong{"   ", "expected a label at character 4", 3},
        Wrong{"person and", "expected a label after \"and\" at character 11", 10},
        Wrong{"person and or car", "expected a label after \"and\" at character 12, found \"or\"", 11},
        Wrong{"or person", "expected a label at character 1, found \"or\"", 0},
        Wrong{"not", "expected a label after \"not\" at character 4", 3},
        Wrong{"()", "expected a label after \"(\" at character 2, found \")\"", 1},
        Wrong{"(person",
              "expected \"and\", \"or\" or \")\" after \"person\" at character 8; the \"(\" at character 1 is open", 7},
        Wrong{"a and (b or (c)",
              "expected \"and\", \"or\" or \")\" after \")\" at character 16; the \"(\" at character 7 is open", 15},
        Wrong{"person)", "unexpected \")\" at character 7; no \"(\" is open", 6},
        Wrong{"a > 0.5)", "unexpected \")\" at character 8; no \"(\" is open", 7},
        Wrong{"delivery van",
              "expected \"and\", \"or\" or the end after \"delivery\" at character 10, found \"van\"; a label of "
              "several words "
              "is quoted: \"delivery van\"",
              9},
        Wrong{"a not b", "expected \"and\", \"or\" or the end after \"a\" at character 3, found \"not\"", 2},
        Wrong{"a > 0.5 > 0.3", "expected \"and\", \"or\" or the end after \"0.5\" at character 9, found \">\"", 8},
        Wrong{"any > 0.3", "expected \"and\", \"or\" or the end after \"any\" at character 5, found \">\"", 4},
        Wrong{"person >", "expected a probability from 0 to 1 after \">\" at character 9", 8},
        Wrong{"person > car", "expected a probability from 0 to 1 after \">\" at character 10, found \"car\"", 9},
        Wrong{"person > 70", "expected a probability from 0 to 1 after \">\" at character 10, found \"70\"", 9},
        Wrong{"person > -0.1", "expected a probability from 0 to 1 after \">\" at character 10, found \"-0.1\"", 9},
        Wrong{"person > nan", "expected a probability from 0 to 1 after \">\" at character 10, found \"nan\"", 9},
        Wrong{"person > \"0.5\"", "expected a probability from 0 to 1 after \">\" at character 10, found \"0.5\"", 9},
        Wrong{"> 0.5", "expected a label at character 1, found \">\"", 0},
        Wrong{"0.7 < person",
              "expected a label, found the number 0.7 at character 1; write the label first: person > 0.7", 0},
        Wrong{"a = 0.5", "unknown comparison at character 3; use >, >=, < or <=", 2},
        Wrong{"a == 0.5", "unknown comparison at character 3; use >, >=, < or <=", 2},
        Wrong{"a => 0.5", "unknown comparison at character 3; use >, >=, < or <=", 2},
        Wrong{"a && b",
              "expected \"and\", \"or\" or the end after \"a\" at character 3, found \"&&\"; write "
              "\"and\"",
              2},
        Wrong{"a&b", "unexpected \"&\" at character 2; write \"and\"", 1},
        Wrong{"a|b", "unexpected \"|\" at character 2; write \"or\"", 1},
        Wrong{"!a", "unexpected \"!\" at character 1; write \"not\"", 0},
        Wrong{"a,b", "unexpected \",\" at character 2; write \"and\" or \"or\" between labels", 1},
        Wrong{"a.b or c", "unexpected \".\" at character 2; a label with such a character is quoted: \"a.b\"", 1},
        Wrong{"a or 'b\"", "missing closing ' of the label that begins at character 6", 5},
        Wrong{"driver's", "missing closing ' of the label that begins at character 7", 6},
        Wrong{"'a' 'b'", "expected \"and\", \"or\" or the end after 'a' at character 5, found 'b'", 4},
        Wrong{"\u201ca\u201d", "unexpected \"\u201c\" at character 1; labels are quoted with \" or '", 0},
        Wrong{"a or \"b c", "missing closing \" of the label that begins at character 6", 5},
        Wrong{"\"a\\\"", "missing closing \" of the label that begins at character 1", 0},
        Wrong{"\"a\\", "missing closing \" of the label that begins at character 1", 0},
        Wrong{"\"a\\n\"", "unknown escape at character 3; in quotes, write \\\", \\' or \\\\ for \", ' and \\", 2},
        Wrong{"a or \"\"", "the label is empty at character 6", 5},
        // Characters are counted, not bytes: six bytes are three characters here.
        Wrong{"b\u00e4r and", "expected a label after \"and\" at character 8", 7},
        Wrong{"\u732b\u732b or \u00e4!", "unexpected \"!\" at character 8; write \"not\"", 7},
        Wrong{"a\tor\n", "expected a label after \"or\" at character 6", 5},
        Wrong{"a or \xff", "the text is not valid UTF-8 at character 6", 5},
        Wrong{"a\xc3", "the text is not valid UTF-8 at character 2", 1},
        Wrong{"\"a\xe2\x82\" or b", "the text is not valid UTF-8 at character 3", 2}));

TEST(ConditionErrors, ShowTheTextAboveTheCaret) {
  const Result<Condition> condition = Condition::parse("a\tand b\u00e4r and");
  ASSERT_FALSE(condition);
  EXPECT_EQ(condition.error().message,
            "expected a label after \"and\" at character 14\na and b\u00e4r and\n             ^");
}

TEST(ConditionErrors, ShowThePartOfALongTextAroundTheCaret) {
  std::string text = "a";
  for (int i = 0; i < 100; ++i) text += " or label";
  const Result<Condition> condition = Condition::parse(text + " or ? or " + text);
  ASSERT_FALSE(condition);
  const auto message = lines(condition.error().message);
  ASSERT_EQ(message.size(), 3U);
  EXPECT_LT(message[1].size(), 100U);
  EXPECT_TRUE(message[1].starts_with("...")) << message[1];
  EXPECT_TRUE(message[1].ends_with("...")) << message[1];
  EXPECT_EQ(message[1][message[2].find('^')], '?');
}

TEST(ConditionErrors, LimitTheLength) {
  const Result<Condition> condition = Condition::parse(std::string(100'000, '('));
  ASSERT_FALSE(condition);
  EXPECT_EQ(condition.error().message, "the condition has 100000 bytes; at most 4096 are allowed");
  EXPECT_TRUE(Condition::parse(std::string(kMaxBytes, 'a')));
}

TEST(ConditionErrors, LimitTheDepth) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "a" + std::string(depth, ')'); };
  EXPECT_TRUE(Condition::parse(nested(kMaxDepth)));
  const Result<Condition> deep = Condition::parse(nested(kMaxDepth + 1));
  ASSERT_FALSE(deep);
  EXPECT_EQ(lines(deep.error().message)[0], "nested deeper than 64 levels at character 65");
  EXPECT_FALSE(Condition::parse(nested(2000)));
  std::string negated;
  for (int i = 0; i < 1000; ++i) negated += "not ";
  EXPECT_FALSE(Condition::parse(negated + "a"));
  std::string wide = "a";
  for (int i = 0; i < 700; ++i) wide += i % 2 ? " or a" : " and a";
  EXPECT_TRUE(Condition::parse(wide));
}

TEST(ConditionErrors, SurviveRandomTokens) {
  static const char* const parts[] = {"a",    "and ",   "or", " not", "(",   ")",     "\"", "\\",
                                      ">",    ">=",     "<=", "0.5",  "\t",  "any",   "=",  "\xff",
                                      "\xc3", "\u732b", ".",  ",",    "1e9", "\"b\"", " ",  "&"};
  std::mt19937 random(5);
  std::size_t right = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) text += parts[random() % std::size(parts)];
    const Result<Condition> condition = Condition::parse(text);
    if (condition) {
      ++right;
      EXPECT_EQ(*Condition::parse(condition->text()), *condition) << text;
    } else {
      EXPECT_NE(condition.error().message.find("at character "), std::string::npos) << text;
    }
  }
  EXPECT_GT(right, 100U);
}

TEST(ConditionErrors, SurviveRandomBytes) {
  std::mt19937 random(3);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random());
    const Result<Condition> condition = Condition::parse(text);
    EXPECT_TRUE(condition || !condition.error().message.empty());
  }
}

}  // namespace
}  // namespace bcp::condition
