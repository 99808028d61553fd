// SPDX-License-Identifier: LGPL-2.1-or-later
// A data set of pictures, as it is asked for on the command line.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "clip/bundle/bundle.hpp"
#include "image/preprocessor.hpp"
#include "onnx/execution.hpp"
#include "support/command.hpp"

namespace bcp::cli {

struct DatasetOptions {
  std::string dataset;  // empty: none is asked for
  std::string root, list, cache;
  std::string model = clip::kDemoBundle;
  std::vector<std::string> templates;  // empty: the model's own, else "a photo of a {}"
  image::Coverage coverage = image::Coverage::kCentre;
  onnx::SessionOptions execution;
  std::size_t limit = 0;  // 0: all
};

// --dataset, --root, --model, --prompt-template, --coverage, --provider, --threads, --cache, --limit, --list. Those
// after the first are refused without it.
void add_dataset(CLI::App& command, DatasetOptions& options);

}  // namespace bcp::cli
