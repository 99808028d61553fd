// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of `gst-bcp eval`.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eval/dwell.hpp"
#include "eval/figures.hpp"
#include "eval/method_kind.hpp"
#include "eval/protocols.hpp"
#include "eval/stream.hpp"
#include "eval/truth.hpp"
#include "gst-bcp/common/bcp_options.hpp"
#include "gst-bcp/common/command.hpp"
#include "gst-bcp/common/presence_options.hpp"
#include "gst-bcp/eval/dataset_options.hpp"

namespace bcp::cli {

struct EvalOptions {
  DatasetOptions dataset;  // or, without a data set,
  eval::StreamFiles files;
  std::string truth, names, order;  // files; names and order may be empty
  std::vector<eval::MethodKind> adapters = {eval::MethodKind::kBcp};
  bool all_adapters = false;  // all whose inputs are available
  BcpOptions bcp;
  PresenceOptions presence;
  std::vector<eval::Protocol> protocols;
  bool all_protocols = false;  // all that the methods support
  std::uint64_t seed = 0;
  std::size_t video_shots = eval::DwellSettings{}.shots;
  eval::Ranking score = eval::Ranking::kLogits;
  eval::Difficult difficult = eval::Difficult::kIgnore;
  std::string json, csv;  // files to write, "-" for standard output; empty: none
  std::string html;       // the page to write; empty: none
};

inline constexpr const char* kStandardOutput = "-";

// Adds them to the command. Options that exclude each other are an error when the command line is parsed.
void add_eval_options(CLI::App& command, EvalOptions& options);

const char* name_of(eval::Ranking ranking);
const char* name_of(eval::Difficult difficult);

}  // namespace bcp::cli
