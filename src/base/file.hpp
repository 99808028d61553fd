// SPDX-License-Identifier: LGPL-2.1-or-later
// Whole files: read with a limit, replaced in one step. Every error names the file and the system's reason.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace bcp {

// The file's bytes. A file longer than `limit` is an error, so that a wrong path (a video, a device) cannot fill the
// memory.
Result<std::string> read_file(const std::string& path, std::size_t limit);

// Passes the file to `take` piece by piece until the end, or until `take` returns false.
Status read_pieces(const std::string& path, const std::function<bool(std::string_view)>& take);

enum class Durability {
  kPowerLoss,  // the data is synced to the disk
  kNone,       // does not wait for the disk: for data that is soon written again
};

// Makes `path` hold exactly `bytes`. Writes a temporary file, syncs it and renames it: a reader sees either the old or
// the new file, complete, even after a failure or power loss. Follows symbolic links; keeps the permissions of an
// existing file.
Status replace_file(const std::string& path, std::string_view bytes, Durability durability = Durability::kPowerLoss);

// Like replace_file(), for bytes that arrive piece by piece: they go to a temporary file, and commit() renames it.
// Without commit() the destructor removes the temporary file, and `path` stays unchanged.
class Replacement {
 public:
  static Result<Replacement> begin(const std::string& path);
  Replacement(Replacement&& other) noexcept;
  Replacement& operator=(Replacement&& other) noexcept;
  ~Replacement();

  const std::string& path() const { return path_; }
  const Descriptor& descriptor() const { return file_; }
  // Call once.
  Status commit(Durability durability = Durability::kPowerLoss);

 private:
  Replacement(std::string path, std::string target, std::string temporary, Descriptor file);
  std::string path_, target_, temporary_;  // temporary_ is empty once that file is gone
  Descriptor file_;
};

// Syncs the folder of `path`: a new, renamed or removed file in it survives a power cut only then. Failures are
// ignored: some file systems cannot sync a folder.
void sync_folder_of(const std::string& path);

// Creates the folder with its parents, and syncs what holds them.
Status make_folders(const std::string& path);

// The absolute path of `path` with all symbolic links resolved, whether or not the file exists.
std::string target_of(const std::string& path);

// Whether replace_file() can write there: tried with an empty temporary file.
Status check_replaceable(const std::string& path);

}  // namespace bcp
