// SPDX-License-Identifier: LGPL-2.1-or-later
// Vocabulary files: every format, and every kind of damage.
#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>
#include <random>

#include "tokenize_vectors.hpp"

namespace bcp::tokenize {
namespace {

using nlohmann::json;
using Ids = std::vector<TokenId>;

const test::ClipTokens& clip_tokens() {
  static const test::ClipTokens tokens;
  return tokens;
}

const std::string& merges_file() {
  static const std::string text = test::unpacked(test::kVocabulary);
  return text;
}

// 256 bytes, inside and at the end of a word, three merges, start and end: a small valid vocabulary.
std::vector<std::string> small_tokens() {
  std::vector<std::string> tokens(clip_tokens().tokens.begin(), clip_tokens().tokens.begin() + 512);
  tokens.insert(tokens.end(), {"ca", "cat</w>", "bo", "<|startoftext|>", "<|endoftext|>"});
  return tokens;
}

json small_vocab() {
  json vocab = json::object();
  for (const std::string& token : small_tokens()) vocab[token] = vocab.size();
  return vocab;
}

const std::string kSmallMerges = "#version: 0.2\nc a\nca t</w>\nb o\n";

json small_json() {
  json root = json::parse(test::read(test::kTokenizerData + "tokenizer_openai.json"));
  root["model"]["vocab"] = small_vocab();
  root["model"]["merges"] = {"c a", "ca t</w>", "b o"};
  for (json& token : root["added_tokens"]) token["id"] = root["model"]["vocab"][token["content"].get<std::string>()];
  return root;
}

Result<Tokenizer> open_as(const std::string& name, const std::string& bytes, const std::string& merges = {}) {
  const test::TemporaryDirectory directory;
  test::write(directory / name, bytes);
  if (!merges.empty()) test::write(directory / "merges.txt", merges);
  return Tokenizer::open(directory / name);
}

void expect_fault(const Result<Tokenizer>& tokenizer, const std::vector<std::string>& parts) {
  ASSERT_FALSE(tokenizer) << "no error";
  for (const std::string& part : parts)
    EXPECT_NE(tokenizer.error().message.find(part), std::string::npos) << tokenizer.error().message;
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(Vocabulary, IsTheSameFromEveryFileFormat) {
  const Result<Tokenizer> built_in = Tokenizer::clip();
  ASSERT_TRUE(built_in);
  const std::vector<std::pair<std::string, Result<Tokenizer>>> forms = [] {
    std::vector<std::pair<std::string, Result<Tokenizer>>> list;
    list.emplace_back("gzip", Tokenizer::open(test::kVocabulary));
    list.emplace_back("plain", open_as("any.name", merges_file()));
    list.emplace_back("merges.txt alone", open_as("merges.txt", clip_tokens().merges_text()));
    list.emplace_back("vocab.json", open_as("vocab.json", clip_tokens().vocab().dump(), clip_tokens().merges_text()));
    list.emplace_back("tokenizer.json",
                      open_as("x", clip_tokens().tokenizer_json("tokenizer_openai.json", false).dump(1)));
    list.emplace_back("gzipped tokenizer.json",
                      open_as("x", gzip(clip_tokens().tokenizer_json("tokenizer_newer.json", true).dump())));
    return list;
  }();
  for (const auto& [form, tokenizer] : forms) {
    ASSERT_TRUE(tokenizer) << form << ": " << tokenizer.error().message;
    for (const char* text :
         {"a photo of a cat", "Zürich's 2 großen Brücken!", "犬と猫", "🏳️‍🌈", "antidisestablishmentarianism"})
      EXPECT_EQ(tokenizer->ids(text), built_in->ids(text)) << form << ": " << text;
    EXPECT_EQ(tokenizer->start(), 49406) << form;
    EXPECT_EQ(tokenizer->end(), 49407) << form;
  }
}

TEST(Vocabulary, OfVocabJsonUsesHuggingFacesTokenNames) {
  const Result<Tokenizer> tokenizer = open_as("vocab.json", small_vocab().dump(), kSmallMerges);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  EXPECT_EQ(tokenizer->size(), 517);
  EXPECT_EQ(tokenizer->ids("CAT<|EndOfText|>"), (Ids{515, 513, 516, 516}));
  EXPECT_FALSE(tokenizer->padding());
}

TEST(Vocabulary, OfTokenizerJsonUsesTheCleaningOfTheFile) {
  const Result<Tokenizer> tokenizer = open_as("tokenizer.json", small_json().dump());
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  EXPECT_EQ(tokenizer->ids("CAT &amp; cat<|endoftext|>"),
            (Ids{515, 513, tokenizer->ids("&")[1], tokenizer->ids("amp")[1], tokenizer->ids("amp")[2],
                 tokenizer->ids("amp")[3], tokenizer->ids(";")[1], 513, 516, 516}));
  json root = small_json();
  root["normalizer"] = nullptr;
  const Result<Tokenizer> as_it_is = open_as("tokenizer.json", root.dump());
  ASSERT_TRUE(as_it_is) << as_it_is.error().message;
  EXPECT_EQ(as_it_is->ids("cat"), tokenizer->ids("CAT"));
  EXPECT_NE(as_it_is->ids("CAT"), tokenizer->ids("CAT"));
}

TEST(Vocabulary, OfTokenizerJsonGivesThePadding) {
  json root = small_json();
  EXPECT_EQ(open_as("t", root.dump())->padding(), std::nullopt);
  root["padding"] = {{"strategy", {{"Fixed", 77}}}, {"pad_id", 0}, {"pad_token", "!"}};
  EXPECT_EQ(open_as("t", root.dump())->padding(), 0);
  root["padding"]["pad_id"] = 516;
  EXPECT_EQ(open_as("t", root.dump())->padding(), 516);
}

TEST(Vocabulary, ThatIsMissingIsNamed) {
  expect_fault(Tokenizer::open("/no/such/tokenizer.json"), {"/no/such/tokenizer.json"});
  expect_fault(open_as("vocab.json", small_vocab().dump()), {"vocab.json", "merges.txt", "in the same directory"});
}

TEST(Vocabulary, OfAnotherKindIsRefusedByItsName) {
  for (const char* type : {"WordPiece", "WordLevel"}) {
    json root = small_json();
    root["model"]["type"] = type;
    expect_fault(open_as("tokenizer.json", root.dump()), {"tokenizer.json", type, "BPE", "CLIP", "text bank"});
  }
}

TEST(Vocabulary, RefusesContentThatNoClipFileHas) {
  const std::vector<std::pair<std::string, std::function<void(json&)>>> changes{
      {"Nmt", [](json& root) { root["normalizer"]["normalizers"][0]["type"] = "Nmt"; }},
      {"BertNormalizer",
       [](json& root) {
         root["normalizer"] = {{"type", "BertNormalizer"}};
       }},
      {"(?=x)", [](json& root) { root["normalizer"]["normalizers"][1]["pattern"]["Regex"] = "(?=x)"; }},
      {"Whitespace",
       [](json& root) {
         root["pre_tokenizer"] = {{"type", "Whitespace"}};
       }},
      {"pre_tokenizer", [](json& root) { root.erase("pre_tokenizer"); }},
      {"[a-z]+", [](json& root) { root["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "[a-z]+"; }},
      {"Isolated", [](json& root) { root["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Isolated"; }},
      {"add_prefix_space", [](json& root) { root["pre_tokenizer"]["pretokenizers"][1]["add_prefix_space"] = true; }},
      {"post_processor", [](json& root) { root["post_processor"] = nullptr; }},
      {"ByteLevel",
       [](json& root) {
         root["post_processor"] = {{"type", "ByteLevel"}};
       }},
      {"<s>",
       [](json& root) {
         root["post_processor"]["cls"] = {"<s>", 0};
       }},
      {"end_of_word_suffix", [](json& root) { root["model"]["end_of_word_suffix"] = "</word>"; }},
      {"Split", [](json& root) { root["model"]["end_of_word_suffix"] = ""; }},
      {"dropout", [](json& root) { root["model"]["dropout"] = 0.1; }},
      {"continuing_subword_prefix", [](json& root) { root["model"]["continuing_subword_prefix"] = "##"; }},
      {"ignore_merges", [](json& root) { root["model"]["ignore_merges"] = true; }},
      {"single_word", [](json& root) { root["added_tokens"][0]["single_word"] = true; }},
      {"two ids", [](json& root) { root["added_tokens"][0]["id"] = 3; }},
      {"pad_id",
       [](json& root) {
         root["padding"] = {{"pad_id", -1}};
       }},
      {"merge 2", [](json& root) { root["model"]["merges"][1] = "cat"; }},
      {"merge 2",
       [](json& root) {
         root["model"]["merges"][1] = json::array({"c", "a", "t"});
       }},
      {"\"bog</w>\"", [](json& root) { root["model"]["merges"][1] = "bo g</w>"; }},
      {"list of merges", [](json& root) { root["model"]["merges"] = "c a"; }},
      {"same id", [](json& root) { root["model"]["vocab"]["cat"] = 3; }},
      {"not an integer", [](json& root) { root["model"]["vocab"]["cat"] = -3; }},
      {"not an integer", [](json& root) { root["model"]["vocab"]["cat"] = 1e30; }},
      {"byte-level", [](json& root) { root["model"]["vocab"].erase("a</w>"); }},
      {"JSON object", [](json& root) { root["model"]["vocab"] = json::array({"a"}); }},
  };
  ASSERT_TRUE(open_as("tokenizer.json", small_json().dump()));
  for (const auto& [named, change] : changes) {
    json root = small_json();
    change(root);
    expect_fault(open_as("tokenizer.json", root.dump()), {"tokenizer.json", named});
  }
}

TEST(Vocabulary, RefusesAVocabJsonWithOtherMerges) {
  json vocab = small_vocab();
  vocab.erase("<|endoftext|>");
  expect_fault(open_as("vocab.json", vocab.dump(), kSmallMerges), {"vocab.json", "<|endoftext|>", "CLIP"});
  vocab = small_vocab();
  vocab.erase("cat</w>");
  expect_fault(open_as("vocab.json", vocab.dump(), kSmallMerges), {"merge 2", "\"cat</w>\"", "same model"});
  expect_fault(open_as("vocab.json", small_vocab().dump(), "c a\n"), {"merges.txt", "#version"});
  expect_fault(open_as("vocab.json", small_vocab().dump(), "#version: 0.2\nc a\n\nb o\n"), {"line 3"});
}

TEST(Vocabulary, RefusesDeeplyNestedJson) {
  expect_fault(open_as("tokenizer.json", "{\"model\":" + std::string(1 << 20, '[')), {"nested"});
}

TEST(Vocabulary, RefusesFilesOfAnyOtherKind) {
  for (const std::string& bytes : {std::string(), std::string("hello"), std::string(1000, '\0'), std::string("[1,2]"),
                                   std::string("\x89PNG\r\n"), std::string("{}"), std::string("{\"model\":3}")})
    EXPECT_FALSE(open_as("file", bytes)) << bytes;
}

TEST(Vocabulary, RefusesAFileThatUnpacksToTooMuch) {
  expect_fault(open_as("bomb.gz", gzip(std::string(std::size_t{64} << 20, 'a'))), {"bomb.gz", "unpacks to more than"});
}

TEST(Vocabulary, RefusesTruncatedMerges) {
  const std::string needed = merges_file().substr(0, clip_tokens().merges_text().size());
  std::mt19937 random(3);
  for (int i = 0; i < 25; ++i) {
    const std::size_t length = random() % (needed.size() - 64);
    EXPECT_FALSE(open_as("bpe.txt", needed.substr(0, length))) << length;
  }
}

TEST(Vocabulary, RefusesTruncatedOrDamagedGzip) {
  const std::string packed = test::read(test::kVocabulary);
  std::mt19937 random(4);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(open_as("bpe.txt.gz", packed.substr(0, 1 + random() % (packed.size() - 1))));
    std::string flipped = packed;
    // After the header, whose time and name are not checked.
    const std::size_t at = 64 + random() % (packed.size() - 64);
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << random() % 8));
    EXPECT_FALSE(open_as("bpe.txt.gz", flipped)) << at;
  }
  expect_fault(open_as("bpe.txt.gz", packed + "x"), {"data after its end"});
}

TEST(Vocabulary, RefusesTruncatedJson) {
  const std::string whole = small_json().dump(), vocab = small_vocab().dump();
  for (std::size_t length = 0; length < whole.size(); length += 37) EXPECT_FALSE(open_as("t", whole.substr(0, length)));
  for (std::size_t length = 0; length < vocab.size(); length += 37)
    EXPECT_FALSE(open_as("v", vocab.substr(0, length), kSmallMerges));
}

// A flipped byte may still leave a valid vocabulary; a file that opens must work.
TEST(Vocabulary, WithFlippedBytesIsRefusedOrWorks) {
  const std::string whole = small_json().dump(), vocab = small_vocab().dump();
  std::mt19937 random(5);
  const auto flipped = [&](std::string bytes) {
    for (auto i = 1 + random() % 3; i > 0; --i) {
      char& byte = bytes[random() % bytes.size()];
      byte = static_cast<char>(random() % 2 ? byte ^ (1 << random() % 8) : static_cast<int>(random()));
    }
    return bytes;
  };
  const auto try_out = [](const Result<Tokenizer>& tokenizer) {
    if (!tokenizer) {
      EXPECT_FALSE(tokenizer.error().message.empty());
      return;
    }
    for (const char* text : {"cat dog", "CAT<|endoftext|>\xF0\x9F\x98\x80 it's", "\xFF"})
      for (const TokenId id : tokenizer->ids(text)) EXPECT_TRUE(id >= 0 && id < tokenizer->size());
  };
  for (int i = 0; i < 150; ++i) {
    try_out(open_as("t", flipped(whole)));
    try_out(open_as("v", flipped(vocab), kSmallMerges));
    try_out(open_as("v", vocab, flipped(kSmallMerges)));
  }
}

}  // namespace
}  // namespace bcp::tokenize
