// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/labelled/pictures.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/spelling.hpp"
#include "clip/labels.hpp"
#include "eval/datasets/instances.hpp"
#include "eval/datasets/readers.hpp"
#include "gst-bcp/labelled/voc_xml.hpp"

namespace bcp::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMaxRecords = std::size_t{1} << 30, kMaxText = std::size_t{1} << 20;
constexpr char kForms[] =
    "give COCO-style JSON (images, annotations, categories), JSON or JSON lines of {\"picture\": \"a.jpg\", "
    "\"labels\": "
    "[\"dog\"]}, a folder with VOC XML annotations, or a folder of pictures with a NAME.txt beside each";
const std::vector<std::string> kPictures = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Collects pictures and the labels that occur.
class Collection {
 public:
  // `where` begins a message: the file, and the line if any.
  Status add(const std::string& where, std::string path, const std::vector<std::string>& names) {
    LabelledPicture picture{std::move(path), {}};
    for (const std::string& name : names) {
      Result<std::string> label = clip::clean_label(name);
      if (!label) return Error{label.error().code, where + ": " + label.error().message};
      const auto& there = picture.labels;
      if (label->empty() || std::find(there.begin(), there.end(), *label) != there.end()) continue;
      labels_.insert(*label);
      picture.labels.push_back(*std::move(label));
    }
    if (!paths_.insert(picture.path).second)
      return Error{ErrorCode::kInvalid,
                   where + ": the picture " + picture.path + " is listed twice: put all of its labels into one entry"};
    pictures_.push_back(std::move(picture));
    return ok();
  }

  LabelledPictures take() && { return {std::move(pictures_), {labels_.begin(), labels_.end()}}; }

 private:
  std::vector<LabelledPicture> pictures_;
  std::set<std::string> labels_, paths_;
};

// --- JSON and JSON lines

Status add_record(const json& record, const std::string& where, const fs::path& folder, Collection& all) {
  const auto fault = [&](const std::string& what) { return Error{ErrorCode::kInvalid, where + ": " + what}; };
  const std::string_view picture = text_of(record, "picture");
  if (picture.empty())
    return fault("\"picture\" must be the path of a picture; it is " + shown(value_of(record, "picture")));
  const json& labels = value_of(record, "labels");
  const bool sound = labels.is_array() &&
                     std::all_of(labels.begin(), labels.end(), [](const json& label) { return label.is_string(); });
  if (!sound) return fault("\"labels\" must be a list of texts; it is " + shown(labels));
  return all.add(where, (folder / picture).string(), labels.get<std::vector<std::string>>());
}

Result<LabelledPictures> read_records(const std::string& path, const fs::path& folder, bool is_list) {
  const Result<std::string> text = read_file(path, kMaxRecords);
  if (!text) return text.error();
  Collection all;
  if (is_list) {
    const Result<json> records = parse_json(*text);
    if (!records) return Error{records.error().code, path + " is " + records.error().message};
    std::size_t number = 0;
    for (const json& record : *records)
      if (Status added = add_record(record, path + ", entry " + std::to_string(++number), folder, all); !added)
        return added.error();
    return std::move(all).take();
  }
  std::size_t number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string where = path + ":" + std::to_string(number);
    const Result<json> record = parse_json(line);
    if (!record) return Error{record.error().code, where + " is " + record.error().message};
    if (Status added = add_record(*record, where, folder, all); !added) return added.error();
  }
  return std::move(all).take();
}

// --- COCO

// Where the pictures of a file of instances usually are: beside it, or where COCO's own archives put them.
fs::path folder_of_instances(const fs::path& file, const std::string& picture) {
  const fs::path here = file.parent_path(), above = here / "..";
  std::string split = file.stem().string();
  split.erase(0, split.find('_') + 1);  // unchanged without "_"
  for (const fs::path& folder :
       {here, here / "images", above / split, above / "images" / split, above / "images", above})
    if (is_file(folder / picture)) return folder.lexically_normal();
  return here;
}

Result<LabelledPictures> read_coco(const std::string& path, const std::string& folder) {
  Result<eval::Dataset> set = eval::read_instances(path, {}, kForms);
  if (!set) return set.error();
  const fs::path pictures = folder.empty() ? folder_of_instances(path, set->pictures[0]) : fs::path(folder);
  Collection all;
  for (std::size_t i = 0; i < set->pictures.size(); ++i) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < set->labels.size(); ++k)
      if (set->truth.values[i * set->truth.labels + k] == 1) names.push_back(set->labels[k]);
    if (Status added = all.add(path, (pictures / set->pictures[i]).string(), names); !added) return added.error();
  }
  LabelledPictures read = std::move(all).take();
  read.labels.clear();
  for (const std::string& name : set->labels)
    if (Result<std::string> label = clip::clean_label(name); label && !label->empty())
      read.labels.push_back(*std::move(label));
  return read;
}

// --- folders

fs::path picture_of_xml(const fs::path& xml, const std::string& filename, const std::string& folder) {
  const fs::path here = xml.parent_path();
  std::vector<fs::path> folders = {here, here / ".." / "JPEGImages", here / ".." / "images"};
  if (!folder.empty()) folders = {folder};
  std::vector<std::string> names;
  if (!filename.empty()) names.push_back(filename);
  for (const std::string& ending : kPictures) names.push_back(xml.stem().string() + ending);
  for (const fs::path& each : folders)
    for (const std::string& name : names)
      if (is_file(each / name)) return (each / name).lexically_normal();
  return folders[0] / names[0];
}

Result<LabelledPictures> read_xml(const std::vector<std::string>& files, const std::string& folder) {
  Collection all;
  for (const std::string& file : files) {
    Result<VocAnnotation> annotation = read_voc_xml(file);
    if (!annotation) return annotation.error();
    for (std::string& name : annotation->objects) name = eval::voc_label(name);
    const fs::path picture = picture_of_xml(file, annotation->filename, folder);
    if (Status added = all.add(file, picture.string(), annotation->objects); !added) return added.error();
  }
  return std::move(all).take();
}

// Lines of numbers: boxes in YOLO's format, with the number of a class instead of its name.
bool is_boxes(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos &&
         text.find_first_not_of("0123456789.-+eE \t\r\n") == std::string_view::npos;
}

Result<LabelledPictures> read_texts(const std::string& input) {
  const Result<std::vector<std::string>> pictures = pictures_below(input);
  if (!pictures) return pictures.error();
  Collection all;
  bool found = false;
  for (const std::string& picture : *pictures) {
    const std::string file = fs::path(picture).replace_extension(".txt").string();
    if (!is_file(file)) continue;
    found = true;
    const Result<std::string> text = read_file(file, kMaxText);
    if (!text) return text.error();
    if (is_boxes(*text))
      return Error{ErrorCode::kInvalid,
                   file + " contains numbers: write the names of the labels, one per line or separated by commas"};
    std::vector<std::string> names;
    if (text->find_first_not_of(" \t\r\n,") != std::string::npos) {
      const Result<std::vector<clip::Label>> labels = clip::parse_labels(*text);
      if (!labels) return Error{labels.error().code, file + ": " + labels.error().message};
      for (const clip::Label& label : *labels) names.push_back(label.name);
    }
    if (Status added = all.add(file, picture, names); !added) return added.error();
  }
  if (found) return std::move(all).take();
  return Error{ErrorCode::kNotFound, "there are no labels in " + input + ": " + kForms};
}

Result<LabelledPictures> read_folder(const std::string& input, const std::string& folder) {
  const Result<std::vector<std::string>> xml = files_below(input, {".xml"});
  if (!xml) return xml.error();
  return xml->empty() ? read_texts(input) : read_xml(*xml, folder);
}

// The form of a file, by its first bytes.
enum class Form { kInstances, kList, kLines, kOther };

Result<Form> form_of(const std::string& path) {
  std::string begin;
  const Status read = read_pieces(path, [&](std::string_view piece) {
    begin += piece;
    return begin.find('\n') == std::string::npos && begin.size() < kMaxText;
  });
  if (!read) return read.error();
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return Form::kOther;
  if (begin[first] == '[') return Form::kList;
  if (begin[first] != '{') return Form::kOther;
  const Result<json> line = parse_json(std::string_view(begin).substr(0, begin.find('\n')));
  return line && !line->contains("images") ? Form::kLines : Form::kInstances;
}

Result<LabelledPictures> read_file_of(const std::string& input, const std::string& folder) {
  const Result<Form> form = form_of(input);
  if (!form) return form.error();
  if (*form == Form::kInstances) return read_coco(input, folder);
  if (*form == Form::kOther)
    return Error{ErrorCode::kInvalid, input + " does not contain labelled pictures: " + kForms};
  const fs::path pictures = folder.empty() ? fs::path(input).parent_path() : fs::path(folder);
  return read_records(input, pictures, *form == Form::kList);
}

}  // namespace

bool is_picture_name(const std::string& path) {
  return std::find(kPictures.begin(), kPictures.end(), lower(fs::path(path).extension().string())) != kPictures.end();
}

Result<std::vector<std::string>> files_below(const std::string& folder, const std::vector<std::string>& endings) {
  std::vector<std::string> files;
  std::error_code fault;
  fs::recursive_directory_iterator at(folder, fault);
  for (; !fault && at != fs::recursive_directory_iterator(); at.increment(fault)) {
    const std::string ending = lower(at->path().extension().string());
    const bool wanted = std::find(endings.begin(), endings.end(), ending) != endings.end();
    if (wanted && is_file(at->path())) files.push_back(at->path().string());
  }
  if (fault)
    return Error{ErrorCode::kRuntime,
                 "the folder " + folder + " cannot be read (" + fault.message() + "): check its permissions"};
  std::sort(files.begin(), files.end());
  return files;
}

Result<std::vector<std::string>> pictures_below(const std::string& folder) {
  return files_below(folder, kPictures);
}

Result<std::vector<std::string>> find_pictures(const std::vector<std::string>& given) {
  std::vector<std::string> all;
  for (const std::string& path : given) {
    std::error_code ignored;
    if (!fs::exists(path, ignored))
      return Error{ErrorCode::kNotFound, "there is no picture or folder " + path + ": check the path"};
    if (!fs::is_directory(path, ignored)) {
      all.push_back(path);
      continue;
    }
    const Result<std::vector<std::string>> below = pictures_below(path);
    if (!below) return below.error();
    all.insert(all.end(), below->begin(), below->end());
  }
  return all;
}

Result<LabelledPictures> read_labelled(const std::string& input, const std::string& folder) {
  std::error_code ignored;
  if (!fs::exists(input, ignored))
    return Error{ErrorCode::kNotFound, "there is no file or folder " + input + ": check the path"};
  Result<LabelledPictures> read =
      fs::is_directory(input, ignored) ? read_folder(input, folder) : read_file_of(input, folder);
  if (!read) return read;
  if (read->pictures.empty()) return Error{ErrorCode::kInvalid, "there is no picture in " + input + ": " + kForms};
  const auto has_labels = [](const LabelledPicture& picture) { return !picture.labels.empty(); };
  if (std::none_of(read->pictures.begin(), read->pictures.end(), has_labels))
    return Error{ErrorCode::kInvalid, "none of the " + std::to_string(read->pictures.size()) + " pictures in " + input +
                                          " has a label: " + kForms};
  return read;
}

}  // namespace bcp::cli
