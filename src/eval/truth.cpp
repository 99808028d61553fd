// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/truth.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace bcp::eval {

Result<Truth> load_truth(const std::string& path, Difficult difficult) {
  Result<NpyReader> file = NpyReader::open(path);
  if (!file) return file.error();
  if (file->shape().size() != 2)
    return Error{ErrorCode::kInvalid, path + " has " + std::to_string(file->shape().size()) +
                                          (file->shape().size() == 1 ? " dimension" : " dimensions") +
                                          ": ground truth must be an array [samples, labels] of 1, 0 and -1"};
  Truth truth;
  truth.samples = file->rows();
  truth.labels = file->width();
  if (truth.samples == 0 || truth.labels == 0)
    return Error{ErrorCode::kInvalid,
                 path + " is empty: ground truth must be an array [samples, labels] with at least one of each"};
  truth.values.reserve(truth.samples * truth.labels);
  std::vector<double> row(truth.labels);
  for (std::size_t t = 0; t < truth.samples; ++t) {
    if (const Status read = file->row(t, row); !read) return read.error();
    for (std::size_t k = 0; k < truth.labels; ++k) {
      if (row[k] != 1 && row[k] != 0 && row[k] != -1) {
        char value[32];
        std::snprintf(value, sizeof value, "%g", row[k]);
        return Error{ErrorCode::kInvalid,
                     path + " has " + value + " in row " + std::to_string(t) + ", column " + std::to_string(k) +
                         " (counted from 0): ground truth must be 1 (present), 0 (absent) or -1 (ignored)"};
      }
      const bool absent = row[k] < 0 && difficult == Difficult::kAbsent;
      truth.values.push_back(absent ? std::int8_t{0} : static_cast<std::int8_t>(row[k]));
    }
  }
  if (std::find(truth.values.begin(), truth.values.end(), std::int8_t{1}) == truth.values.end())
    return Error{ErrorCode::kInvalid,
                 path + " contains no 1, so there is nothing to rank: check that this is the ground truth"};
  return truth;
}

}  // namespace bcp::eval
