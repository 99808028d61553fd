// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/dataset_options.hpp"

#include <CLI/CLI.hpp>

#include "eval/datasets/dataset.hpp"
#include "support/options.hpp"

namespace bcp::cli {

void add_dataset(CLI::App& command, DatasetOptions& options) {
  std::string all;
  for (const std::string_view name : eval::dataset_names()) all.append(all.empty() ? "" : "|").append(name);
  const auto is_one = [all](const std::string& name) -> std::string {
    for (const std::string_view known : eval::dataset_names())
      if (name == known) return {};
    return "\"" + name + "\" is none of " + all;
  };
  CLI::Option* const dataset =
      command.add_option("--dataset", options.dataset, "A data set of pictures, unpacked as it is published")
          ->check(CLI::Validator(is_one, ""))
          ->type_name(all);
  CLI::Option* const root =
      command.add_option("--root", options.root, "The folder it was unpacked to")->type_name("DIR");
  dataset->needs(root);
  add_model(command, options.model);
  command
      .add_option("--prompt-template", options.templates,
                  "Put the labels where {} is; several are averaged (default: the model's own, else \"a photo of a "
                  "{}\")")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("TEXT");
  add_coverage(command, options.coverage);
  add_execution(command, options.execution);
  command
      .add_option("--cache", options.cache,
                  "Where embeddings are kept, so that the command goes on where it was stopped (default: the user's "
                  "cache)")
      ->type_name("DIR");
  command.add_option("--limit", options.limit, "Only the first N pictures; 0 takes all (default: 0)")->type_name("N");
  command
      .add_option("--list", options.list,
                  "Only the pictures named in this file, one a line, as the data set names them")
      ->type_name("FILE");
  for (const char* const name : {"--root", "--model", "--prompt-template", "--coverage", "--provider", "--threads",
                                 "--cache", "--limit", "--list"})
    command.get_option(name)->needs(dataset);
}

}  // namespace bcp::cli
