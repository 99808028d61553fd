// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.hpp"
#include "tokenize/tokenizer_json.hpp"

namespace bcp::tokenize {
namespace {

using nlohmann::json;

// CLIP's regular expression, as in its files. The second form begins with the two tokens.
constexpr std::string_view kWords = R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)";
constexpr std::string_view kTokensAndWords =
    R"(<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)";

using Prepend = PreTokenizer::Metaspace::Prepend;
constexpr std::array<std::pair<std::string_view, Prepend>, 3> kPrepend = {
    {{"always", Prepend::kAlways}, {"first", Prepend::kFirst}, {"never", Prepend::kNever}}};

using Behaviour = PreTokenizer::Split::Behaviour;
constexpr std::array<std::pair<std::string_view, Behaviour>, 4> kBehaviour = {
    {{"Removed", Behaviour::kRemoved},
     {"Isolated", Behaviour::kIsolated},
     {"MergedWithPrevious", Behaviour::kMergedWithPrevious},
     {"MergedWithNext", Behaviour::kMergedWithNext}}};

// The old format has add_prefix_space, the new one prepend_scheme; some files have both.
Result<PreTokenizer::Step> read_metaspace(const json& value) {
  PreTokenizer::Metaspace step;
  step.replacement = text_of(value, "replacement");
  const auto first = step.replacement.empty() ? std::nullopt : utf8::first(step.replacement);
  if (!first || first->bytes != step.replacement.size()) return unsupported("pre_tokenizer", value);
  const json &scheme = value_of(value, "prepend_scheme"), &prefix = value_of(value, "add_prefix_space");
  const json& split = value_of(value, "split");
  const auto is_flag = [](const json& flag) { return flag.is_null() || flag.is_boolean(); };
  const std::string_view name = !scheme.is_null() ? text_of(value, "prepend_scheme")
                                : prefix == false ? "never"
                                                  : "always";
  const auto* const known =
      std::find_if(kPrepend.begin(), kPrepend.end(), [&](auto& each) { return each.first == name; });
  if (known == kPrepend.end() || !is_flag(prefix) || !is_flag(split) || (prefix == false && name != "never"))
    return unsupported("pre_tokenizer", value);
  step.prepend = known->second;
  step.split = split != false;
  return PreTokenizer::Step(std::move(step));
}

Result<PreTokenizer::Step> read_split(const json& value) {
  const std::string_view at = text_of(value_of(value, "pattern"), "String");
  const std::string_view name = text_of(value, "behavior");
  const auto* const known =
      std::find_if(kBehaviour.begin(), kBehaviour.end(), [&](auto& each) { return each.first == name; });
  if (at.empty() || known == kBehaviour.end() || !is_off(value, "invert")) return unsupported("pre_tokenizer", value);
  return PreTokenizer::Step(PreTokenizer::Split{std::string(at), known->second});
}

Status read_step(const json& value, std::vector<PreTokenizer::Step>& steps) {
  const std::string_view type = text_of(value, "type");
  if (type == "Sequence" && value_of(value, "pretokenizers").is_array()) {
    for (const json& part : value_of(value, "pretokenizers"))
      if (Status read = read_step(part, steps); !read) return read;
    return ok();
  }
  if (type == "WhitespaceSplit") {
    steps.emplace_back(PreTokenizer::WhitespaceSplit());
    return ok();
  }
  if (type != "Metaspace" && type != "Split") return unsupported("pre_tokenizer", value);
  Result<PreTokenizer::Step> step = type == "Split" ? read_split(value) : read_metaspace(value);
  if (!step) return step.error();
  steps.push_back(*std::move(step));
  return ok();
}

}  // namespace

Result<std::vector<std::string>> read_clip_words(const json& value) {
  const json& parts = value_of(value, "pretokenizers");
  if (text_of(value, "type") != "Sequence" || !parts.is_array() || parts.size() != 2)
    return unsupported("pre_tokenizer", value);
  const json &split = parts[0], &bytes = parts[1];
  const std::string_view pattern = text_of(value_of(split, "pattern"), "Regex");
  if (text_of(split, "type") != "Split" || (pattern != kWords && pattern != kTokensAndWords) ||
      text_of(split, "behavior") != "Removed" || value_of(split, "invert") != true)
    return unsupported("pre_tokenizer", split);
  if (text_of(bytes, "type") != "ByteLevel" || !is_off(bytes, "add_prefix_space"))
    return unsupported("pre_tokenizer", bytes);
  // Its own regular expression, which is on by default, splits nothing except those tokens.
  if (pattern != kTokensAndWords || value_of(bytes, "use_regex") != false) return std::vector<std::string>();
  return std::vector<std::string>{"<|startoftext|>", "<|endoftext|>"};
}

Result<PreTokenizer> read_pre_tokenizer(const json& value) {
  PreTokenizer pre_tokenizer;
  if (value.is_null()) return pre_tokenizer;
  if (Status read = read_step(value, pre_tokenizer.steps); !read) return read.error();
  return pre_tokenizer;
}

}  // namespace bcp::tokenize
