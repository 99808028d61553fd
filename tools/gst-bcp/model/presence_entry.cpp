// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/presence_entry.hpp"

#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json.hpp"
#include "clip/bundle/presence_keys.hpp"

namespace bcp::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxEntryFile = std::size_t{64} << 20;

// As models/make_bundle.py writes it: two spaces per level, lists on one line.
std::string text_of(const Json& value, std::size_t level = 0) {
  const bool is_flat = std::none_of(value.begin(), value.end(), [](const Json& item) { return item.is_structured(); });
  if (!value.is_structured() || value.empty()) return value.dump();
  const bool inline_list = value.is_array() && is_flat;
  const std::string line = inline_list ? " " : "\n" + std::string(2 * (level + 1), ' ');
  std::string text;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (item != value.begin()) text += ",";
    if (item != value.begin() || !inline_list) text += line;
    if (value.is_object()) text += Json(item.key()).dump() + ": ";
    text += text_of(*item, level + 1);
  }
  const std::string end = inline_list ? "" : "\n" + std::string(2 * level, ' ');
  return (value.is_object() ? "{" : "[") + text + end + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string presence_file(const clip::Bundle& bundle) {
  std::string described = bundle.directory + "/bundle.json";
  std::error_code ignored;
  return std::filesystem::exists(described, ignored) ? described : bundle.directory + "/" + clip::kPresenceFile;
}

Status write_presence(const clip::Bundle& bundle, const clip::PresenceTraits& traits) {
  const std::string path = presence_file(bundle);
  Json all = Json::object();
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    const Result<std::string> text = read_file(path, kMaxEntryFile);
    if (!text) return text.error();
    // This parser checks the depth; only the other parser keeps the order.
    if (const Result<nlohmann::json> sound = parse_json(*text); !sound)
      return Error{sound.error().code, path + " is " + sound.error().message};
    all = Json::parse(*text);
  }
  Json& presence = all["presence"];
  if (traits.scale) presence["scale"] = *traits.scale;
  if (traits.prior_strength) presence["prior_strength"] = *traits.prior_strength;
  if (traits.alias_cosine) presence["alias_cosine"] = *traits.alias_cosine;
  // A link may point into a cache that other programs share: the link is replaced, its target is not changed.
  if (!std::filesystem::is_symlink(path, ignored)) return replace_file(path, text_of(all) + "\n");
  const std::string beside = path + ".new";
  std::filesystem::remove(beside, ignored);
  if (Status written = replace_file(beside, text_of(all) + "\n"); !written) return written;
  if (::rename(beside.c_str(), path.c_str()) != 0) return system_error("write", path, errno);
  return ok();
}

}  // namespace bcp::cli
