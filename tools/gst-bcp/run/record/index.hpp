// SPDX-License-Identifier: LGPL-2.1-or-later
// The finished files of a camera, in the order in which they were recorded: index.jsonl in its folder.
//
// A line is added when a file is complete, and a line {"removed": FILE} when it is removed; both are synced to the
// disk. A line cut off by a power cut, and files that are missing, are ignored when the index is read. So the index is
// right whenever it is read, also by a process or a thread other than the one that writes it. One thread at a time.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli::run {

inline constexpr const char* kIndexName = "index.jsonl";

struct IndexEntry {
  std::string file;         // its name in the folder
  double start = 0;         // seconds since 1970
  double seconds = 0;       // its length
  std::uint64_t bytes = 0;  // of the video
  std::string video;        // "H.264"
  std::string sound;        // "AAC"; empty: none
  std::string ended;        // "whole", "cut": by a fault of the disk, or "recovered": by a later run
  std::string event;        // the condition that started it; empty: recorded all the time
};

class RecordIndex {
 public:
  // Reads the index of the folder; a missing one is empty. An error: it cannot be read. Changes nothing on the disk.
  static Result<RecordIndex> load(const std::string& folder);

  const std::vector<IndexEntry>& entries() const { return entries_; }
  bool has(const std::string& file) const;

  // In memory at once, and in the file. After a failure, lines wait in memory, in front of the next.
  Status add(IndexEntry entry);
  // Takes it out of the list. The file is removed by the caller, before.
  Status remove(const std::string& file);
  // Writes waiting lines, and the index without lines that say nothing any more.
  Status flush();

 private:
  Status append(const std::string& line);
  Status rewrite();

  std::string path_;
  std::vector<IndexEntry> entries_;
  std::string waiting_;      // lines that could not be written
  std::size_t removed_ = 0;  // lines of removed files in the index
  bool is_tidy_ = true;      // false: it must be written again before a line can be added
};

}  // namespace bcp::cli::run
