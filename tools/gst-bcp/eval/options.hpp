// SPDX-License-Identifier: LGPL-2.1-or-later
// What `gst-bcp eval` is asked for.

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
  DatasetOptions dataset;  // or, where none is named,
  eval::StreamFiles files;
  std::string truth, names, order;  // files; names and order may be empty
  std::vector<eval::MethodKind> adapters = {eval::MethodKind::kBcp};
  bool all_adapters = false;  // all that the stream has enough for
  BcpOptions bcp;
  PresenceOptions presence;
  std::vector<eval::Protocol> protocols;
  bool all_protocols = false;  // all that the methods have a part in
  std::uint64_t seed = 0;
  std::size_t video_shots = eval::DwellSettings{}.shots;
  eval::Ranking score = eval::Ranking::kLogits;
  eval::Difficult difficult = eval::Difficult::kIgnore;
  std::string json, csv;  // files to write, "-" for standard output; empty: none
  std::string html;       // the page to write; empty: none
};

inline constexpr const char* kStandardOutput = "-";

// Adds them to the command. What does not go together is a fault of the command line, told when it is parsed.
void add_eval_options(CLI::App& command, EvalOptions& options);

const char* name_of(eval::Ranking ranking);
const char* name_of(eval::Difficult difficult);

}  // namespace bcp::cli
