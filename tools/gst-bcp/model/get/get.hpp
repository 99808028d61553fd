// SPDX-License-Identifier: LGPL-2.1-or-later
// Gets a model: downloads it from a source and installs it under its name. One file for each kind of source.

#pragma once

#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "gst-bcp/model/get/choose.hpp"
#include "gst-bcp/model/get/download.hpp"
#include "gst-bcp/model/get/installation.hpp"
#include "gst-bcp/model/get/source.hpp"
#include "gst-bcp/model/get/watch.hpp"

namespace bcp::cli::get {

struct Options {
  std::string name;                      // to install it under; empty: the source's own
  std::string into;                      // the directory; empty: default_directory()
  std::vector<std::string> variants;     // one for a repository, any number for a checkpoint
  std::vector<std::string> files;        // Selection::files
  std::vector<std::string> sums;         // sha256: of a checkpoint, or of each address
  std::string licence;                   // of weights that are not the source's own
  std::string base_url;                  // a mirror of OpenAI's checkpoints; empty: OpenAI's
  bool keep = false, no_export = false;  // checkpoints
  bool again = false, dry_run = false;
  Transfer transfer;
};

struct Got {
  std::vector<std::string> lines;  // results, for standard output
  std::string model;               // the value for bcptagger's property model; empty: nothing was installed
};

// Call these on a separate thread: they block. Watch::stop() ends them with interrupted().
Result<Got> get_repository(const RepositorySource& source, const Options& options, Watch& watch);
Result<Got> get_checkpoint(const Checkpoint& checkpoint, const Options& options, Watch& watch);
Result<Got> get_addresses(const AddressSource& source, const Options& options, Watch& watch);

// $XDG_DATA_HOME/gst-bcp/models
std::string default_directory();

// The place of a model: by --name or `own`, in --into or the default directory.
Result<Installation> installation_of(const Options& options, const std::string& own);
// The value of bcptagger's property model for it.
std::string model_of(const Installation& installation, const Options& options);
// Takes the lock of the model, which is held until the descriptor is closed.
Result<Descriptor> take_lock(const Installation& installation, Watch& watch);
// Checks the staged model, and moves it to its place. `scale_way_out` ends the error about a SigLIP whose towers lack
// their trained scale.
Result<Got> install(const Installation& installation, const Origin& origin, const Options& options, Watch& watch,
                    const std::string& scale_way_out);

}  // namespace bcp::cli::get
