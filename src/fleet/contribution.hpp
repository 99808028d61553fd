// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What one node has learnt, as the value of its key. README.md describes the format.
//
// The value is a snapshot (prior/snapshot.md), with numbers rounded to 24 significant bits and compressed: 1/3 to 1/20
// of the size of a file. A value that is too long, damaged or of another program is an error, never a crash.
//
// Thread safety: values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "prior/snapshot.hpp"

namespace bcp::fleet {

inline constexpr std::size_t kMostValue = std::size_t{16} << 20;     // bytes of a value
inline constexpr std::size_t kMostUnpacked = std::size_t{64} << 20;  // bytes of the snapshot in it

// Which state of which process: a newer state of the same process has a larger number.
struct Stamp {
  std::string session;  // 32 hexadecimal digits: the time of Redis when the process came, then random ones
  std::uint64_t number = 0;
  bool operator==(const Stamp&) const = default;
};

struct Contribution {
  Stamp stamp;
  prior::Snapshot content;
  std::size_t unpacked = 0;  // bytes of the snapshot
};

// An error if it would be too long.
Result<std::string> pack(const Stamp& stamp, prior::SnapshotParts parts);
// An error continues a sentence that begins with the name of the value.
Result<Contribution> unpack(std::string_view value);

}  // namespace bcp::fleet
