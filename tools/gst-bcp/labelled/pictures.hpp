// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures that people have labelled, in the forms they are usually in (README.md beside this file). The pictures
// themselves are not opened here.

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
  // Every label the annotations are about: the list they bring, else all that occur. A label of it that a picture does
  // not have is absent there; of other labels nothing is known.
  std::vector<std::string> labels;
};

// `input` is a file or a folder. `folder` holds the pictures; empty: looked for near `input`. Without any picture or
// any label it is an error. Errors name the file, the line where there is one, and the way out.
Result<LabelledPictures> read_labelled(const std::string& input, const std::string& folder);

// Whether the name of this file ends as those of pictures do.
bool is_picture_name(const std::string& path);

// The files with these endings (".xml") in the folder and below, sorted; links to folders are not followed.
Result<std::vector<std::string>> files_below(const std::string& folder, const std::vector<std::string>& endings);
// The pictures in the folder and below.
Result<std::vector<std::string>> pictures_below(const std::string& folder);
// The files among `given` as they are, and the pictures in the folders among them and below. A path that does not exist
// is an error.
Result<std::vector<std::string>> find_pictures(const std::vector<std::string>& given);

}  // namespace bcp::cli
