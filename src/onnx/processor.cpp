// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/processor.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <vector>

#include "base/file.hpp"

namespace bcp::onnx {
namespace {

constexpr std::size_t kMaxText = std::size_t{16} << 20;  // a few kilobytes per core
// x86 names, then those of arm64.
constexpr std::array<std::string_view, 14> kKnown = {
    "sse4_1",      "avx2",     "fma",      "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16",
    "avx512_fp16", "amx_tile", "amx_int8", "amx_bf16", "asimddp", "i8mm",        "bf16"};

// The value of the first line with this key.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !line.starts_with(key)) continue;
    const std::string_view rest = line.substr(key.size(), colon - key.size());
    if (rest.find_first_not_of(" \t") != std::string_view::npos) continue;  // a longer key
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
  }
  return {};
}

}  // namespace

Processor read_processor(std::string_view cpuinfo) {
  Processor processor;
  processor.name = value_of(cpuinfo, "model name");
  if (processor.name.empty()) processor.name = "unknown processor";
  std::string_view flags = value_of(cpuinfo, "flags");
  if (flags.empty()) flags = value_of(cpuinfo, "Features");
  std::istringstream words{std::string(flags)};
  std::vector<std::string> offered;
  for (std::string word; words >> word;) offered.push_back(word);
  for (const std::string_view known : kKnown) {
    if (std::find(offered.begin(), offered.end(), known) == offered.end()) continue;
    if (!processor.features.empty()) processor.features += ' ';
    processor.features += known;
    // Not for arm64: OpenVINO's library with ONNX Runtime exists only for x86-64.
    if (known == "avx512_bf16" || known == "amx_bf16") processor.has_bf16 = true;
  }
  return processor;
}

const Processor& this_processor() {
  static const Processor processor = [] {
    const Result<std::string> text = read_file("/proc/cpuinfo", kMaxText);
    return read_processor(text ? *text : std::string());
  }();
  return processor;
}

}  // namespace bcp::onnx
