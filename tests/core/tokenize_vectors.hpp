// SPDX-License-Identifier: LGPL-2.1-or-later
// The results of the reference tokenizers for many texts (tests/data/tokenizer), and CLIP's vocabulary in every file
// format.

#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/temporary.hpp"
#include "tokenize/bpe.hpp"
#include "tokenize/gunzip.hpp"
#include "tokenize/tokenizer.hpp"
#include "tokenize/unicode.hpp"

namespace bcp::test {

inline const std::string kTokenizerData = std::string(BCP_TEST_DATA) + "/tokenizer/";
inline const std::string kVocabulary =
    std::string(BCP_TEST_DATA) + "/../../src/tokenize/vocabulary/bpe_simple_vocab_16e6.txt.gz";

// Empty if the file cannot be unpacked.
inline std::string unpacked(const std::string& path) {
  Result<std::string> text = tokenize::gunzip(read(path), std::size_t{64} << 20);
  return text ? *std::move(text) : std::string();
}

struct TokenizerCase {
  std::string text;
  std::vector<tokenize::TokenId> ids;
};

// A range of code points, and one number for all their results.
struct CodePoints {
  char32_t first = 0, last = 0;
  std::string digest;
};

// The text of an entry: as it is, repeated, or bytes written as Latin-1.
inline std::string text_of_case(const nlohmann::json& entry) {
  std::string text;
  if (entry.contains("latin1")) {
    const std::string written = entry.at("latin1");
    for (std::size_t at = 0; at < written.size();) text += static_cast<char>(tokenize::unicode::next(written, at));
    return text;
  }
  for (int i = entry.value("repeat", 1); i > 0; --i) text += entry.at("text").get<std::string>();
  return text;
}

struct TokenizerVectors {
  std::vector<TokenizerCase> cases;
  std::vector<CodePoints> code_points;

  explicit TokenizerVectors(const std::string& name) {
    const auto root = nlohmann::json::parse(unpacked(kTokenizerData + name));
    for (const auto& entry : root.at("cases"))
      cases.push_back({text_of_case(entry), entry.at("ids").get<std::vector<tokenize::TokenId>>()});
    for (const auto& entry : root.at("code_points")) code_points.push_back({entry.at(0), entry.at(1), entry.at(2)});
  }
};

// CLIP's merges, and its tokens in the order of their ids, with Hugging Face's names for start and end.
struct ClipTokens {
  std::vector<std::string> tokens, merges;

  ClipTokens() {
    std::vector<std::string> printable, others;
    for (unsigned byte = 0; byte < 256; ++byte) {
      std::string token = tokenize::token_of_byte(static_cast<unsigned char>(byte));
      (token < "\xC4\x80" ? printable : others).push_back(std::move(token));
    }
    tokens = printable;
    tokens.insert(tokens.end(), others.begin(), others.end());
    for (std::size_t i = 0; i < 256; ++i) tokens.push_back(tokens[i] + "</w>");

    const std::string text = unpacked(kVocabulary);
    std::size_t at = text.find('\n') + 1;
    while (merges.size() < 48894) {
      const std::size_t end = text.find('\n', at);
      merges.push_back(text.substr(at, end - at));
      tokens.push_back(merges.back());
      tokens.back().erase(tokens.back().find(' '), 1);
      at = end + 1;
    }
    tokens.insert(tokens.end(), {"<|startoftext|>", "<|endoftext|>"});
  }

  nlohmann::json vocab() const {
    nlohmann::json vocab = nlohmann::json::object();
    for (std::size_t id = 0; id < tokens.size(); ++id) vocab[tokens[id]] = id;
    return vocab;
  }
  std::string merges_text() const {
    std::string text = "#version: 0.2\n";
    for (const std::string& merge : merges) text += merge + "\n";
    return text;
  }
  // tests/data/tokenizer/`shape`, filled in. Files of newer versions have pairs as merges.
  nlohmann::json tokenizer_json(const std::string& shape, bool pairs) const {
    auto root = nlohmann::json::parse(read(kTokenizerData + shape));
    root["model"]["vocab"] = vocab();
    for (const std::string& merge : merges) {
      const std::size_t space = merge.find(' ');
      if (pairs)
        root["model"]["merges"].push_back({merge.substr(0, space), merge.substr(space + 1)});
      else
        root["model"]["merges"].push_back(merge);
    }
    return root;
  }
};

}  // namespace bcp::test
