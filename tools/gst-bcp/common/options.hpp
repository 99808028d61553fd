// SPDX-License-Identifier: LGPL-2.1-or-later
// Options that several commands share, defined once.

#pragma once

#include <string>

#include "clip/bundle/bundle.hpp"
#include "gst-bcp/common/command.hpp"
#include "image/preprocessor.hpp"
#include "onnx/execution.hpp"

namespace bcp::cli {

// --model. `names` may add a positional spelling: "MODEL,--model".
void add_model(CLI::App& command, std::string& model, const std::string& names = "--model");
// --provider, --precision and --threads.
void add_execution(CLI::App& command, onnx::SessionOptions& options);
// --coverage.
void add_coverage(CLI::App& command, image::Coverage& coverage);
// The last positional, OUT.npy. It must end in .npy: otherwise a picture given by mistake would be overwritten.
void add_output(CLI::App& command, std::string& path);
// An option that names an array to write, with the same requirement.
CLI::Option* add_output(CLI::App& command, const std::string& name, std::string& path, const std::string& help);

struct Bounds {
  double least, most;
  std::string way_out = {};  // the end of the sentence that refuses a number
};
// A number that is neither less nor more. CLI::Range lets NaN pass.
void require_between(CLI::Option& option, const Bounds& bounds);

// The bundle behind --model, opened and checked, in this precision (clip/bundle/open_variant.hpp).
Result<clip::Bundle> open_bundle(const std::string& model, onnx::Precision precision = onnx::Precision::kAuto);

}  // namespace bcp::cli
