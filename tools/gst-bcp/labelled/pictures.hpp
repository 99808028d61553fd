// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures that people have labelled, in the usual formats (README.md in this folder). The pictures themselves are not
// opened here.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli {

struct LabelledPicture {
  std::string path;
  std::vector<std::string> labels;  // each once
};

struct LabelledPictures {
  std::vector<LabelledPicture> pictures;  // at least one
  // All labels of the annotations: their own list, else all that occur. If a picture lacks one of these labels, the
  // label is absent; about other labels nothing is known.
  std::vector<std::string> labels;
};

// `input` is a file or a folder. `folder` contains the pictures; empty: searched near `input`. No picture or no label
// is an error. Errors name the file, the line if any, and what to do.
Result<LabelledPictures> read_labelled(const std::string& input, const std::string& folder);

// Whether the file has the extension of a picture.
bool is_picture_name(const std::string& path);

// The files with these extensions (".xml") in the folder and its subfolders, sorted; links to folders are not followed.
Result<std::vector<std::string>> files_below(const std::string& folder, const std::vector<std::string>& endings);
// The pictures in the folder and its subfolders.
Result<std::vector<std::string>> pictures_below(const std::string& folder);
// The files among `given` as they are, and the pictures in the folders among them and below. A path that does not exist
// is an error.
Result<std::vector<std::string>> find_pictures(const std::vector<std::string>& given);

}  // namespace bcp::cli
