// SPDX-License-Identifier: LGPL-2.1-or-later
#include <utility>

#include "tokenize/tokenizer_json.hpp"

namespace bcp::tokenize {
namespace {

using nlohmann::json;

// The token with this name; if the file also has its id, it must match.
Result<std::optional<TokenId>> token_named(std::string_view name, const json& id, const TokenIds& ids) {
  const auto found = ids.find(std::string(name));
  if (found == ids.end())
    return damaged("its post_processor names the token \"" + std::string(name) +
                   "\", which is not among its tokens: fetch the file again");
  if (!id.is_null() && id != found->second)
    return damaged("its post_processor gives the token \"" + std::string(name) + "\" the id " + shown(id) +
                   ", but its vocabulary " + std::to_string(found->second) + ": fetch the file again");
  return std::optional(found->second);
}

// RobertaProcessing and BertProcessing write a token as a pair: ["</s>", 2].
Result<std::optional<TokenId>> token_in_pair(const json& pair, const TokenIds& ids) {
  if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string()) return unsupported("post_processor", pair);
  return token_named(pair[0].get_ref<const std::string&>(), json(), ids);
}

// A template: at most one token, the text, at most one token.
Result<Ends> read_template(const json& value, const TokenIds& ids) {
  const json &single = value_of(value, "single"), &specials = value_of(value, "special_tokens");
  if (!single.is_array()) return unsupported("post_processor", value);
  Ends ends;
  bool text = false;
  for (const json& part : single) {
    if (text_of(value_of(part, "Sequence"), "id") == "A" && !text) {
      text = true;
      continue;
    }
    const std::string name(text_of(value_of(part, "SpecialToken"), "id"));
    std::optional<TokenId>& end = text ? ends.end : ends.start;
    if (name.empty() || end) return unsupported("post_processor", value);
    const json& given = value_of(value_of(specials, name.c_str()), "ids");
    if (!given.is_null() && !(given.is_array() && given.size() == 1)) return unsupported("post_processor", value);
    const Result<std::optional<TokenId>> token = token_named(name, given.is_null() ? json() : given[0], ids);
    if (!token) return token.error();
    end = *token;
  }
  if (!text) return unsupported("post_processor", value);
  return ends;
}

}  // namespace

Result<Ends> read_ends(const json& value, const TokenIds& ids) {
  if (value.is_null()) return Ends{};
  const std::string_view type = text_of(value, "type");
  if (type == "TemplateProcessing") return read_template(value, ids);
  if (type != "RobertaProcessing" && type != "BertProcessing") return unsupported("post_processor", value);
  const Result<std::optional<TokenId>> start = token_in_pair(value_of(value, "cls"), ids);
  if (!start) return start.error();
  const Result<std::optional<TokenId>> end = token_in_pair(value_of(value, "sep"), ids);
  if (!end) return end.error();
  return Ends{*start, *end};
}

}  // namespace bcp::tokenize
