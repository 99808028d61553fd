// SPDX-License-Identifier: LGPL-2.1-or-later
#include <array>
#include <utility>

#include "tokenize/tokenizer_json.hpp"

namespace bcp::tokenize {
namespace {

using nlohmann::json;
using Plain = Normalizer::Plain;

constexpr std::array<std::pair<std::string_view, Plain>, 6> kPlain = {{
    {"NFC", Plain::kCompose},
    {"NFD", Plain::kDecompose},
    {"NFKC", Plain::kComposeCompatible},
    {"NFKD", Plain::kDecomposeCompatible},
    {"Lowercase", Plain::kLowercase},
    {"StripAccents", Plain::kStripAccents},
}};

Result<Normalizer::Step> read_replace(const json& value) {
  const json& pattern = value_of(value, "pattern");
  if (!value_of(value, "content").is_string()) return unsupported("normalizer", value);
  std::string content(text_of(value, "content"));
  if (const std::string_view text = text_of(pattern, "String"); !text.empty())
    return Normalizer::Step(Normalizer::Replace{Pattern::literal(std::string(text)), std::move(content)});
  const std::string_view expression = text_of(pattern, "Regex");
  if (expression.empty()) return unsupported("normalizer", value);
  if (expression == R"(\s+)" && content == " ") return Normalizer::Step(Plain::kCollapseSpace);
  Result<Pattern> compiled = Pattern::regex(expression);
  if (!compiled) {
    const Error refused = unsupported("normalizer", value);
    return Error{refused.code, refused.message + " (the regular expression " + compiled.error().message + ")"};
  }
  return Normalizer::Step(Normalizer::Replace{*std::move(compiled), std::move(content)});
}

Status read_step(const json& value, std::vector<Normalizer::Step>& steps) {
  const std::string_view type = text_of(value, "type");
  for (const auto& [name, step] : kPlain) {
    if (type != name) continue;
    steps.emplace_back(step);
    return ok();
  }
  if (type == "Sequence" && value_of(value, "normalizers").is_array()) {
    for (const json& part : value_of(value, "normalizers"))
      if (Status read = read_step(part, steps); !read) return read;
  } else if (type == "Replace") {
    Result<Normalizer::Step> step = read_replace(value);
    if (!step) return step.error();
    steps.push_back(*std::move(step));
  } else if (type == "Strip" && value_of(value, "strip_left").is_boolean() &&
             value_of(value, "strip_right").is_boolean()) {
    steps.emplace_back(
        Normalizer::Strip{value_of(value, "strip_left") == true, value_of(value, "strip_right") == true});
  } else if (type == "Prepend" && value_of(value, "prepend").is_string()) {
    steps.emplace_back(Normalizer::Prepend{std::string(text_of(value, "prepend"))});
  } else if (type == "Precompiled") {
    const json& table = value_of(value, "precompiled_charsmap");
    if (is_off(value, "precompiled_charsmap")) return ok();  // files of Transformers.js have null for "no table"
    if (!table.is_string()) return damaged("its precompiled_charsmap is not a string: fetch the file again");
    Result<Precompiled> step = Precompiled::make(table.get_ref<const std::string&>());
    if (!step) return step.error();
    steps.emplace_back(*std::move(step));
  } else {
    return unsupported("normalizer", value);
  }
  return ok();
}

}  // namespace

Result<Normalizer> read_normalizer(const json& value) {
  Normalizer normalizer;
  if (value.is_null()) return normalizer;
  if (Status read = read_step(value, normalizer.steps); !read) return read.error();
  return normalizer;
}

}  // namespace bcp::tokenize
