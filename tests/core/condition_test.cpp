// SPDX-License-Identifier: LGPL-2.1-or-later
// What conditions mean: on results, by whose labels, and in which spelling.

#include "condition/condition.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "condition/known_labels.hpp"

namespace bcp::condition {
namespace {

Condition parsed(std::string_view text) {
  Result<Condition> condition = Condition::parse(text);
  EXPECT_TRUE(condition) << text << ": " << (condition ? "" : condition.error().message);
  return condition ? *condition : Condition();
}

// A result: probabilities by label; those of 0.5 and more are shown.
using Frame = std::map<std::string, double>;

std::vector<Seen> seen_in(const Frame& frame, const Condition& condition) {
  std::vector<Seen> seen;
  for (const std::string& label : condition.labels()) {
    const auto found = frame.find(label);
    seen.push_back(found == frame.end() ? Seen() : Seen{found->second >= 0.5, found->second});
  }
  return seen;
}

bool any_shown(const Frame& frame) {
  for (const auto& [label, probability] : frame)
    if (probability >= 0.5) return true;
  return false;
}

bool holds(std::string_view text, const Frame& frame) {
  const Condition condition = parsed(text);
  return condition.holds(seen_in(frame, condition), any_shown(frame));
}

std::vector<std::string> reasons(std::string_view text, const Frame& frame) {
  const Condition condition = parsed(text);
  const Reasons found = condition.reasons(seen_in(frame, condition), any_shown(frame));
  std::vector<std::string> names;
  for (const std::size_t label : found.labels) names.push_back(condition.labels()[label]);
  if (found.any) names.emplace_back("(any)");
  return names;
}

using Names = std::vector<std::string>;

TEST(Condition, IsTrueWhileItsLabelIsShown) {
  EXPECT_TRUE(holds("person", {{"person", 0.6}}));
  EXPECT_FALSE(holds("person", {{"person", 0.4}}));
  EXPECT_FALSE(holds("person", {{"dog", 0.9}}));
}

TEST(Condition, ComparesProbabilitiesWithEveryOperator) {
  const Frame frame{{"person", 0.25}};
  EXPECT_TRUE(holds("person > 0.2", frame));
  EXPECT_FALSE(holds("person > 0.25", frame));
  EXPECT_TRUE(holds("person >= 0.25", frame));
  EXPECT_FALSE(holds("person < 0.25", frame));
  EXPECT_TRUE(holds("person <= 0.25", frame));
  EXPECT_TRUE(holds("person<.3", frame));
}

TEST(Condition, BindsNotBeforeAndBeforeOr) {
  const Frame car{{"car", 0.9}, {"person", 0.1}, {"dog", 0.1}};
  EXPECT_TRUE(holds("car or person and dog", car));
  EXPECT_FALSE(holds("(car or person) and dog", car));
  EXPECT_TRUE(holds("not person and car", car));
  EXPECT_FALSE(holds("not (dog or car)", car));
  EXPECT_TRUE(holds("not person > 0.5", car)) << "a comparison belongs to its label";
  EXPECT_TRUE(holds("not not car", car));
}

TEST(Condition, KnowsWhetherAnyLabelIsShown) {
  EXPECT_TRUE(holds("any", {{"tree", 0.6}}));
  EXPECT_FALSE(holds("any", {{"tree", 0.4}}));
  EXPECT_TRUE(holds("not any", {{"tree", 0.4}}));
  EXPECT_FALSE(holds("any and not tree", {{"tree", 0.6}}));
}

TEST(Condition, TreatsALabelThatTheResultDoesNotKnowAsUnknown) {
  for (const char* text : {"ghost", "ghost > 0", "ghost >= 0", "ghost < 1", "ghost <= 1"}) {
    EXPECT_FALSE(holds(text, {{"person", 0.9}})) << text;
  }
}

TEST(Condition, TakesKeywordsInAnyCaseAndLabelsExactly) {
  EXPECT_TRUE(holds("person AND Not car", {{"person", 0.9}, {"car", 0.1}}));
  EXPECT_FALSE(holds("Person", {{"person", 0.9}}));
}

TEST(Condition, TakesQuotedLabels) {
  EXPECT_TRUE(holds(R"("delivery van" or truck)", {{"delivery van", 0.9}}));
  EXPECT_TRUE(holds("'delivery van' or truck", {{"delivery van", 0.9}}));
  EXPECT_TRUE(holds(R"('driver\'s "seat"')", {{R"(driver's "seat")", 0.9}}));
  EXPECT_TRUE(holds(R"("and")", {{"and", 0.9}}));
  EXPECT_TRUE(holds(R"("a \"b\" \\ c" > 0.1)", {{R"(a "b" \ c)", 0.9}}));
  EXPECT_TRUE(holds("\"\u732b (cat)\"", {{"\u732b (cat)", 0.9}}));
}

TEST(Condition, TakesLettersOfAnyScriptWithoutQuotes) {
  for (const char* label : {"b\u00e4r", "\u732b", "\u0441\u043e\u0431\u0430\u043a\u0430", "t-shirt", "label_7", "4x4",
                            "\u0915\u0941\u0924\u094d\u0924\u093e"}) {
    EXPECT_TRUE(holds(label, {{label, 0.9}})) << label;
    EXPECT_EQ(parsed(label).text(), label);
  }
}

TEST(Condition, NamesEachLabelOnce) {
  EXPECT_EQ(parsed("b or a and not b > 0.3 or \"a\"").labels(), (Names{"b", "a"}));
}

TEST(Condition, NamesTheLabelsWhosePresenceMadeItTrue) {
  const Frame frame{{"person", 0.9}, {"dog", 0.8}, {"car", 0.1}};
  EXPECT_EQ(reasons("person or car", frame), Names{"person"});
  EXPECT_EQ(reasons("person and not car", frame), Names{"person"});
  EXPECT_EQ(reasons("dog > 0.5 and person", frame), (Names{"dog", "person"}));
  EXPECT_EQ(reasons("not car", frame), Names{});
  EXPECT_EQ(reasons("not person < 0.5", frame), Names{"person"});
  EXPECT_EQ(reasons("not ghost < 0.5", frame), Names{});
  EXPECT_EQ(reasons("not (person < 0.5 or car)", frame), Names{"person"});
  EXPECT_EQ(reasons("any and dog", frame), (Names{"dog", "(any)"}));
  EXPECT_EQ(reasons("car", frame), Names{});
}

TEST(Condition, PrintsAsFewParenthesesAsItNeeds) {
  EXPECT_EQ(parsed("((a)) OR (b and ((c)))").text(), "a or b and c");
  EXPECT_EQ(parsed("(a or b)and not(c and d)").text(), "(a or b) and not (c and d)");
  EXPECT_EQ(parsed("(a and b) and c").text(), "(a and b) and c");
  EXPECT_EQ(parsed("\"ab\">=.50").text(), "ab >= 0.5");
  EXPECT_EQ(parsed("\"or\" or \"a b\"").text(), "\"or\" or \"a b\"");
}

// A random condition, deep and wide, with labels that need quotes.
std::string random_text(std::mt19937& random, int depth) {
  static const char* const labels[] = {"a",         "person",    "\"two words\"", "\"or\"", "\"q\\\"\\\\\"",
                                       "\u00e4-_1", "\"a.b,c\"", "\"\u732b!\""};
  static const char* const symbols[] = {">", ">=", "<", " <= "};
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  switch (depth <= 0 ? pick(3) : pick(7)) {
    case 0:
      return labels[pick(8)];
    case 1:
      return std::string(labels[pick(8)]) + symbols[pick(4)] + std::to_string(pick(1001) / 1000.0);
    case 2:
      return "any";
    case 3:
      return "not " + random_text(random, depth - 1);
    case 4:
      return "(" + random_text(random, depth - 1) + ")";
    case 5:
      return random_text(random, depth - 1) + " and " + random_text(random, depth - 1);
    default:
      return "(" + random_text(random, depth - 1) + " OR " + random_text(random, depth - 1) + ")";
  }
}

TEST(Condition, ReadsBackWhatItPrints) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_text(random, 6);
    if (text.size() > kMaxBytes / 2) continue;
    const Condition first = parsed(text);
    const Condition second = parsed(first.text());
    EXPECT_EQ(first, second) << text << "\n" << first.text();
    EXPECT_EQ(first.text(), second.text());
  }
}

TEST(Condition, MeansTheSameWhenItIsPrinted) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    const std::string text = random_text(random, 5);
    if (text.size() > kMaxBytes / 2) continue;
    const Condition first = parsed(text);
    Frame frame;
    for (const std::string& label : first.labels())
      if (random() % 4) frame[label] = static_cast<double>(random() % 1001) / 1000.0;
    EXPECT_EQ(holds(text, frame), holds(first.text(), frame)) << text;
  }
}

TEST(Condition, HasReasonsOnlyWhenItIsTrue) {
  std::mt19937 random(13);
  for (int round = 0; round < 500; ++round) {
    const std::string text = random_text(random, 4);
    Frame frame;
    const Condition condition = parsed(text);
    for (const std::string& label : condition.labels()) frame[label] = static_cast<double>(random() % 1001) / 1000.0;
    EXPECT_TRUE(holds(text, frame) || reasons(text, frame).empty()) << text;
  }
}

TEST(KnownLabels, AreThoseAskedFor) {
  const Names known{"person", "car", "fire hydrant"};
  EXPECT_TRUE(check_labels(parsed("person and not \"fire hydrant\""), known));
  EXPECT_TRUE(check_labels(parsed("any"), {}));
}

TEST(KnownLabels, NameTheNearestOfThem) {
  const Names known{"person", "car", "fire hydrant"};
  const Status unknown = check_labels(parsed("persn or Car or zebra"), known);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(unknown.error().message,
            "the condition names \"persn\", which is not one of the 3 labels asked for: did you mean \"person\"?; "
            "the condition names \"Car\", which is not one of the 3 labels asked for: did you mean \"car\"?; "
            "the condition names \"zebra\", which is not one of the 3 labels asked for: the labels are \"person\", "
            "\"car\", \"fire hydrant\"");
}

TEST(KnownLabels, ExplainQuotesAroundAWholeCondition) {
  const Status unknown = check_labels(parsed("'person or car'"), Names{"person", "car"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message,
            "the condition names \"person or car\", which is not one of the 2 labels asked for: its quotes make it one "
            "label, leave them out");
}

}  // namespace
}  // namespace bcp::condition
