// SPDX-License-Identifier: LGPL-2.1-or-later
// A memory-mapped file: pages are loaded on first access.
//
// Truncating a mapped file ends this process with SIGBUS, as with any mapping: keep mappings short.

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
