// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Parsed as a stream: as a tree, the 160 MB of val2014, mostly outlines of objects, would take gigabytes.
#include "eval/datasets/instances.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/mapped_file.hpp"

namespace bcp::eval {
namespace {

constexpr std::size_t kMaxInstancesFile = std::size_t{8} << 30;
constexpr std::int64_t kNoId = std::numeric_limits<std::int64_t>::min();

struct Image {
  std::int64_t id;
  std::string file;
};
struct Category {
  std::int64_t id;
  std::string name;
};
struct Instance {
  std::int64_t image, category;
};

// Takes the needed values of the objects in the lists `images`, `annotations` and `categories`, and skips nested ones.
class Instances : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<Image> images;
  std::vector<Category> categories;
  std::vector<Instance> instances;
  std::string fault;  // why reading stopped; empty if it did not

  bool key(std::string& name) override {
    if (depth_ == kTop)
      list_ = name;
    else if (depth_ == kObject)
      key_ = name;
    return true;
  }
  bool number_integer(std::int64_t value) override {
    if (depth_ != kObject) return true;
    if (key_ == "id") id_ = value;
    if (key_ == "image_id") image_ = value;
    if (key_ == "category_id") category_ = value;
    return true;
  }
  bool number_unsigned(std::uint64_t value) override {
    return value > std::numeric_limits<std::int64_t>::max() || number_integer(static_cast<std::int64_t>(value));
  }
  bool string(std::string& value) override {
    if (depth_ != kObject) return true;
    if (key_ == (list_ == "images" ? "file_name" : "name")) text_ = value;
    return true;
  }
  bool start_object(std::size_t) override { return begin(); }
  bool end_object() override {
    if (depth_ == kObject && !finish()) return false;
    return end();
  }
  bool start_array(std::size_t) override { return begin(); }
  bool end_array() override { return end(); }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_float(double, const std::string&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception&) override {
    fault = "is not valid JSON at byte " + std::to_string(at);
    return false;
  }

 private:
  // Depth of the file's object, and of an object in one of its lists.
  static constexpr int kTop = 1, kObject = 3;

  bool begin() {
    if (++depth_ == kObject) {
      id_ = image_ = category_ = kNoId;
      text_.clear();
    }
    return true;
  }
  bool end() {
    --depth_;
    return true;
  }
  bool finish() {
    if (list_ == "images" && (id_ == kNoId || text_.empty())) fault = "has a picture without id or file_name";
    if (list_ == "categories" && (id_ == kNoId || text_.empty())) fault = "has a category without id or name";
    if (list_ == "annotations" && (image_ == kNoId || category_ == kNoId))
      fault = "has an annotation without image_id or category_id";
    if (!fault.empty()) return false;
    if (list_ == "images") images.push_back({id_, text_});
    if (list_ == "categories") categories.push_back({id_, text_});
    if (list_ == "annotations") instances.push_back({image_, category_});
    return true;
  }

  int depth_ = 0;
  std::string list_, key_, text_;
  std::int64_t id_ = kNoId, image_ = kNoId, category_ = kNoId;
};

using Index = std::unordered_map<std::int64_t, std::size_t>;

template <typename Entry>
std::optional<Index> index_of(const std::vector<Entry>& entries) {
  Index index;
  for (const Entry& each : entries)
    if (!index.emplace(each.id, index.size()).second) return std::nullopt;
  return index;
}

}  // namespace

Result<Dataset> read_instances(const std::string& path, Dataset set, const std::string& way_out) {
  const auto fault = [&](const std::string& what) {
    return Error{ErrorCode::kInvalid, path + " " + what + ": " + way_out};
  };
  const Result<MappedFile> file = MappedFile::open(path, kMaxInstancesFile);
  if (!file) return file.error();
  Instances read;
  const std::string_view bytes = file->bytes();
  if (!nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &read))
    return fault(read.fault.empty() ? "is not valid JSON" : read.fault);
  if (read.images.empty() || read.categories.empty())
    return fault("has no list of pictures (images) or of labels (categories)");
  std::sort(read.categories.begin(), read.categories.end(),
            [](const Category& a, const Category& b) { return a.id < b.id; });
  const std::optional<Index> rows = index_of(read.images), columns = index_of(read.categories);
  if (!rows || !columns) return fault("has two pictures or two categories with the same id");

  for (Category& each : read.categories) set.labels.push_back(std::move(each.name));
  for (Image& each : read.images) set.pictures.push_back(std::move(each.file));
  set.truth = {set.pictures.size(), set.labels.size(),
               std::vector<std::int8_t>(set.pictures.size() * set.labels.size())};
  for (const Instance& each : read.instances) {
    const auto row = rows->find(each.image), column = columns->find(each.category);
    if (row == rows->end() || column == columns->end())
      return fault("has an annotation of a picture or a category that it does not list");
    set.truth.values[row->second * set.truth.labels + column->second] = 1;
  }
  return set;
}

}  // namespace bcp::eval
