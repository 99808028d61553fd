// SPDX-License-Identifier: LGPL-2.1-or-later
// One annotation in PASCAL VOC's XML, as labelling programs write it.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli {

struct VocAnnotation {
  std::string filename;              // as the file has it; may be empty
  std::vector<std::string> objects;  // names, as often as they occur; without parts of objects (head, hand)
};

Result<VocAnnotation> read_voc_xml(const std::string& path);

}  // namespace bcp::cli
