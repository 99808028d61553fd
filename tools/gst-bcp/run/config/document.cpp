// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/config/document.hpp"

#include <glib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace bcp::cli::run {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = 1 << 20;
constexpr int kDeepest = 20;        // mappings and lists inside each other
constexpr int kMostNodes = 100000;  // values, counted each time that an alias names them
constexpr const char* kEmpty = "the file is empty: write \"cameras:\" and a list";

// yaml-cpp copies what an alias names for each reader, and a file of a few lines can name itself often enough to fill
// the memory; nothing here needs aliases that deep. `left`: how many nodes may still be visited.
bool is_small(const YAML::Node& node, int depth, int& left) {
  if (depth > kDeepest || --left < 0) return false;
  if (node.IsSequence())
    return std::all_of(node.begin(), node.end(), [&](const auto& each) { return is_small(each, depth + 1, left); });
  if (node.IsMap())
    return std::all_of(node.begin(), node.end(),
                       [&](const auto& each) { return is_small(each.second, depth + 1, left); });
  return true;
}

// JSON in the form that YAML takes. JSON may be indented with tabs (its strings never contain one), and writes
// characters beyond the first 65,536 as two escapes.
std::string json_as_yaml(const std::string& text) {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned high = 0, low = 0;
    int used = 0;
    if (text[at] == '\\' &&
        std::sscanf(text.c_str() + at, "\\u%4x\\u%4x%n", &high, &low, &used) == 2 &&  // NOLINT(cert-err34-c)
        used == 12 && (high & 0xFC00U) == 0xD800U && (low & 0xFC00U) == 0xDC00U) {
      std::array<char, 6> character{};
      const gint bytes = g_unichar_to_utf8(0x10000U + ((high & 0x3FFU) << 10U) + (low & 0x3FFU), character.data());
      made.append(character.data(), static_cast<std::size_t>(bytes));
      at += static_cast<std::size_t>(used) - 1;
    } else if (text[at] == '\\' && at + 1 < text.size()) {
      made += text[at++];
      made += text[at];
    } else {
      made += text[at] == '\t' ? ' ' : text[at];
    }
  }
  return made;
}

}  // namespace

std::optional<YAML::Node> load_document(const std::string& path, Faults& faults) {
  const auto fail = [&faults](const std::string& sentence) {
    faults.add(YAML::Mark::null_mark(), "", sentence);
    return std::nullopt;
  };
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error) return fail("the file cannot be read: " + error.message());
  if (bytes > kMostBytes) return fail("the file is larger than 1 MB: is it the right one?");
  if (bytes == 0) return fail(kEmpty);
  std::ifstream file(path, std::ios::binary);
  std::stringstream stream;
  if (!file || !(stream << file.rdbuf())) return fail("the file cannot be read: check its permissions");
  std::string text = stream.str();
  if (!g_utf8_validate(text.data(), static_cast<gssize>(text.size()), nullptr))
    return fail("the file is not UTF-8 text: save it in that encoding");
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') text = json_as_yaml(text);
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty() || (documents.size() == 1 && documents.front().IsNull())) return fail(kEmpty);
    if (documents.size() > 1) return fail("the file has more than one document: remove the lines \"---\"");
    if (int left = kMostNodes; !is_small(documents.front(), 0, left))
      return fail("mappings are nested too deep, a mapping contains itself, or aliases repeat too much");
    return documents.front();
  } catch (const YAML::Exception& exception) {
    faults.add(exception.mark, "", "this is not YAML: " + exception.msg);
  }
  return std::nullopt;
}

}  // namespace bcp::cli::run
