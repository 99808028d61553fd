// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/cache.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/file.hpp"
#include "base/json.hpp"

namespace bcp::cli::get {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOfText = std::size_t{4} << 20;

std::string folder_name(std::string id) {
  if (const std::size_t slash = id.find('/'); slash != std::string::npos) id.replace(slash, 1, "--");
  return "models--" + id;
}

Error cannot_write_cache(const fs::path& path, const std::error_code& error) {
  return Error{ErrorCode::kRuntime,
               path.string() + " cannot be written: " + error.message() + "; set HF_HUB_CACHE to another directory"};
}

std::string without_quotes(const std::string& text) {
  const char* const around = " \t\r\n\"'";
  const std::size_t begin = text.find_first_not_of(around), end = text.find_last_not_of(around);
  return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

bool is_siglip(const std::string& config) {
  const Result<std::string> text = read_file(config, kMostOfText);
  const Result<nlohmann::json> json = text ? parse_json(*text) : Result<nlohmann::json>(text.error());
  if (!json) return false;
  const nlohmann::json& types = value_of(*json, "architectures");
  const auto named = [](const nlohmann::json& type) {
    return type.is_string() && names_siglip(type.get<std::string>());
  };
  return names_siglip(std::string(text_of(*json, "model_type"))) ||
         (types.is_array() && std::any_of(types.begin(), types.end(), named));
}

// What the Hub shows as cardData: the lines between two "---" at the top of README.md. Only this YAML is understood: a
// name on the line, or the first entry of a list below it.
std::string licence_in(const std::string& readme) {
  const Result<std::string> text = read_file(readme, kMostOfText);
  if (!text) return {};
  std::istringstream lines(*text);
  std::string line, licence, own;
  if (!std::getline(lines, line) || without_quotes(line) != "---") return {};
  for (bool in_list = false; std::getline(lines, line) && without_quotes(line) != "---";) {
    if (in_list && without_quotes(line).starts_with("- ")) licence = without_quotes(without_quotes(line).substr(2));
    if (line.starts_with("license:")) licence = without_quotes(line.substr(8));
    if (line.starts_with("license_name:")) own = without_quotes(line.substr(13));
    in_list = line.starts_with("license:") && licence.empty();
  }
  return licence == "other" && !own.empty() ? own : licence;
}

}  // namespace

RepositoryCache::RepositoryCache(const std::string& root, const std::string& id)
    : folder_(root + "/" + folder_name(id)), locks_(root + "/.locks/" + folder_name(id)) {}

Status RepositoryCache::link(const std::string& commit, const RepositoryFile& file) const {
  const fs::path pointer = fs::path(snapshot(commit)) / file.path;
  std::error_code error;
  fs::create_directories(pointer.parent_path(), error);
  if (error) return cannot_write_cache(pointer, error);
  const fs::path target = fs::path(blob(file)).lexically_relative(pointer.parent_path());
  if (fs::read_symlink(pointer, error) == target) return ok();
  fs::remove(pointer, error);
  fs::create_symlink(target, pointer, error);
  // Another process may have made it meanwhile.
  std::error_code ignored;
  if (error && fs::read_symlink(pointer, ignored) != target) return cannot_write_cache(pointer, error);
  return ok();
}

Status RepositoryCache::set_ref(const std::string& revision, const std::string& commit) const {
  if (revision == commit) return ok();
  const std::string path = folder_ + "/refs/" + revision;
  if (const Result<std::string> before = read_file(path, 256); before && *before == commit) return ok();
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) return cannot_write_cache(path, error);
  return replace_file(path, commit, Durability::kNone);
}

std::optional<Repository> RepositoryCache::find(const RepositoryName& name) const {
  const Result<std::string> ref = read_file(folder_ + "/refs/" + name.revision, 256);
  Repository found{name.id, ref ? *ref : name.revision};
  if (!is_hex(found.commit, 40)) return {};
  const fs::path top = snapshot(found.commit);
  std::error_code error, ignored;
  for (fs::recursive_directory_iterator at(top, error), end; !error && at != end; at.increment(error))
    if (at->is_regular_file(ignored))
      found.files.push_back({at->path().lexically_relative(top).string(), at->file_size(ignored)});
  if (found.files.empty()) return {};
  found.licence = licence_in((top / "README.md").string());
  found.is_siglip = names_siglip(found.id) || is_siglip((top / "config.json").string());
  std::sort(found.files.begin(), found.files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

}  // namespace bcp::cli::get
