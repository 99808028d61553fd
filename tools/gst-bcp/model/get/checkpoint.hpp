// SPDX-License-Identifier: LGPL-2.1-or-later
// OpenAI's checkpoints: PyTorch weights that models/export_clip.py exports as a model. The table is
// models/checkpoints.txt, which the export reads too; it is compiled into the program.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli::get {

struct Checkpoint {
  std::string name;  // clip-vit-b32
  std::string file;  // ViT-B-32.pt
  std::uint64_t megabytes = 0;
  std::string sha256;
};

const std::vector<Checkpoint>& checkpoints();

// By any of the names people use (canonical() of known.hpp).
Result<Checkpoint> find_checkpoint(const std::string& name);

}  // namespace bcp::cli::get
