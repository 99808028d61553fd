// SPDX-License-Identifier: LGPL-2.1-or-later
//
// COCO's instances: one JSON file with the lists `images`, `annotations` and `categories`.
//
// A label is present in a picture with an instance of any size; crowds (iscrowd) are instances. Pictures without
// instances are kept, without labels.

#pragma once

#include <string>

#include "base/result.hpp"
#include "eval/datasets/dataset.hpp"

namespace bcp::eval {

// Fills labels, pictures and truth of `set`. Errors name the file and end in `way_out`.
Result<Dataset> read_instances(const std::string& path, Dataset set, const std::string& way_out);

}  // namespace bcp::eval
