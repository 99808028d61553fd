// SPDX-License-Identifier: LGPL-2.1-or-later
// A model as ONNX Runtime has optimised it, on disk: a later start does not optimise it again, and maps its weights
// instead of copying them.
//
// One directory a model in $XDG_CACHE_HOME/gst-bcp/graphs, with the graph, its weights and their checksums, which are
// compared before a runtime sees the files. An entry is written beside its place and renamed; a damaged one is removed
// and written again. All entries together stay below kMaxBytes: those that were not used for longest go first. A cache
// that is missing, full or not writable costs time, never an error.

#pragma once

#include <cstdint>
#include <string>

namespace bcp::clip {

class GraphCache {
 public:
  static constexpr std::uintmax_t kMaxBytes = std::uintmax_t{2} << 30;

  // `identity` names the model and all that its optimised form depends on besides ONNX Runtime and the processor;
  // empty: nothing is found, and nothing is kept.
  explicit GraphCache(const std::string& identity);
  GraphCache(const GraphCache&) = delete;
  GraphCache& operator=(const GraphCache&) = delete;
  // What was begun and not committed is removed.
  ~GraphCache();

  // The path of the optimised model; empty if missing, or if it was damaged and was removed.
  std::string find() const;
  // The path to write the optimised model of a file of `bytes` to, weights in a file beside it; empty: it is not to be
  // kept. Makes room.
  std::string begin(std::uintmax_t bytes);
  // What was written is whole: it is put in place.
  void commit();
  // The entry is of no use after all.
  void remove() const;

 private:
  std::string directory_, temporary_;
};

}  // namespace bcp::clip
