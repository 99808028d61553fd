// SPDX-License-Identifier: LGPL-2.1-or-later
// SigLIP's and SigLIP 2's kinds of tokenizer.json: every id must equal that of Hugging Face's tokenizers, and errors
// must name what is damaged or not supported.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "tokenize_vectors.hpp"

namespace bcp::tokenize {
namespace {

using nlohmann::json;
using Ids = std::vector<TokenId>;

constexpr std::size_t kLength = 64;
const std::vector<std::string> kFiles = {"unigram_siglip.json", "unigram_bytes.json", "unigram_first.json",
                                         "bpe_siglip2.json",    "bpe_unknown.json",   "bpe_siglip2_lowercase.json"};

json file(const std::string& name) {
  return json::parse(test::read(test::kTokenizerData + name));
}

Result<Tokenizer> open_changed(const json& root) {
  const test::TemporaryDirectory directory;
  test::write(directory / "tokenizer.json", root.dump());
  return Tokenizer::open(directory / "tokenizer.json");
}

Tokenizer open_file(const std::string& name, Tokenizer::Case letter_case = Tokenizer::Case::kAsTheFileSays) {
  Result<Tokenizer> tokenizer = Tokenizer::open(test::kTokenizerData + name, letter_case);
  EXPECT_TRUE(tokenizer) << tokenizer.error().message;
  return *std::move(tokenizer);
}

// The result of `tokenizers` for each file, cut to 64 ids.
const json& vectors() {
  static const json root = json::parse(test::unpacked(test::kTokenizerData + "tokenizers_siglip.json.gz"));
  return root;
}

std::vector<std::string> texts() {
  std::vector<std::string> list;
  for (const json& entry : vectors().at("cases")) list.push_back(test::text_of_case(entry));
  return list;
}

void expect_agreement(const Tokenizer& tokenizer, const std::string& name) {
  const std::vector<std::string> all = texts();
  const json& expected = vectors().at("ids").at(name);
  ASSERT_GE(all.size(), 900u);
  ASSERT_EQ(all.size(), expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Ids ids = tokenizer.ids(all[i], kLength);
    if (ids != expected[i].get<Ids>() && ++wrong <= 5) {
      EXPECT_EQ(ids, expected[i].get<Ids>()) << name << ": " << testing::PrintToString(all[i].substr(0, 200));
    }
  }
  EXPECT_EQ(wrong, 0u) << name << ", of " << all.size() << " texts";
}

TEST(SiglipTokenizer, AgreesWithHuggingFaceOnEveryText) {
  for (const std::string& name : kFiles) expect_agreement(open_file(name), name);
}

TEST(SiglipTokenizer, LowersTheCaseOnRequest) {
  expect_agreement(open_file("bpe_siglip2.json", Tokenizer::Case::kLower), "bpe_siglip2_lowercase.json");
  expect_agreement(open_file("bpe_siglip2_lowercase.json", Tokenizer::Case::kLower), "bpe_siglip2_lowercase.json");
  expect_agreement(open_file("unigram_siglip.json", Tokenizer::Case::kLower), "unigram_siglip.json");
}

TEST(SiglipTokenizer, HasOnlyTheStartAndEndOfItsFile) {
  const Tokenizer siglip = open_file("unigram_siglip.json"), start = open_file("bpe_unknown.json");
  EXPECT_EQ(siglip.start(), std::nullopt);
  EXPECT_EQ(siglip.end(), 1);
  EXPECT_EQ(siglip.ids("", kLength), Ids{1});
  EXPECT_EQ(siglip.padding(), std::nullopt);
  EXPECT_EQ(open_file("unigram_bytes.json").padding(), 0);
  EXPECT_EQ(start.start(), 2);
  EXPECT_EQ(start.end(), std::nullopt);
  EXPECT_EQ(start.ids("", kLength), Ids{2});
  json root = file("bpe_unknown.json");
  root["post_processor"] = nullptr;
  const Result<Tokenizer> neither = open_changed(root);
  ASSERT_TRUE(neither) << neither.error().message;
  EXPECT_EQ(neither->ids("", kLength), Ids{});
  EXPECT_EQ(neither->ids("a photo of a cat", 2).size(), 2u);
}

TEST(SiglipTokenizer, KeepsTheEndOfACutText) {
  const Tokenizer tokenizer = open_file("unigram_siglip.json");
  const std::string text = "a photo of many cats and dogs";
  const Ids whole = tokenizer.ids(text, kLength);
  ASSERT_GT(whole.size(), 6u);
  for (std::size_t length = 2; length < whole.size(); ++length) {
    Ids expected(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length) - 1);
    expected.push_back(1);
    EXPECT_EQ(tokenizer.ids(text, length), expected);
  }
}

TEST(SiglipTokenizer, ReadsOldAndNewFormats) {
  json root = file("unigram_siglip.json");
  const Tokenizer as_it_is = open_file("unigram_siglip.json");
  const std::vector<json> forms = {
      {{"type", "Metaspace"}, {"replacement", "▁"}},
      {{"type", "Metaspace"}, {"replacement", "▁"}, {"str_rep", "▁"}, {"add_prefix_space", true}, {"split", true}},
      {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}, {"split", true}},
      {{"type", "Sequence"}, {"pretokenizers", {{{"type", "Metaspace"}, {"replacement", "▁"}}}}}};
  for (const json& form : forms) {
    root["pre_tokenizer"] = form;
    const Result<Tokenizer> tokenizer = open_changed(root);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    for (const std::string& text : texts()) EXPECT_EQ(tokenizer->ids(text), as_it_is.ids(text)) << form;
  }
  // Without the space before the first word it is a different word.
  root["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", "▁"}, {"add_prefix_space", false}};
  const Result<Tokenizer> never = open_changed(root);
  ASSERT_TRUE(never) << never.error().message;
  EXPECT_NE(never->ids("cat"), as_it_is.ids("cat"));
  // Transformers.js writes null if there is no table.
  root["normalizer"]["normalizers"][4]["precompiled_charsmap"] = nullptr;
  EXPECT_TRUE(open_changed(root));
}

struct Change {
  std::string named;
  std::function<void(json&)> apply;
};

void expect_refused(const std::string& name, const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    json root = file(name);
    change.apply(root);
    const Result<Tokenizer> tokenizer = open_changed(root);
    ASSERT_FALSE(tokenizer) << name << ": " << change.named;
    for (const std::string& part : {std::string("tokenizer.json"), change.named})
      EXPECT_NE(tokenizer.error().message.find(part), std::string::npos) << tokenizer.error().message;
  }
}

json& step(json& root, const std::string& type) {
  for (json& each : root["normalizer"]["normalizers"])
    if (each["type"] == type) return each;
  throw std::logic_error(type);
}

TEST(SiglipTokenizer, RefusesUnsupportedParts) {
  const auto expression = [](const std::string& text) {
    return [text](json& root) { step(root, "Replace")["pattern"]["Regex"] = text; };
  };
  expect_refused("unigram_siglip.json",
                 {{"WordPiece", [](json& root) { root["model"]["type"] = "WordPiece"; }},
                  {"Nmt", [](json& root) { step(root, "Strip")["type"] = "Nmt"; }},
                  {"strip_left", [](json& root) { step(root, "Strip")["strip_left"] = 3; }},
                  {"(", expression("(a|b)")},
                  {"\\\\w", expression("\\w+")},
                  {"\\\\p", expression("\\p{L}")},
                  {"^", expression("^a")},
                  {"++", expression("a++")},
                  {"[[", expression("[[:space:]]")},
                  {"&&", expression("[a&&b]")},
                  {"class", expression("[abc")},
                  {"backslash", expression("abc\\")},
                  {"empty string", expression("a*")},
                  {"{,3}", expression("a{,3}")},
                  {"BertPreTokenizer", [](json& root) { root["pre_tokenizer"]["type"] = "BertPreTokenizer"; }},
                  {"sometimes", [](json& root) { root["pre_tokenizer"]["prepend_scheme"] = "sometimes"; }},
                  {"first", [](json& root) { root["pre_tokenizer"]["prepend_scheme"] = "first"; }},  // after a Strip
                  {"always",
                   [](json& root) {
                     root["pre_tokenizer"].update({{"add_prefix_space", false}, {"prepend_scheme", "always"}});
                   }},
                  {"u2581\\u2581", [](json& root) { root["pre_tokenizer"]["replacement"] = "▁▁"; }},
                  {"ByteLevel", [](json& root) { root["post_processor"]["type"] = "ByteLevel"; }},
                  {"post_processor", [](json& root) { root["post_processor"]["single"].erase(0); }},
                  {"single_word", [](json& root) { root["added_tokens"][0]["single_word"] = true; }},
                  {"Left", [](json& root) {
                     root["padding"] = {{"pad_id", 0}, {"direction", "Left"}};
                   }}});
  expect_refused("bpe_siglip2.json",
                 {{"dropout", [](json& root) { root["model"]["dropout"] = 0.5; }},
                  {"Contiguous", [](json& root) { root["pre_tokenizer"]["behavior"] = "Contiguous"; }},
                  {"invert", [](json& root) { root["pre_tokenizer"]["invert"] = true; }},
                  {"Regex",
                   [](json& root) {
                     root["pre_tokenizer"]["pattern"] = {{"Regex", " "}};
                   }},
                  {"byte_fallback", [](json& root) { root["model"]["byte_fallback"] = "yes"; }},
                  {"unk_token", [](json& root) { root["model"]["unk_token"] = 3; }}});
}

TEST(SiglipTokenizer, RefusesADamagedFile) {
  expect_refused(
      "unigram_siglip.json",
      {{"empty", [](json& root) { root["model"]["vocab"] = json::array(); }},
       {"list of pieces",
        [](json& root) {
          root["model"]["vocab"] = {{"a", 1}};
        }},
       {"entry 3", [](json& root) { root["model"]["vocab"][3][1] = "high"; }},
       {"entry 3", [](json& root) { root["model"]["vocab"][3] = "a"; }},
       {"entry 3", [](json& root) { root["model"]["vocab"][3][0] = nullptr; }},
       {"unk_id", [](json& root) { root["model"]["unk_id"] = 100'000; }},
       {"unk_id", [](json& root) { root["model"]["unk_id"] = -1; }},
       {"unk_id", [](json& root) { root["model"].erase("unk_id"); }},
       {"two ids", [](json& root) { root["added_tokens"][0]["id"] = 5; }},
       {"id", [](json& root) { root["added_tokens"][0]["id"] = -5; }},
       {"not among", [](json& root) { root["post_processor"]["single"][1]["SpecialToken"]["id"] = "<end>"; }},
       {"\"</s>\"", [](json& root) { root["post_processor"]["special_tokens"]["</s>"]["ids"][0] = 9; }},
       {"base64", [](json& root) { step(root, "Precompiled")["precompiled_charsmap"] = "AAA"; }},
       {"base64", [](json& root) { step(root, "Precompiled")["precompiled_charsmap"] = "AA\nA"; }},
       {"base64", [](json& root) { step(root, "Precompiled")["precompiled_charsmap"] = "A=AA"; }},
       {"its trie claims", [](json& root) { step(root, "Precompiled")["precompiled_charsmap"] = "////fwAA"; }},
       // 256 units of ones: a root that is a leaf and points anywhere.
       {"no root",
        [](json& root) {
          step(root, "Precompiled")["precompiled_charsmap"] = "AAQAAP//" + std::string(1360, '/') + "/wA=";
        }},
       {"not a string", [](json& root) { step(root, "Precompiled")["precompiled_charsmap"] = 3; }},
       {"points outside", [](json& root) {
          // Bytes 12 to 23: the trie's units 2 to 4.
          std::string table = step(root, "Precompiled")["precompiled_charsmap"];
          table.replace(16, 16, "////f////3////9/");
          step(root, "Precompiled")["precompiled_charsmap"] = table;
        }}});
  expect_refused("bpe_siglip2.json", {{"empty", [](json& root) { root["model"]["vocab"] = json::object(); }},
                                      {"<gone>", [](json& root) { root["model"]["unk_token"] = "<gone>"; }},
                                      {"merge 2",
                                       [](json& root) {
                                         root["model"]["merges"][1] = {"▁", "not a token"};
                                       }},
                                      {"list of merges", [](json& root) { root["model"]["merges"] = nullptr; }},
                                      {"same id", [](json& root) { root["model"]["vocab"]["<pad>"] = 7; }}});
}

// A file that opens must work, and give ids of its vocabulary.
TEST(SiglipTokenizer, WithFlippedBytesIsRefusedOrWorks) {
  std::mt19937 random(6);
  const auto try_out = [](const std::string& bytes) {
    const test::TemporaryDirectory directory;
    test::write(directory / "t", bytes);
    const Result<Tokenizer> tokenizer = Tokenizer::open(directory / "t");
    if (!tokenizer) {
      EXPECT_FALSE(tokenizer.error().message.empty());
      return;
    }
    for (const char* text :
         {"a photo of a CAT ﬁ", "</s> \u0301e\u0301\xF0\x9F\x98\x80 it's", "\xFF", "ＡＢ１①\r\n\u200D"})
      for (const TokenId id : tokenizer->ids(text, kLength)) EXPECT_TRUE(id >= 0 && id < tokenizer->size());
  };
  for (const char* name : {"unigram_siglip.json", "unigram_bytes.json", "bpe_siglip2.json"}) {
    const std::string whole = test::read(test::kTokenizerData + name);
    const std::size_t table = whole.find("precompiled_charsmap"), letters = std::string_view("ABCxyz019+/").size();
    for (int i = 0; i < 120; ++i) {
      std::string bytes = whole;
      for (auto flips = 1 + random() % 3; flips > 0; --flips) {
        char& byte = bytes[random() % bytes.size()];
        byte = static_cast<char>(random() % 2 ? byte ^ (1 << random() % 8) : static_cast<int>(random()));
      }
      try_out(bytes);
      if (table == std::string::npos) continue;
      // Replaces letters of base64: the table decodes, but has other content.
      bytes = whole;
      for (auto flips = 1 + random() % 20; flips > 0; --flips)
        bytes[table + 30 + random() % 4000] = "ABCxyz019+/"[random() % letters];
      try_out(bytes);
    }
    for (std::size_t length = 0; length < whole.size(); length += 997) {
      const test::TemporaryDirectory directory;
      test::write(directory / "t", whole.substr(0, length));
      EXPECT_FALSE(Tokenizer::open(directory / "t"));
    }
  }
}

TEST(SiglipTokenizer, RefusesASentencePieceModelAndSaysHowToConvertIt) {
  const test::TemporaryDirectory directory;
  // The beginning of every such file: the first piece, of the type control or unknown.
  test::write(directory / "spiece.model", std::string("\x0A\x0E\x0A\x05<unk>\x15\x00\x00\x00\x00\x18\x02", 16));
  const Result<Tokenizer> tokenizer = Tokenizer::open(directory / "spiece.model");
  ASSERT_FALSE(tokenizer);
  for (const char* part : {"spiece.model", "SentencePiece", "tokenizer.json", "AutoTokenizer"})
    EXPECT_NE(tokenizer.error().message.find(part), std::string::npos) << tokenizer.error().message;
}

}  // namespace
}  // namespace bcp::tokenize
