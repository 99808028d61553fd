// SPDX-License-Identifier: LGPL-2.1-or-later
// What a file of cameras changes in a run when it is read again.

#pragma once

#include <string>
#include <vector>

#include "gst-bcp/run/config/config.hpp"

namespace bcp::cli::run {

struct ConfigChanges {
  struct Live {
    std::string source;
    std::vector<Setting> settings;  // of bcptagger, to set while frames pass
  };
  std::vector<std::string> ended;      // cameras that the new file does not have
  std::vector<std::string> added;      // cameras that the old file did not have
  std::vector<std::string> restarted;  // cameras with a change that needs a new pipeline
  std::vector<Live> live;              // cameras with other changes only
  std::vector<std::string> later;      // keys of the whole run that changed: they need a restart of the program
  bool other_model = false;            // all cameras share the model, so it needs a restart of the program
};

// Both configs have no faults. A property that the new file no longer sets needs a new pipeline: its default may depend
// on others. REQUIRES: find_plugin().
ConfigChanges changes_between(const Config& before, const Config& after);

}  // namespace bcp::cli::run
