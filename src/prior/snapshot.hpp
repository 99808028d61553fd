// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The learnt statistics of a stream as bytes: to continue after a restart, and to inspect.
//
// The format (snapshot.md) is versioned, little-endian on every machine and has a checksum. A snapshot is bound to the
// label names, not their order, and to the identity of the model whose probabilities were counted.
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
#include "prior/origin.hpp"
#include "prior/scene_bytes.hpp"

namespace bcp::prior {

inline constexpr std::uint32_t kSnapshotVersion = 4;  // the newest; writes the oldest version that can store everything
// Limits of a snapshot: sizes in a file are accepted up to here, and only as far as its bytes reach.
inline constexpr std::size_t kMaxSnapshotBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMaxSnapshotLabels = 100'000;
inline constexpr std::size_t kMaxSnapshotText = 4096;  // bytes of a label or of the model's identity

struct Snapshot {
  std::string model;                // clip::Bundle::identity; empty: unknown
  std::vector<std::string> labels;  // unique; label i is row i of `seen`
  adapt::Cooccurrence seen;
  bool settled = false;        // warm-up is over
  decide::Taught taught = {};  // people's corrections; for any labels
  std::vector<Origin> origins = {};
  std::vector<StoredScene> scenes = {};  // `seen` is their sum; empty: not distinguished
  adapt::SceneShare share = {};          // with scenes: how much the others count in each

  // The same statistics for another list: labels with the same name keep theirs, new ones start empty, others are
  // dropped.
  adapt::Cooccurrence for_labels(const std::vector<std::string>& names) const {
    return seen.relabelled(adapt::rows_of(names, labels));
  }
};

// A snapshot as flat arrays: quickly copied from a running stream, and encoded elsewhere.
struct SnapshotParts {
  std::string model = {};
  std::vector<std::string> labels = {};
  adapt::Cooccurrence::Parts seen = {};
  bool settled = false;
  decide::Taught taught = {};
  std::vector<Origin> origins = {};
  std::vector<StoredScene> scenes = {};
  adapt::SceneShare share = {};
};

// The same content gives the same bytes. REQUIRES: the checks of decode_snapshot() hold.
std::string encode_snapshot(SnapshotParts parts);
std::string encode_snapshot(const Snapshot& snapshot);

// Checks every number. An error message continues the name of the bytes: "FILE" + " is damaged: ...".
enum class SnapshotKind {
  kFile,
  kScene,  // inside another one: has no scenes
};
Result<Snapshot> decode_snapshot(std::string_view bytes, SnapshotKind kind = SnapshotKind::kFile);

// The file is replaced in one step (base/file.hpp) and read whole. Errors name the file and what to do: kNotFound if it
// is missing, kUnsupported for a newer version, kInvalid if it is damaged or another kind of file.
Status save_snapshot(const std::string& path, SnapshotParts parts);
Status save_snapshot(const std::string& path, const Snapshot& snapshot);
Result<Snapshot> load_snapshot(const std::string& path);

}  // namespace bcp::prior
