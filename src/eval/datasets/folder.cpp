// SPDX-License-Identifier: LGPL-2.1-or-later
// Your own pictures: truth.csv has a column with their paths and one for each label: 1, 0 or -1.
#include <unordered_set>
#include <utility>

#include "clip/labels.hpp"
#include "eval/datasets/csv.hpp"
#include "eval/datasets/readers.hpp"

namespace bcp::eval {

Result<Dataset> read_folder(Layout& layout) {
  const std::string path = layout.root() + "/truth.csv";
  const auto fault = [&](std::size_t line, const std::string& what) {
    return Error{ErrorCode::kInvalid, path + ", line " + std::to_string(line) + ": " + what};
  };
  Result<CsvReader> csv = CsvReader::open(path);
  if (!csv && csv.error().code == ErrorCode::kNotFound)
    return Error{ErrorCode::kNotFound,
                 path +
                     " is missing: write it with the header picture,LABEL,... and a line for each picture: its "
                     "path from there and 1 (present), 0 (absent) or -1 (ignored) for each label"};
  if (!csv) return csv.error();

  Result<bool> more = csv->next();
  if (!more) return more.error();
  if (!*more || csv->fields()[0] != "picture" || csv->fields().size() < 2)
    return fault(1, "the header must be picture,LABEL,... with at least one label");
  Dataset set;
  set.name = "folder";
  set.folder = layout.root();
  std::unordered_set<std::string> seen;
  for (std::size_t i = 1; i < csv->fields().size(); ++i) {
    Result<std::string> label = clip::clean_label(csv->fields()[i]);
    if (!label) return fault(1, label.error().message);
    if (label->empty()) return fault(1, "column " + std::to_string(i + 1) + " has no label: give it a name");
    if (!seen.insert(*label).second) return fault(1, "the label \"" + *label + "\" occurs twice: remove one column");
    set.labels.push_back(*std::move(label));
  }
  set.truth.labels = set.labels.size();
  if (set.truth.labels > clip::kMaxLabels)
    return fault(1, std::to_string(set.truth.labels) + " labels are more than the " + std::to_string(clip::kMaxLabels) +
                        " that can be scored at once: use fewer");

  seen.clear();
  for (more = csv->next(); more && *more; more = csv->next()) {
    const std::vector<std::string>& fields = csv->fields();
    if (fields.size() != set.labels.size() + 1)
      return fault(csv->line(), std::to_string(fields.size()) + " fields, but the header has " +
                                    std::to_string(set.labels.size() + 1) + ": quote those that contain a comma");
    if (fields[0].empty()) return fault(csv->line(), "the picture has no name: give its path from the folder");
    if (!seen.insert(fields[0]).second)
      return fault(csv->line(), "the picture " + fields[0] + " occurs twice: keep one of its lines");
    set.pictures.push_back(fields[0]);
    for (std::size_t i = 1; i < fields.size(); ++i) {
      if (fields[i] != "1" && fields[i] != "0" && fields[i] != "-1")
        return fault(csv->line(), "\"" + fields[i] + "\" for " + set.labels[i - 1] +
                                      " must be 1 (present), 0 (absent) or -1 (ignored)");
      set.truth.values.push_back(static_cast<std::int8_t>(fields[i] == "1" ? 1 : fields[i] == "0" ? 0 : -1));
    }
  }
  if (!more) return more.error();
  set.truth.samples = set.pictures.size();
  return set;
}

}  // namespace bcp::eval
