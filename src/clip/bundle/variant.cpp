// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/variant.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace bcp::clip {
namespace {

constexpr std::string_view kExtension = ".onnx";

// By precision, the most precise first; the endings of Hugging Face and other exporters.
constexpr std::array<std::string_view, 24> kEndings = {
    "",      "_fp32",      "-fp32",      "_float32", "_fp16", "-fp16",  "_float16", "_int8",
    "-int8", "_quantized", "-quantized", "_quant",   "_q8",   "_uint8", "-uint8",   "_q4f16",
    "_q4",   "_int4",      "_uint4",     "_bnb4",    "_nf4",  "_q2f16", "_q2",      "_q1"};

constexpr std::array<std::string_view, 8> kInt8Endings = {"_int8",  "-int8", "_quantized", "-quantized",
                                                          "_quant", "_q8",   "_uint8",     "-uint8"};

}  // namespace

VariantName split_variant(const std::string& file) {
  std::string_view name = file;
  if (name.ends_with(kExtension)) name.remove_suffix(kExtension.size());
  std::string_view longest;
  for (const std::string_view ending : kEndings)
    if (name.size() > ending.size() && name.ends_with(ending) && ending.size() > longest.size()) longest = ending;
  return {std::string(name.substr(0, name.size() - longest.size())), std::string(longest)};
}

std::string with_variant_of(const std::string& file, const std::string& like) {
  return split_variant(file).stem + split_variant(like).ending + std::string(kExtension);
}

std::size_t variant_rank(const std::string& ending) {
  return static_cast<std::size_t>(std::find(kEndings.begin(), kEndings.end(), ending) - kEndings.begin());
}

bool is_int8(const std::string& file) {
  return std::find(kInt8Endings.begin(), kInt8Endings.end(), split_variant(file).ending) != kInt8Endings.end();
}

std::string int8_variant(const std::string& path) {
  if (is_int8(path)) return path;
  const std::string stem = split_variant(path).stem;
  for (const std::string_view ending : kInt8Endings) {
    std::string beside = stem + std::string(ending) + std::string(kExtension);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(beside, ignored)) return beside;
  }
  return {};
}

}  // namespace bcp::clip
