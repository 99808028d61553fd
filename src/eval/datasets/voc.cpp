// SPDX-License-Identifier: LGPL-2.1-or-later
//
// PASCAL VOC: ImageSets/Main/SPLIT.txt lists the pictures, CLASS_SPLIT.txt has for each 1 (the class is present), -1
// (absent) or 0 (only instances marked as difficult, which the challenge ignores).
#include <array>
#include <string_view>
#include <unordered_map>

#include "eval/datasets/lines.hpp"
#include "eval/datasets/readers.hpp"

namespace bcp::eval {
namespace {

struct VocClass {
  const char* file;   // in file names
  const char* label;  // in prompts: two words if the files join them
};
constexpr std::array<VocClass, 20> kClasses = {{
    {"aeroplane", "aeroplane"},
    {"bicycle", "bicycle"},
    {"bird", "bird"},
    {"boat", "boat"},
    {"bottle", "bottle"},
    {"bus", "bus"},
    {"car", "car"},
    {"cat", "cat"},
    {"chair", "chair"},
    {"cow", "cow"},
    {"diningtable", "dining table"},
    {"dog", "dog"},
    {"horse", "horse"},
    {"motorbike", "motorbike"},
    {"person", "person"},
    {"pottedplant", "potted plant"},
    {"sheep", "sheep"},
    {"sofa", "sofa"},
    {"train", "train"},
    {"tvmonitor", "tv monitor"},
}};

struct Split {
  const char *name, *title, *year, *list, *archive;
};

using Rows = std::unordered_map<std::string_view, std::size_t>;

// Reads one class: the column `label` of `truth`.
Status read_class(const std::string& path, const Rows& rows, std::size_t label, Truth& truth) {
  const Result<std::vector<std::string>> lines = read_lines(path);
  if (!lines) return lines.error();
  std::size_t known = 0;
  for (const std::string& line : *lines) {
    const std::string_view name = std::string_view(line).substr(0, line.find_first_of(" \t"));
    const std::string_view value = std::string_view(line).substr(line.find_last_of(" \t") + 1);
    const auto row = rows.find(name);
    if (row == rows.end()) continue;  // of another split
    std::int8_t& judged = truth.values[row->second * truth.labels + label];
    if (value == "1")
      judged = 1;
    else if (value == "-1")
      judged = 0;
    else if (value == "0")
      judged = -1;
    else
      return Error{ErrorCode::kInvalid,
                   path + ": \"" + line + "\" is not a picture and 1, 0 or -1: unpack the archive again"};
    ++known;
  }
  if (known == rows.size()) return ok();
  return Error{ErrorCode::kInvalid, path + " lists " + std::to_string(known) + " of the " +
                                        std::to_string(rows.size()) +
                                        " pictures once, but must list each once: unpack the archive again"};
}

Result<Dataset> read_voc(Layout& layout, const Split& split) {
  const std::string year = split.year, kind = split.list;
  layout.enter({"VOCdevkit/" + year, year, ""}, "ImageSets/Main");
  const std::string main = "ImageSets/Main/";
  const std::string list = layout.file(main + kind + ".txt", "the list of pictures", split.archive);
  std::vector<std::string> wanted;
  for (const VocClass& each : kClasses) wanted.push_back(main + each.file + "_" + kind + ".txt");
  const std::vector<std::string> files = layout.files(wanted, "which pictures show the class", split.archive);
  Dataset set;
  set.folder = layout.folder("JPEGImages", "the pictures", split.archive);
  if (const Status whole = layout.status(split.title); !whole) return whole.error();

  Result<std::vector<std::string>> names = read_lines(list);
  if (!names) return names.error();
  set.name = split.name;
  set.ending = ".jpg";
  set.pictures = *std::move(names);
  for (const VocClass& each : kClasses) set.labels.emplace_back(each.label);
  set.truth = {set.pictures.size(), kClasses.size(), std::vector<std::int8_t>(set.pictures.size() * kClasses.size())};
  Rows rows;
  for (std::size_t i = 0; i < set.pictures.size(); ++i)
    if (!rows.emplace(set.pictures[i], i).second)
      return Error{ErrorCode::kInvalid, list + " lists " + set.pictures[i] + " twice: unpack the archive again"};
  for (std::size_t label = 0; label < files.size(); ++label)
    if (const Status read = read_class(files[label], rows, label, set.truth); !read) return read.error();
  return set;
}

}  // namespace

std::string voc_label(std::string_view name) {
  for (const VocClass& each : kClasses)
    if (name == each.file) return each.label;
  return std::string(name);
}

Result<Dataset> read_voc2007(Layout& layout) {
  return read_voc(layout, {"voc2007", "PASCAL VOC2007 test", "VOC2007", "test", "VOCtest_06-Nov-2007.tar"});
}

Result<Dataset> read_voc2012(Layout& layout) {
  return read_voc(layout, {"voc2012", "PASCAL VOC2012 val", "VOC2012", "val", "VOCtrainval_11-May-2012.tar"});
}

}  // namespace bcp::eval
