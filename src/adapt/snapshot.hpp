// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What a stream has learnt, as bytes: to go on after a restart, and to look at.
//
// The format (docs in snapshot.md beside this file) is versioned, little-endian and checksummed. A snapshot is bound to
// the label names, not their order, and to the identity of the model whose probabilities were counted.
//
// Thread safety: values; no shared state.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapt/cooccurrence.hpp"
#include "base/result.hpp"

namespace bcp::adapt {

struct Snapshot {
  std::string model;                // clip::Bundle::identity; empty: unknown
  std::vector<std::string> labels;  // unique; label i is row i of `seen`
  Cooccurrence seen;

  // The same knowledge for another list: labels known by name keep theirs, new ones start empty, others are dropped.
  Cooccurrence for_labels(const std::vector<std::string>& names) const;
};

std::string encode_snapshot(const Snapshot& snapshot);

// An error says what is wrong with the bytes and never trusts a number in them; the caller adds the file's name.
Result<Snapshot> decode_snapshot(std::string_view bytes);

// Replaced in one step (base/file.hpp), and read whole. Errors name the file and the way out.
Status save_snapshot(const std::string& path, const Snapshot& snapshot);
Result<Snapshot> load_snapshot(const std::string& path);

}  // namespace bcp::adapt
