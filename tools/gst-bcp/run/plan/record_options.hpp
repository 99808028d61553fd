// SPDX-License-Identifier: LGPL-2.1-or-later
// What is recorded of a camera, and for how long it is kept.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/plan/inputs.hpp"

namespace bcp::cli::run {

struct RecordOptions {
  std::string folder;                       // empty: nothing is recorded
  std::string when;                         // a condition on labels (src/condition); empty: all the time
  std::string container;                    // "mp4" or "mkv"; empty: the default
  std::optional<double> segment;            // seconds of a file
  std::optional<double> before;             // seconds recorded before the condition becomes true
  std::optional<double> after;              // seconds recorded after it was true
  std::optional<double> keep_for;           // seconds; older files are removed
  std::optional<std::uint64_t> keep_bytes;  // of a camera's files; the oldest are removed

  bool operator==(const RecordOptions&) const = default;
};

// Whether the options fit each other and the inputs. An error names the option; one in the condition points at the
// character.
Status check_recording(const RecordOptions& options, const std::vector<Input>& inputs);

// The folder of an input's recordings: in `options.folder`, named as its source.
std::string record_folder(const RecordOptions& options, const std::string& source);

// "90", "10m", "12h", "30d" as seconds. An error names the text.
Result<double> parse_time_span(const std::string& text);
// "500M", "10G", "1000000" as bytes; K, M, G and T are powers of 1000.
Result<std::uint64_t> parse_size(const std::string& text);

}  // namespace bcp::cli::run
