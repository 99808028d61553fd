// SPDX-License-Identifier: LGPL-2.1-or-later
// An installed model: DIRECTORY/NAME, a directory of links into Hugging Face's cache, or of files. It is made in
// DIRECTORY/.download/NAME, checked there, and moved to its place atomically.
//
// It is a directory, not one link to the snapshot: the snapshot may contain other variants, which would be used first,
// and `gst-bcp model calibrate` writes into the model's directory.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli::get {

// Where a model came from: the file source.json in its directory.
struct Origin {
  std::string source;         // hf:OWNER/NAME@REVISION, or the first address
  std::string revision = {};  // the commit
  std::string variant = {};
  std::string licence = {};
};

// The origin of the model in the directory; unset: gst-bcp did not install it.
std::optional<Origin> read_origin(const std::string& directory);

class Installation {
 public:
  Installation(std::string directory, std::string name) : directory_(std::move(directory)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  std::string place() const { return directory_ + "/" + name_; }
  std::string staging() const { return directory_ + "/.download/" + name_; }
  // Of file number `file`, or of the model as a whole.
  std::string lock() const { return directory_ + "/.download/.locks/" + name_ + ".lock"; }
  std::string lock(std::size_t file) const;

  // Whether a model is installed with all its files.
  bool is_installed() const;

  // Removes all files in staging() except these paths, complete or partial.
  Status keep_staged(const std::vector<std::string>& paths) const;
  // Makes staging()/path a link to `target`, or a copy for files that gst-bcp writes, because others share `target`.
  // The repository's own source.json is ignored.
  Status stage(const std::string& path, const std::string& target) const;
  // Whether a model of that origin may be put into place(): it is free, or has a model of the same source. With `again`
  // any model may be replaced; a directory that is not a model never is.
  Status check_place(const Origin& origin, bool again) const;
  // Moves staging() to its place, if check_place() allows it; the old model is removed.
  Status finish(const Origin& origin, bool again) const;

 private:
  std::string directory_, name_;
};

// Opens and runs the model, as `gst-bcp model check` does. Returns a short description for people.
Result<std::string> try_model(const std::string& directory);

}  // namespace bcp::cli::get
