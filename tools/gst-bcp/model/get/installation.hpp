// SPDX-License-Identifier: LGPL-2.1-or-later
// A model's place among those that a name finds: DIRECTORY/NAME, a directory of links into Hugging Face's cache, or of
// files. It is made beside its place, in DIRECTORY/.download/NAME, checked there, and moved to its place in one step.
//
// A directory of its own and not one link to the snapshot: the snapshot may hold other variants, which would be taken
// first, and `gst-bcp model calibrate` writes beside the model.

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

// The origin of the model in the directory; none: gst-bcp did not get it.
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

  // Whether a model is there whose files are all there.
  bool is_installed() const;

  // Leaves nothing but the files of these paths, finished or not, in staging().
  Status keep_staged(const std::vector<std::string>& paths) const;
  // Makes staging()/path a link to `target`; a copy of files that gst-bcp writes to, because others share `target`. The
  // repository's own source.json is left out.
  Status stage(const std::string& path, const std::string& target) const;
  // Whether a model of that origin may be put into place(): nothing is there, or what is there came from the same
  // source. With `again` any other model may be replaced; what is not a model never is.
  Status check_place(const Origin& origin, bool again) const;
  // Moves staging() to its place, where check_place() allows it; what was there is removed.
  Status finish(const Origin& origin, bool again) const;

 private:
  std::string directory_, name_;
};

// Whether the model can be opened and run, as `gst-bcp model check` finds out. A few words about it for people.
Result<std::string> try_model(const std::string& directory);

}  // namespace bcp::cli::get
