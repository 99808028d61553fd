// SPDX-License-Identifier: LGPL-2.1-or-later
// The data sets, one file each. Every reader asks `layout` for the files it wants, gives up with layout.status() when
// some are not there, and returns all pictures of its split, there or not.

#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "eval/datasets/dataset.hpp"
#include "eval/datasets/layout.hpp"

namespace bcp::eval {

Result<Dataset> read_voc2007(Layout& layout);
Result<Dataset> read_voc2012(Layout& layout);
// A class of VOC as it is put into prompts: two words where VOC's files run them together ("diningtable").
std::string voc_label(std::string_view name);
Result<Dataset> read_coco2014(Layout& layout);
Result<Dataset> read_coco2017(Layout& layout);
// Without pictures that have none of its concepts, unless they `are_listed` by the user.
Result<Dataset> read_nuswide(Layout& layout, bool are_listed);
Result<Dataset> read_folder(Layout& layout);

}  // namespace bcp::eval
