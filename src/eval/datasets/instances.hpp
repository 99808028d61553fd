// SPDX-License-Identifier: LGPL-2.1-or-later
//
// COCO's instances: one JSON file with the lists `images`, `annotations` and `categories`.
//
// A label is in a picture that has an instance of it, whatever its size; crowds (iscrowd) are instances. Pictures
// without any instance stay: no label is in them.

#pragma once

#include <string>

#include "base/result.hpp"
#include "eval/datasets/dataset.hpp"

namespace bcp::eval {

// Fills labels, pictures and truth of `set`. Errors name the file and end in `way_out`.
Result<Dataset> read_instances(const std::string& path, Dataset set, const std::string& way_out);

}  // namespace bcp::eval
