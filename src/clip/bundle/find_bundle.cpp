// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "clip/bundle/bundle.hpp"
#include "clip/bundle/find_towers.hpp"
#include "clip/bundle/not_onnx.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name, const std::string& otherwise) {
  const char* const value = std::getenv(name);
  return value && *value ? value : otherwise;
}

void add_each(std::vector<std::string>& places, const std::string& list, const std::string& below) {
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ':');)
    if (!part.empty()) places.push_back(part + below);
}

template <typename Names>
std::string joined_names(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::vector<std::string> bundle_places() {
  const std::string home = environment("HOME", "");
  std::vector<std::string> places;
  add_each(places, environment("GST_BCP_MODEL_PATH", ""), "");
  add_each(places, environment("XDG_DATA_HOME", home.empty() ? "" : home + "/.local/share"), "/gst-bcp/models");
  add_each(places, environment("XDG_DATA_DIRS", "/usr/local/share:/usr/share"), "/gst-bcp/models");
  places.push_back(BCP_MODEL_DIR);
  std::vector<std::string> once;
  for (std::string& place : places)
    if (std::find(once.begin(), once.end(), place) == once.end()) once.push_back(std::move(place));
  return once;
}

Result<std::string> find_bundle(const std::string& name_or_path) {
  if (name_or_path.empty())
    return Error{ErrorCode::kInvalid,
                 std::string("no model is set: give a bundle's directory or its name, such as ") + kBundledModel};
  const bool is_path = name_or_path.find('/') != std::string::npos || name_or_path == "." || name_or_path == "..";
  if (is_path) return name_or_path;  // Bundle::open checks it

  const std::vector<std::string> places = bundle_places();
  for (const std::string& place : places)
    if (looks_like_model(fs::path(place) / name_or_path)) return place + "/" + name_or_path;
  // Last, so that a folder in the current directory never hides an installed model.
  std::error_code ignored;
  const bool is_tower = name_or_path.ends_with(".onnx") && fs::is_regular_file(name_or_path, ignored);
  const bool is_weights = !pytorch_weights(name_or_path).empty();  // Bundle::open says what to do with them
  if (is_tower || is_weights || looks_like_model(name_or_path)) return name_or_path;
  std::set<std::string> there;
  for (const std::string& bundle : list_bundles()) there.insert(fs::path(bundle).filename().string());
  return Error{ErrorCode::kNotFound,
               "no model bundle called \"" + name_or_path + "\" in " + joined_names(places) +
                   (there.empty() ? " (no bundles there): give"
                                  : " (available: " + joined_names(there) + "): give one of these names or") +
                   " a directory, get one with gst-bcp model get, or set GST_BCP_MODEL_PATH"};
}

std::vector<std::string> list_bundles() {
  std::vector<std::string> bundles;
  for (const std::string& place : bundle_places()) {
    std::set<std::string> here;  // sorted: the order of a directory is undefined
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(place, fs::directory_options::skip_permission_denied, ignored))
      if (looks_like_model(entry.path())) here.insert(entry.path().string());
    bundles.insert(bundles.end(), here.begin(), here.end());
  }
  return bundles;
}

}  // namespace bcp::clip
