// SPDX-License-Identifier: LGPL-2.1-or-later
// The readers of the data sets, one file each. Every reader requests its files from `layout`, returns layout.status()
// if some are missing, and returns all pictures of its split, whether or not their files exist.

#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "eval/datasets/dataset.hpp"
#include "eval/datasets/layout.hpp"

namespace bcp::eval {

Result<Dataset> read_voc2007(Layout& layout);
Result<Dataset> read_voc2012(Layout& layout);
// A class of VOC for prompts: two words if VOC's files join them ("diningtable").
std::string voc_label(std::string_view name);
Result<Dataset> read_coco2014(Layout& layout);
Result<Dataset> read_coco2017(Layout& layout);
// Without pictures that have none of its concepts, unless the user lists them (`are_listed`).
Result<Dataset> read_nuswide(Layout& layout, bool are_listed);
Result<Dataset> read_folder(Layout& layout);

}  // namespace bcp::eval
