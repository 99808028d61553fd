// SPDX-License-Identifier: LGPL-2.1-or-later
// A repository in huggingface_hub's cache, in its layout, so that Python and gst-bcp share what either downloaded:
//
//     models--OWNER--NAME/blobs/OBJECT                 the files, by their object id; OBJECT.incomplete while they come
//     models--OWNER--NAME/snapshots/COMMIT/PATH        relative links to them
//     models--OWNER--NAME/refs/REVISION                the commit of a branch or a tag
//     .locks/models--OWNER--NAME/OBJECT.lock           flock(), while a file comes

#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "gst-bcp/model/get/hub.hpp"

namespace bcp::cli::get {

class RepositoryCache {
 public:
  // `root` is HubSettings::cache.
  RepositoryCache(const std::string& root, const std::string& id);

  std::string blob(const RepositoryFile& file) const { return folder_ + "/blobs/" + file.checksum.hex; }
  std::string partial(const RepositoryFile& file) const { return blob(file) + ".incomplete"; }
  std::string lock(const RepositoryFile& file) const { return locks_ + "/" + file.checksum.hex + ".lock"; }
  std::string snapshot(const std::string& commit) const { return folder_ + "/snapshots/" + commit; }

  // Makes the snapshot's link to the blob.
  Status link(const std::string& commit, const RepositoryFile& file) const;
  // Notes which commit the revision is.
  Status set_ref(const std::string& revision, const std::string& commit) const;

  // What the cache has of the revision: its files have sizes and no checksums, for they are not downloaded again. None:
  // it has nothing.
  std::optional<Repository> find(const RepositoryName& name) const;

 private:
  std::string folder_, locks_;
};

}  // namespace bcp::cli::get
