// SPDX-License-Identifier: LGPL-2.1-or-later
// Whole files: read with a limit, replaced in one step. Every error names the file and the system's reason.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace bcp {

// The file's bytes. One longer than `limit` is an error, so that a wrong path (a video, a device) cannot eat the
// memory.
Result<std::string> read_file(const std::string& path, std::size_t limit);

// Hands the file to `take` piece by piece until its end, or until `take` returns false.
Status read_pieces(const std::string& path, const std::function<bool(std::string_view)>& take);

enum class Durability {
  kPowerLoss,  // what is written is on the disk
  kNone,       // the disk is not waited for: for what is soon written again
};

// Makes `path` hold exactly `bytes`. Written beside it, synced, then renamed over it: whoever reads, and whatever fails
// or loses power, finds the old file or the new one, whole. A symbolic link is followed; permissions of a file that is
// there are kept.
Status replace_file(const std::string& path, std::string_view bytes, Durability durability = Durability::kPowerLoss);

// As replace_file(), for bytes that come bit by bit: they are written beside the file, and commit() puts them in its
// place. Without that they are gone with this object, and the file is as it was.
class Replacement {
 public:
  static Result<Replacement> begin(const std::string& path);
  Replacement(Replacement&& other) noexcept;
  Replacement& operator=(Replacement&& other) noexcept;
  ~Replacement();

  const std::string& path() const { return path_; }
  const Descriptor& descriptor() const { return file_; }
  // To be called once.
  Status commit(Durability durability = Durability::kPowerLoss);

 private:
  Replacement(std::string path, std::string target, std::string temporary, Descriptor file);
  std::string path_, target_, temporary_;  // temporary_ is empty when there is no such file any more
  Descriptor file_;
};

// The file that `path` stands for, through all symbolic links: one name for it, absolute, whether or not it is there.
std::string target_of(const std::string& path);

// Whether replace_file() could begin: tried, with an empty file that is gone again.
Status check_replaceable(const std::string& path);

}  // namespace bcp
