// SPDX-License-Identifier: LGPL-2.1-or-later
// COCO: a folder of pictures, and their instances in one JSON file (instances.hpp).
#include <utility>

#include "eval/datasets/instances.hpp"
#include "eval/datasets/readers.hpp"

namespace bcp::eval {
namespace {

Result<Dataset> read_coco(Layout& layout, const std::string& year) {
  const std::string split = "val" + year;
  const std::string path = layout.file("annotations/instances_" + split + ".json", "the instances in the pictures",
                                       "annotations_trainval" + year + ".zip");
  Dataset set;
  set.name = "coco" + year;
  set.folder = layout.folder(layout.any_of({split, "images/" + split}), "the pictures", split + ".zip");
  if (const Status whole = layout.status("COCO " + split); !whole) return whole.error();
  return read_instances(path, std::move(set), "unpack the archive again");
}

}  // namespace

Result<Dataset> read_coco2014(Layout& layout) {
  return read_coco(layout, "2014");
}

Result<Dataset> read_coco2017(Layout& layout) {
  return read_coco(layout, "2017");
}

}  // namespace bcp::eval
