// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/datasets/dataset.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_set>
#include <utility>

#include "eval/datasets/layout.hpp"
#include "eval/datasets/lines.hpp"
#include "eval/datasets/readers.hpp"

namespace bcp::eval {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kNames = {"voc2007", "voc2012", "coco2014", "coco2017", "nuswide", "folder"};
constexpr std::size_t kNamed = 3;  // names shown of a long list

Result<Dataset> read(const DatasetRequest& request, Layout& layout) {
  if (request.name == "voc2007") return read_voc2007(layout);
  if (request.name == "voc2012") return read_voc2012(layout);
  if (request.name == "coco2014") return read_coco2014(layout);
  if (request.name == "coco2017") return read_coco2017(layout);
  if (request.name == "nuswide") return read_nuswide(layout, !request.list.empty());
  if (request.name == "folder") return read_folder(layout);
  std::string all;
  for (const std::string_view name : kNames) all.append(all.empty() ? "" : ", ").append(name);
  return Error{ErrorCode::kInvalid, "unknown data set \"" + request.name + "\": use one of " + all};
}

// Keeps the pictures listed in the file, in the order of the data set.
Status keep_listed(const std::string& path, Dataset& set) {
  const Result<std::vector<std::string>> lines = read_lines(path);
  if (!lines) return lines.error();
  if (lines->empty())
    return Error{ErrorCode::kInvalid, path + " lists no picture: write one name per line, as in the data set (" +
                                          set.pictures.front() + ")"};
  std::unordered_set<std::string> wanted;
  for (std::string name : *lines) {
    std::replace(name.begin(), name.end(), '\\', '/');
    wanted.insert(std::move(name));
  }
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < set.pictures.size(); ++i)
    if (wanted.erase(set.pictures[i]) > 0) rows.push_back(i);
  if (!wanted.empty())
    return Error{ErrorCode::kInvalid, path + " lists " + std::to_string(wanted.size()) + " pictures that " + set.name +
                                          " does not have, such as " + *std::min_element(wanted.begin(), wanted.end()) +
                                          ": write names as in the data set (" + set.pictures.front() + ")"};
  set.keep(rows);
  return ok();
}

Status leave_out_missing(Dataset& set) {
  std::vector<std::size_t> there;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < set.pictures.size(); ++i) {
    std::error_code ignored;
    if (fs::is_regular_file(set.path(i), ignored))
      there.push_back(i);
    else
      missing.push_back(set.pictures[i]);
  }
  if (missing.empty()) return ok();
  const std::string count = std::to_string(missing.size()) + " of " + std::to_string(set.pictures.size());
  if (there.empty())
    return Error{ErrorCode::kNotFound, "all " + std::to_string(set.pictures.size()) + " pictures of " + set.name +
                                           " are missing, for example " + set.path(0) + ": unpack its pictures to " +
                                           set.folder};
  set.notes.push_back(count + " pictures are not in " + set.folder + " and were left out: " + some_of(missing));
  set.keep(there);
  return ok();
}

}  // namespace

std::string some_of(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

void Dataset::keep(std::span<const std::size_t> rows) {
  std::vector<std::string> names;
  std::vector<std::int8_t> values;
  names.reserve(rows.size());
  values.reserve(rows.size() * truth.labels);
  for (const std::size_t row : rows) {
    names.push_back(std::move(pictures[row]));
    const auto first = truth.values.begin() + static_cast<std::ptrdiff_t>(row * truth.labels);
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(truth.labels));
  }
  pictures = std::move(names);
  truth.samples = rows.size();
  truth.values = std::move(values);
}

Result<Dataset> open_dataset(const DatasetRequest& request, std::vector<Absent>& absent) {
  std::error_code ignored;
  if (!fs::is_directory(request.root, ignored))
    return Error{ErrorCode::kNotFound,
                 "the folder " + request.root + " is missing: set --root to the folder with the unpacked data set"};
  Layout layout(request.root);
  Result<Dataset> set = read(request, layout);
  absent = layout.absent();
  if (!set) return set;
  if (set->pictures.empty())
    return Error{ErrorCode::kInvalid,
                 request.root + " lists no pictures of " + set->name + ": unpack the data set again"};
  if (!request.list.empty())
    if (const Status kept = keep_listed(request.list, *set); !kept) return kept.error();
  if (const Status kept = leave_out_missing(*set); !kept) return kept.error();
  if (request.limit > 0 && request.limit < set->pictures.size()) {
    std::vector<std::size_t> first(request.limit);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = i;
    set->keep(first);
  }
  return set;
}

std::span<const std::string_view> dataset_names() {
  return kNames;
}

}  // namespace bcp::eval
