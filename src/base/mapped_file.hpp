// SPDX-License-Identifier: LGPL-2.1-or-later
// A file's bytes in memory without reading them: pages come from the disk when they are looked at.
//
// Whoever cuts the file while it is mapped ends the process (SIGBUS), as with any mapping: map what is looked at
// briefly.

#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bcp {

class MappedFile {
 public:
  // Regular files only, up to `limit` bytes.
  static Result<MappedFile> open(const std::string& path, std::size_t limit);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }

 private:
  MappedFile() = default;
  std::string_view bytes_;
};

}  // namespace bcp
