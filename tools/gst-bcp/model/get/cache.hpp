// SPDX-License-Identifier: LGPL-2.1-or-later
// A repository in huggingface_hub's cache, in its layout, so that Python and gst-bcp share their downloads:
//
//     models--OWNER--NAME/blobs/OBJECT                 the files, by their object id; OBJECT.incomplete during a
//     download models--OWNER--NAME/snapshots/COMMIT/PATH        relative links to them
//     models--OWNER--NAME/refs/REVISION                the commit of a branch or a tag
//     .locks/models--OWNER--NAME/OBJECT.lock           flock(), during a download

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
  // Records the commit of the revision.
  Status set_ref(const std::string& revision, const std::string& commit) const;

  // The files of the revision in the cache, with sizes but without checksums, because they are not downloaded again.
  // Unset: the cache has no such revision.
  std::optional<Repository> find(const RepositoryName& name) const;

 private:
  std::string folder_, locks_;
};

}  // namespace bcp::cli::get
