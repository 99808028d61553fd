// SPDX-License-Identifier: LGPL-2.1-or-later
// An answer of Redis, as a value.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bcp::fleet {

struct Reply {
  enum class Kind { kNil, kText, kNumber, kList, kError };
  Kind kind = Kind::kNil;
  std::string text;              // kText, kError: bytes, of any kind
  std::int64_t number = 0;       // kNumber
  std::vector<Reply> list = {};  // kList

  bool is_error() const { return kind == Kind::kError; }
  // An error that begins with this word: "MOVED".
  bool is_error(const char* word) const { return is_error() && text.starts_with(word); }
};

}  // namespace bcp::fleet
