// SPDX-License-Identifier: LGPL-2.1-or-later
// The options of a data set of pictures.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clip/bundle/bundle.hpp"
#include "gst-bcp/common/command.hpp"
#include "image/preprocessor.hpp"
#include "onnx/execution.hpp"

namespace bcp::cli {

struct DatasetOptions {
  std::string dataset;  // empty: not given
  std::string root, list, cache;
  std::string model = clip::kBundledModel;
  std::vector<std::string> templates;  // empty: the model's own, else "a photo of a {}"
  image::Coverage coverage = image::Coverage::kCentre;
  onnx::SessionOptions execution;
  std::size_t limit = 0;  // 0: all
};

// --dataset, --root, --model, --prompt-template, --coverage, --provider, --threads, --cache, --limit, --list.
void add_dataset(CLI::App& command, DatasetOptions& options);

// Call this after parsing: throws a CLI11 error if an option needs --dataset and it is missing, or if one of
// `of_arrays` was given together with --dataset.
void check_dataset(const CLI::App& command, const DatasetOptions& options, std::span<const std::string_view> of_arrays);

}  // namespace bcp::cli
