// SPDX-License-Identifier: LGPL-2.1-or-later
// Models optimised by ONNX Runtime, on disk: a later start does not optimise again, and maps the weights instead of
// copying them.
//
// One directory per model in $XDG_CACHE_HOME/gst-bcp/graphs, with the graph, its weights and their checksums, which are
// compared before ONNX Runtime reads the files. An entry is written to a temporary directory and renamed; a damaged one
// is removed and written again. All entries together stay below kMaxBytes: the least recently used are removed first. A
// cache that is missing, full or not writable costs time and is never an error.

#pragma once

#include <cstdint>
#include <string>

namespace bcp::clip {

class GraphCache {
 public:
  static constexpr std::uintmax_t kMaxBytes = std::uintmax_t{2} << 30;

  // `identity` names the model and everything its optimised form depends on, except ONNX Runtime and the processor;
  // empty: nothing is found or stored.
  explicit GraphCache(const std::string& identity);
  GraphCache(const GraphCache&) = delete;
  GraphCache& operator=(const GraphCache&) = delete;
  // Removes an entry that was not committed.
  ~GraphCache();

  // The path of the optimised model; empty if missing. A damaged entry is removed and counts as missing.
  std::string find() const;
  // The path for the optimised model of a file of `bytes`, with its weights in a file next to it; empty: do not store
  // it. Removes old entries to make room.
  std::string begin(std::uintmax_t bytes);
  // The entry is complete: moves it into place.
  void commit();
  // Removes a useless entry.
  void remove() const;

 private:
  std::string directory_, temporary_;
};

}  // namespace bcp::clip
