// SPDX-License-Identifier: LGPL-2.1-or-later
// Checksums that verify a file.

#pragma once

#include <string>

#include "base/result.hpp"

namespace bcp::cli::get {

struct Checksum {
  enum class Kind {
    kNone,     // nothing is known about the file
    kSha256,   // of its bytes: Git LFS's object id, or a pinned sum
    kGitBlob,  // SHA-1 of "blob SIZE\0" and its bytes: Git's object id, for the small files of a repository
  };
  Kind kind = Kind::kNone;
  std::string hex = {};

  const char* name() const { return kind == Kind::kSha256 ? "sha256" : "Git object id"; }
};

// The checksum of that kind that the file has. REQUIRES: kind is not kNone.
Result<std::string> checksum_of(const std::string& path, Checksum::Kind kind);

// Whether the text has that many hexadecimal digits, in small letters.
bool is_hex(const std::string& text, std::size_t digits);

}  // namespace bcp::cli::get
