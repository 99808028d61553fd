// SPDX-License-Identifier: LGPL-2.1-or-later
// Files for bcptagger, which takes labels with hints and context words from files only: in a private temporary folder,
// removed with this object. Main thread.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/labels.hpp"

namespace bcp::cli::view {

class WordFiles {
 public:
  WordFiles() = default;
  ~WordFiles();
  WordFiles(const WordFiles&) = delete;
  WordFiles& operator=(const WordFiles&) = delete;

  // A new file each; the path.
  Result<std::string> write_labels(const std::vector<clip::Label>& labels);
  Result<std::string> write_words(const std::vector<std::string>& words);

 private:
  Result<std::string> write(const std::string& name, const std::string& text);

  std::string folder_;
  std::vector<std::string> files_;  // the oldest first
};

}  // namespace bcp::cli::view
