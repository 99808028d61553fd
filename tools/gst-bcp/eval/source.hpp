// SPDX-License-Identifier: LGPL-2.1-or-later
// What `gst-bcp eval` works on, wherever it comes from.

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
  std::vector<std::string> warnings = {};  // what a reader must know about it
  std::vector<std::string> aliases = {};   // per label, its word in the table; empty: the same
  // What the model brings to presence: its context words, strength and scale. None: there is no model.
  std::optional<eval::PresenceSettings> presence = std::nullopt;
};

// From arrays. Files that do not fit each other are an error that names them.
Result<EvalSource> open_arrays(const EvalOptions& options);

// From a data set's pictures: reads it, encodes its labels, and those of its pictures that are not in the cache yet.
// Progress goes to standard error, and so does the list of what the folder lacks, when that is why it fails.
Result<EvalSource> open_dataset(const EvalOptions& options);

}  // namespace bcp::cli
