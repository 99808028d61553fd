// SPDX-License-Identifier: LGPL-2.1-or-later
// Paths in a file of cameras: relative to the folder of the file, with ${NAME} of the environment and {name} of the
// camera.

#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gst-bcp/run/config/section.hpp"

namespace bcp::cli::run {

class Paths {
 public:
  // `file` is the file of cameras.
  explicit Paths(const std::string& file) : folder_(std::filesystem::absolute(file).parent_path()) {}

  // The path of the key, absolute; "-" as it is. Unset: the key is missing, or its value is a fault. With an empty
  // `camera`, {name} stays.
  std::optional<std::string> read(const Section& section, const std::string& key, const std::string& camera = {}) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace bcp::cli::run
