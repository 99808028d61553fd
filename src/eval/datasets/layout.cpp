// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/datasets/layout.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace bcp::eval {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamedEach = 3;  // more missing files of a kind share one line

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

void Layout::enter(std::initializer_list<std::string> folders, const std::string& sign) {
  const auto inside = [](const std::string& folder) { return folder.empty() ? folder : folder + "/"; };
  entered_ = inside(*folders.begin());
  for (const std::string& folder : folders) {
    if (!is_there(root_ + "/" + inside(folder) + sign)) continue;
    entered_ = inside(folder);
    return;
  }
}

std::string Layout::at(const std::string& path) const {
  return root_ + "/" + entered_ + path;
}

std::string Layout::any_of(std::initializer_list<std::string> paths) const {
  for (const std::string& path : paths)
    if (is_there(at(path))) return path;
  return *paths.begin();
}

std::string Layout::file(const std::string& path, const std::string& what, const std::string& source) {
  if (!is_there(at(path)) || is_folder(at(path))) absent_.push_back({entered_ + path, what, source});
  return at(path);
}

std::string Layout::folder(const std::string& path, const std::string& what, const std::string& source) {
  if (!is_folder(at(path))) absent_.push_back({entered_ + path + "/", what, source});
  return at(path);
}

std::vector<std::string> Layout::files(std::span<const std::string> paths, const std::string& what,
                                       const std::string& source) {
  std::vector<Absent> found = std::exchange(absent_, {});
  std::vector<std::string> all;
  for (const std::string& path : paths) all.push_back(file(path, what, source));
  std::vector<Absent> missing = std::exchange(absent_, std::move(found));
  if (missing.size() > kNamedEach) {
    missing[0].path += " and " + std::to_string(missing.size() - 1) + " more";
    missing.resize(1);
  }
  absent_.insert(absent_.end(), missing.begin(), missing.end());
  return all;
}

Status Layout::status(const std::string& title) const {
  if (absent_.empty()) return ok();
  std::vector<std::string> sources;
  for (const Absent& each : absent_)
    if (std::find(sources.begin(), sources.end(), each.source) == sources.end()) sources.push_back(each.source);
  std::string from;
  for (std::size_t i = 0; i < sources.size(); ++i)
    from.append(i == 0 ? "" : i + 1 == sources.size() ? " and " : ", ").append(sources[i]);
  return Error{ErrorCode::kNotFound,
               root_ + " does not contain " + title + " in its published layout: it lacks " + absent_.front().path +
                   (absent_.size() == 1 ? "" : " and " + std::to_string(absent_.size() - 1) + " more") +
                   "; check --root, or get it from " + from};
}

}  // namespace bcp::eval
