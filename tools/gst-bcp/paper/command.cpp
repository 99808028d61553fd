// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp paper: the paper's tables, with one's own results beside them.

#include "gst-bcp/paper/command.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gst-bcp/paper/comparison.hpp"
#include "gst-bcp/paper/evaluations.hpp"
#include "gst-bcp/paper/show.hpp"
#include "gst-bcp/paper/tables.hpp"

namespace bcp::cli {
namespace {

using namespace paper;

struct Options {
  std::vector<std::string> results;
  std::string table = "main";
  Told told;
  bool markdown = false;
};

Status print(const Options& options) {
  std::vector<Evaluation> evaluations;
  for (const std::string& path : options.results) {
    Result<Evaluation> evaluation = Evaluation::load(path, options.told);
    if (!evaluation) return evaluation.error();
    evaluations.push_back(std::move(*evaluation));
  }
  if (const Status distinct = check_distinct(evaluations); !distinct) return distinct;

  const Form form = options.markdown ? Form::kMarkdown : Form::kText;
  const Table& table = *the_paper().find(options.table);
  show(std::cout, compare(table, evaluations), form);
  if (table.name == "main") {
    std::cout << '\n';
    show_not_live(std::cout, form);
  }
  std::cout << (options.markdown ? "\n" : "")
            << "mAP in per cent, ranked by logits. here: own figures, and their difference to the paper's";
  std::cout << (evaluations.empty() ? "; give the files that gst-bcp eval --json wrote to fill it.\n" : ".\n");
  for (const Evaluation& evaluation : evaluations)
    for (const std::string& remark : evaluation.remarks()) std::cout << "Mind: " << remark << '\n';
  return ok();
}

}  // namespace

Command paper_command(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand(
      "paper",
      "Print the tables of the paper that BCP comes from, with your own results beside them: evaluations of its data "
      "sets with its backbones.");
  std::vector<std::string> names;
  std::string choices;
  for (const Table& table : the_paper().tables) {
    names.push_back(table.name);
    choices += (choices.empty() ? "" : "|") + table.name;
  }
  const auto one_of = [](std::vector<std::string> words) { return CLI::IsMember(std::move(words)).description(""); };
  std::vector<std::string> datasets;
  for (const Dataset& dataset : the_paper().datasets) datasets.push_back(dataset.name);
  command.add_option("RESULT", options->results, "Evaluations: files that gst-bcp eval --json wrote")->type_name(" ");
  command.add_option("--table", options->table, "Which table (default: main)")
      ->check(one_of(names))
      ->type_name(choices);
  command
      .add_option("--backbone", options->told.backbone,
                  "The backbone of evaluations whose model's name does not tell it")
      ->check(one_of(the_paper().backbones))
      ->type_name("RN50|RN101|ViT-B/32|ViT-B/16");
  command.add_option("--dataset", options->told.dataset, "The data set of evaluations of arrays, which do not tell it")
      ->check(CLI::IsMember(std::move(datasets), CLI::ignore_case).description(""))
      ->type_name("NAME");
  command.add_flag("--markdown", options->markdown, "As Markdown");
  command.footer(
      "Examples:\n"
      "  gst-bcp paper --table anchors\n"
      "  gst-bcp eval --dataset voc2007 --root VOCdevkit --model clip-vit-b16 --json voc2007.json\n"
      "  gst-bcp paper voc2007.json");
  return {&command, [options] { return print(*options); }};
}

}  // namespace bcp::cli
