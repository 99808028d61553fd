// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a stream has learnt, as bytes: to go on after a restart, and to look at.
//
// The format (snapshot.md beside this file) is versioned, little-endian on every machine and checksummed. A snapshot is
// bound to the label names, not their order, and to the identity of the model whose probabilities were counted.
//
// Thread safety: values; no shared state.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapt/cooccurrence.hpp"
#include "base/result.hpp"
#include "decide/taught.hpp"

namespace bcp::prior {

inline constexpr std::uint32_t kSnapshotVersion = 3;  // the newest; the oldest that says it all is written
// What no snapshot goes beyond: the sizes in a file are believed up to here, and only as far as its bytes reach.
inline constexpr std::size_t kMaxSnapshotBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMaxSnapshotLabels = 100'000;
inline constexpr std::size_t kMaxSnapshotText = 4096;  // bytes of a label or of the model's identity

struct Snapshot {
  std::string model;                // clip::Bundle::identity; empty: unknown
  std::vector<std::string> labels;  // unique; label i is row i of `seen`
  adapt::Cooccurrence seen;
  bool settled = false;        // warm-up is over
  decide::Taught taught = {};  // by people; of any labels

  // The same knowledge for another list: labels known by name keep theirs, new ones start empty, others are dropped.
  adapt::Cooccurrence for_labels(const std::vector<std::string>& names) const {
    return seen.relabelled(adapt::rows_of(names, labels));
  }
};

// A snapshot laid flat: what is copied from a running stream in little time, and encoded elsewhere.
struct SnapshotParts {
  std::string model = {};
  std::vector<std::string> labels = {};
  adapt::Cooccurrence::Parts seen = {};
  bool settled = false;
  decide::Taught taught = {};
};

// The same knowledge gives the same bytes. REQUIRES: what decode_snapshot() asks for.
std::string encode_snapshot(SnapshotParts parts);
std::string encode_snapshot(const Snapshot& snapshot);

// Never trusts a number in the bytes. The message of an error goes on from the name of the bytes: "FILE" + " is
// damaged: ...".
Result<Snapshot> decode_snapshot(std::string_view bytes);

// Replaced in one step (base/file.hpp), and read whole. Errors name the file and the way out: kNotFound where there is
// none, kUnsupported for one of a newer version, kInvalid for one that is damaged or something else.
Status save_snapshot(const std::string& path, SnapshotParts parts);
Status save_snapshot(const std::string& path, const Snapshot& snapshot);
Result<Snapshot> load_snapshot(const std::string& path);

}  // namespace bcp::prior
