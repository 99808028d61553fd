// SPDX-License-Identifier: LGPL-2.1-or-later
//
// NUS-WIDE: Concepts81.txt lists the concepts, TestImagelist.txt the 107,859 pictures of the test split, and one file
// per concept has a line of 0 or 1 for each of them, in that order.
//
// Papers count 83,898 test pictures: those with at least one of the concepts. The same here, unless the user gives a
// list.
#include <algorithm>
#include <utility>

#include "eval/datasets/lines.hpp"
#include "eval/datasets/readers.hpp"

namespace bcp::eval {
namespace {

// Reads the column `label` of `truth`.
Status read_concept(const std::string& path, std::size_t label, Truth& truth) {
  const Result<std::vector<std::string>> lines = read_lines(path);
  if (!lines) return lines.error();
  if (lines->size() != truth.samples)
    return Error{ErrorCode::kInvalid, path + " has " + std::to_string(lines->size()) +
                                          " lines, but the list of pictures has " + std::to_string(truth.samples) +
                                          ": both must belong to the same split; unpack the archives again"};
  for (std::size_t i = 0; i < lines->size(); ++i) {
    const std::string& value = (*lines)[i];
    if (value != "0" && value != "1")
      return Error{ErrorCode::kInvalid, path + ", line " + std::to_string(i + 1) + ": \"" + value +
                                            "\" must be 0 or 1: unpack the archive again"};
    truth.values[i * truth.labels + label] = value == "1" ? 1 : 0;
  }
  return ok();
}

}  // namespace

Result<Dataset> read_nuswide(Layout& layout, bool are_listed) {
  constexpr const char *kTitle = "NUS-WIDE", *kConcepts = "ConceptsList.zip", *kLists = "ImageList.zip",
                       *kTruth = "Groundtruth.zip", *kPictures = "the authors";
  const std::string concepts = layout.file(layout.any_of({"ConceptsList/Concepts81.txt", "Concepts81.txt"}),
                                           "the names of the 81 concepts", kConcepts);
  const std::string list = layout.file("ImageList/TestImagelist.txt", "the list of test pictures", kLists);
  const std::string truth = layout.any_of({"Groundtruth/TrainTestLabels", "TrainTestLabels"});
  layout.folder(truth, "which pictures show each concept", kTruth);
  Dataset set;
  set.folder = layout.folder(layout.any_of({"Flickr", "images", "Images"}), "the pictures", kPictures);
  if (const Status whole = layout.status(kTitle); !whole) return whole.error();

  Result<std::vector<std::string>> labels = read_lines(concepts);
  if (!labels) return labels.error();
  if (labels->empty()) return Error{ErrorCode::kInvalid, concepts + " lists no concepts: unpack the archive again"};
  std::vector<std::string> wanted;
  for (const std::string& each : *labels) wanted.push_back(truth + "/Labels_" + each + "_Test.txt");
  const std::vector<std::string> files = layout.files(wanted, "which pictures show the concept", kTruth);
  if (const Status whole = layout.status(kTitle); !whole) return whole.error();
  Result<std::vector<std::string>> pictures = read_lines(list);
  if (!pictures) return pictures.error();

  set.name = "nuswide";
  set.labels = *std::move(labels);
  for (std::string& label : set.labels) std::replace(label.begin(), label.end(), '_', ' ');
  set.pictures = *std::move(pictures);
  for (std::string& name : set.pictures) std::replace(name.begin(), name.end(), '\\', '/');
  set.truth = {set.pictures.size(), set.labels.size(),
               std::vector<std::int8_t>(set.pictures.size() * set.labels.size())};
  for (std::size_t label = 0; label < files.size(); ++label)
    if (const Status read = read_concept(files[label], label, set.truth); !read) return read.error();
  if (are_listed) return set;

  std::vector<std::size_t> labelled;
  for (std::size_t i = 0; i < set.truth.samples; ++i) {
    const auto row = set.truth.values.begin() + static_cast<std::ptrdiff_t>(i * set.truth.labels);
    if (std::find(row, row + static_cast<std::ptrdiff_t>(set.truth.labels), 1) !=
        row + static_cast<std::ptrdiff_t>(set.truth.labels))
      labelled.push_back(i);
  }
  set.keep(labelled);
  return set;
}

}  // namespace bcp::eval
