// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/eval/dataset_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "eval/datasets/dataset.hpp"
#include "gst-bcp/common/options.hpp"

namespace bcp::cli {
namespace {

constexpr std::array<const char*, 10> kOptions = {"--dataset",  "--root",     "--model",   "--prompt-template",
                                                  "--coverage", "--provider", "--threads", "--cache",
                                                  "--limit",    "--list"};

}  // namespace

void add_dataset(CLI::App& command, DatasetOptions& options) {
  std::string all;
  for (const std::string_view name : eval::dataset_names()) all.append(all.empty() ? "" : "|").append(name);
  const auto is_one = [all](const std::string& name) -> std::string {
    const auto names = eval::dataset_names();
    if (std::find(names.begin(), names.end(), name) != names.end()) return {};
    return "\"" + name + "\" is not one of " + all;
  };
  command.add_option("--dataset", options.dataset, "A data set of pictures, unpacked as published")
      ->check(CLI::Validator(is_one, ""))
      ->type_name(all);
  command.add_option("--root", options.root, "The folder of the unpacked data set")->type_name("DIR");
  add_model(command, options.model);
  command
      .add_option(
          "--prompt-template", options.templates,
          "Insert the labels at {}; several templates are averaged (default: the model's own, else \"a photo of a "
          "{}\")")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("TEXT");
  add_coverage(command, options.coverage);
  add_execution(command, options.execution);
  command
      .add_option("--cache", options.cache,
                  "The folder for cached embeddings, from which an interrupted command resumes (default: the user's "
                  "cache)")
      ->type_name("DIR");
  command.add_option("--limit", options.limit, "Use only the first N pictures; 0: all (default: 0)")
      ->check(CLI::Range(0, 1'000'000'000).description(""))
      ->type_name("N");
  command
      .add_option("--list", options.list,
                  "Use only the pictures listed in this file, one per line, with their names in the data set")
      ->type_name("FILE");
  for (const char* const name : kOptions) command.get_option(name)->group("Data sets of pictures");
}

void check_dataset(const CLI::App& command, const DatasetOptions& options,
                   std::span<const std::string_view> of_arrays) {
  if (options.dataset.empty()) {
    for (const char* const name : kOptions)
      if (command.get_option(name)->count() > 0)
        throw CLI::ValidationError(name, "it is for data sets of pictures: give one with --dataset");
    return;
  }
  if (options.root.empty()) throw CLI::RequiredError("--root DIR, the folder of the data set,");
  for (const std::string_view name : of_arrays)
    if (command.get_option(std::string(name))->count() > 0)
      throw CLI::ValidationError(std::string(name),
                                 "it is for arrays and does not work with --dataset: leave out one of them");
}

}  // namespace bcp::cli
