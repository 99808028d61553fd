// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp model list: the models a name can mean.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <set>

#include "clip/bundle/bundle.hpp"
#include "clip/text_bank.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/model/commands.hpp"
#include "gst-bcp/model/files.hpp"

namespace bcp::cli {
namespace {

Result<std::string> describe_text(const clip::Bundle& bundle) {
  std::string text = bundle.textual ? "text tower" : "";
  if (bundle.text_bank.empty()) return text;
  const Result<clip::TextBank> bank = clip::TextBank::open(bundle.text_bank);
  if (!bank) return bank.error();
  return text + (text.empty() ? "" : ", ") + std::to_string(bank->all().labels.size()) + " labels";
}

// The row of a sound bundle, or why it is none. A bundle's name in lists and on the search path is its directory's.
Result<Row> row_of(const std::string& directory, const std::string& name) {
  const Result<clip::Bundle> bundle = clip::Bundle::open(directory);
  if (!bundle) return bundle.error();
  const Result<std::string> text = describe_text(*bundle);
  if (!text) return text.error();
  const std::string side = std::to_string(bundle->tensor.size);
  return Row{name,
             bundle->layout,
             bytes_for_people(size_of(files_of(*bundle))),
             side + " x " + side,
             *text,
             bundle->licence.empty() ? "unknown" : bundle->licence,
             directory};
}

Status list() {
  std::vector<Row> rows{{"name", "layout", "size", "image", "text", "licence", "where"}};
  std::vector<Row> remarks;
  std::set<std::string> names;
  for (const std::string& directory : clip::list_bundles()) {
    const std::string name = std::filesystem::path(directory).filename().string();
    Result<Row> row = row_of(directory, name);
    if (!row)
      remarks.push_back({"broken: " + directory, row.error().message});
    else
      rows.push_back(*std::move(row));
    if (!names.insert(name).second)
      remarks.push_back({"hidden: " + directory, "another " + name + " is found first: use this one by its directory"});
  }
  if (names.empty()) {
    std::string places;
    for (const std::string& place : clip::bundle_places()) places += (places.empty() ? "" : ", ") + place;
    return Error{ErrorCode::kNotFound, "there is no model in " + places +
                                           ": fetch one, or name the directory that has your models in "
                                           "GST_BCP_MODEL_PATH"};
  }
  if (rows.size() > 1) print_table(std::cout, rows);
  if (!remarks.empty()) {
    if (rows.size() > 1) std::cout << '\n';
    for (const Row& remark : remarks) std::cout << printable(remark[0]) << "\n  " << printable(remark[1]) << '\n';
  }
  return ok();
}

}  // namespace

Command model_list(CLI::App& group) {
  CLI::App& command = *group.add_subcommand(
      "list",
      "List the models that can be used by name, where they lie and what they are; broken ones with the reason. "
      "No model is loaded.");
  command.footer(
      "Models are looked for in GST_BCP_MODEL_PATH, in $XDG_DATA_HOME/gst-bcp/models (~/.local/share/gst-bcp/models), "
      "in\n"
      "each of $XDG_DATA_DIRS/gst-bcp/models, and where gst-bcp was installed.");
  return {&command, [] { return list(); }};
}

}  // namespace bcp::cli
