// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/teach/lessons.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include "base/number_text.hpp"
#include "eval/datasets/dataset.hpp"
#include "eval/datasets/spelling.hpp"

namespace bcp::cli {
namespace {

constexpr std::size_t kListed = 20;  // labels, in a message

// Finds labels by exact name, else by another spelling.
class Finder {
 public:
  explicit Finder(std::span<const clip::Label> labels) : spelling_(labels) {
    for (const clip::Label& label : labels) index_.emplace(label.name, index_.size());
  }
  std::optional<std::size_t> find(const std::string& name) const {
    if (const auto found = index_.find(name); found != index_.end()) return found->second;
    const std::optional<std::string> other = spelling_.find(name);
    if (!other) return std::nullopt;
    return index_.at(*other);
  }

 private:
  eval::Spelling spelling_;
  std::unordered_map<std::string, std::size_t> index_;
};

std::string names_of(std::span<const clip::Label> labels) {
  std::string text;
  for (std::size_t i = 0; i < std::min(labels.size(), kListed); ++i) text += (i == 0 ? "" : ", ") + labels[i].name;
  return text + (labels.size() > kListed ? ", ..." : "");
}

Status set_all(const std::string& names, bool present, const char* option, std::span<const clip::Label> labels,
               std::vector<std::optional<bool>>& said) {
  if (names.empty()) return ok();
  const Result<std::vector<clip::Label>> wanted = clip::parse_labels(names);
  if (!wanted) return Error{wanted.error().code, std::string(option) + ": " + wanted.error().message};
  const Finder finder(labels);
  for (const clip::Label& label : *wanted) {
    const std::optional<std::size_t> found = finder.find(label.name);
    if (!found)
      return Error{ErrorCode::kNotFound, std::string(option) + ": the stream does not have the label \"" + label.name +
                                             "\"; it has " + names_of(labels) +
                                             ": check the spelling, or give the stream's labels with --labels"};
    if (said[*found] && *said[*found] != present)
      return Error{ErrorCode::kInvalid,
                   "\"" + labels[*found].name + "\" is in both --has and --not: remove it from one of them"};
    said[*found] = present;
  }
  return ok();
}

}  // namespace

Result<Lessons> lessons_of(const std::vector<std::string>& pictures, const Said& said,
                           std::span<const clip::Label> labels) {
  std::vector<std::optional<bool>> present(labels.size());
  if (Status set = set_all(said.has, true, "--has", labels, present); !set) return set.error();
  if (Status set = set_all(said.has_not, false, "--not", labels, present); !set) return set.error();
  if (said.all)
    for (std::optional<bool>& each : present) each = each.value_or(false);
  Lessons lessons{.frames = said.all, .all = {}, .notes = {}};
  for (const std::string& picture : pictures) lessons.all.push_back({picture, present});
  return lessons;
}

Result<Lessons> lessons_of(const LabelledPictures& read, bool all, std::span<const clip::Label> labels) {
  const Finder finder(labels);
  Lessons lessons{.frames = true, .all = {}, .notes = {}};
  std::vector<std::optional<bool>> absent(labels.size());
  if (all) std::fill(absent.begin(), absent.end(), false);
  std::vector<std::string> unknown;
  for (const std::string& name : read.labels) {
    if (const std::optional<std::size_t> found = finder.find(name))
      absent[*found] = false;
    else
      unknown.push_back(name);
  }
  if (unknown.size() == read.labels.size())
    return Error{ErrorCode::kNotFound, "none of the labels in the annotations (" + eval::some_of(unknown) +
                                           ") is a label of the stream, which has " + names_of(labels) +
                                           ": give the stream's labels with --labels"};
  if (!unknown.empty())
    lessons.notes.push_back("labels that the stream does not have are ignored: " + eval::some_of(unknown));
  const auto unsaid = std::count(absent.begin(), absent.end(), std::nullopt);
  if (unsaid > 0)
    lessons.notes.push_back("the annotations never mention " + counted(static_cast<std::size_t>(unsaid), "label") +
                            " of the stream, so nothing is taught about them; --all teaches that they are absent");

  std::vector<std::string> missing;
  for (const LabelledPicture& picture : read.pictures) {
    std::error_code ignored;
    if (!std::filesystem::exists(picture.path, ignored)) {
      missing.push_back(picture.path);
      continue;
    }
    Lesson lesson{picture.path, absent};
    for (const std::string& name : picture.labels)
      if (const std::optional<std::size_t> found = finder.find(name)) lesson.present[*found] = true;
    lessons.all.push_back(std::move(lesson));
  }
  if (lessons.all.empty())
    return Error{ErrorCode::kNotFound, "none of the " + counted(read.pictures.size(), "picture") +
                                           " in the annotations exists: there is no " + missing[0] +
                                           "; give the folder of the pictures with --pictures"};
  if (!missing.empty())
    lessons.notes.push_back(counted(missing.size(), "picture") + " of " + std::to_string(read.pictures.size()) +
                            " ignored because the files are missing: " + eval::some_of(missing));
  return lessons;
}

}  // namespace bcp::cli
