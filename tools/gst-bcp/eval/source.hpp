// SPDX-License-Identifier: LGPL-2.1-or-later
// The input of `gst-bcp eval`, from arrays or from pictures.

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "eval/presence.hpp"
#include "eval/stream.hpp"
#include "gst-bcp/eval/options.hpp"

namespace bcp::cli {

struct EvalSource {
  eval::Stream stream;
  eval::Truth truth;
  std::vector<std::string> names;          // one for each label
  nlohmann::ordered_json settings;         // where it comes from: dataset, model, files
  std::vector<std::string> warnings = {};  // shown to the user
  std::vector<std::string> aliases = {};   // per label, its word in the table; empty: the same
  // The model's presence settings: its context words, strength and scale. Unset: there is no model.
  std::optional<eval::PresenceSettings> presence = std::nullopt;
};

// From arrays. Files with different sizes are an error that names them.
Result<EvalSource> open_arrays(const EvalOptions& options);

// From a data set's pictures: reads it, encodes its labels, and those of its pictures that are not cached yet.
// Progress goes to standard error, as does the list of files that are missing in the folder.
Result<EvalSource> open_dataset(const EvalOptions& options);

}  // namespace bcp::cli
