// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/checkpoint.hpp"

#include <algorithm>
#include <sstream>

#include "gst-bcp/model/get/known.hpp"

extern const char bcp_asset_checkpoints[], bcp_asset_checkpoints_end[];

namespace bcp::cli::get {

const std::vector<Checkpoint>& checkpoints() {
  static const std::vector<Checkpoint> all = [] {
    std::vector<Checkpoint> rows;
    std::istringstream table(std::string(bcp_asset_checkpoints, bcp_asset_checkpoints_end));
    for (std::string line; std::getline(table, line);) {
      Checkpoint row;
      std::istringstream words(line);
      if (!line.starts_with('#') && words >> row.name >> row.file >> row.megabytes >> row.sha256) rows.push_back(row);
    }
    return rows;
  }();
  return all;
}

Result<Checkpoint> find_checkpoint(const std::string& name) {
  const auto same = [&](const Checkpoint& row) { return canonical(row.name) == canonical(name); };
  const auto found = std::find_if(checkpoints().begin(), checkpoints().end(), same);
  if (found != checkpoints().end()) return *found;
  std::string names;
  for (const Checkpoint& row : checkpoints()) names += (names.empty() ? "" : ", ") + row.name;
  return Error{ErrorCode::kNotFound, "OpenAI has no checkpoint " + name + ": choose one of " + names +
                                         "; models/export_clip.py --open-clip exports others"};
}

}  // namespace bcp::cli::get
