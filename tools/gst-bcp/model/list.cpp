// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp model list: the models that can be used by name.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "clip/bundle/bundle.hpp"
#include "clip/text_bank.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/model/commands.hpp"
#include "gst-bcp/model/files.hpp"
#include "gst-bcp/model/get/installation.hpp"
#include "gst-bcp/model/get/known.hpp"

namespace bcp::cli {
namespace {

Result<std::string> describe_text(const clip::Bundle& bundle) {
  std::string text = bundle.textual ? "text tower" : "";
  if (bundle.text_bank.empty()) return text;
  const Result<clip::TextBank> bank = clip::TextBank::open(bundle.text_bank);
  if (!bank) return bank.error();
  return text + (text.empty() ? "" : ", ") + std::to_string(bank->all().labels.size()) + " labels";
}

struct Installed {
  std::string name, layout;
  std::uintmax_t bytes = 0;
  int image = 0;
  std::string text, licence, directory;
};

// A model that cannot be used by its name, and why.
struct Remark {
  std::string kind, directory, reason;
};

struct Models {
  std::vector<Installed> installed;
  std::vector<Remark> remarks;
};

// A valid bundle, or the error. A bundle's name in lists and on the search path is that of its directory.
Result<Installed> look_at(const std::string& directory, const std::string& name) {
  const Result<clip::Bundle> bundle = clip::Bundle::open(directory);
  if (!bundle) return bundle.error();
  const Result<std::string> text = describe_text(*bundle);
  if (!text) return text.error();
  std::string licence = bundle->licence;
  if (const std::optional<get::Origin> origin = get::read_origin(directory); origin && licence.empty())
    licence = origin->licence;
  return Installed{name, bundle->layout, size_of(files_of(*bundle)), bundle->tensor.size, *text, licence, directory};
}

Models find_models() {
  Models models;
  std::set<std::string> names;
  for (const std::string& directory : clip::list_bundles()) {
    const std::string name = std::filesystem::path(directory).filename().string();
    Result<Installed> model = look_at(directory, name);
    if (model)
      models.installed.push_back(*std::move(model));
    else
      models.remarks.push_back({"broken", directory, model.error().message});
    if (!names.insert(name).second)
      models.remarks.push_back(
          {"hidden", directory, "another " + name + " is found first: use this one by its directory path"});
  }
  return models;
}

bool is_installed(const Models& models, std::string_view name) {
  return std::any_of(models.installed.begin(), models.installed.end(),
                     [&](const Installed& model) { return model.name == name; });
}

void print_known(const Models& models) {
  std::cout << "Known models, installed by gst-bcp model get NAME:\n\n";
  std::vector<Row> rows{{"name", "download", "image tower", "licence", "good for"}};
  for (const get::KnownModel& known : get::known_models()) {
    const std::string here = is_installed(models, known.name) ? " (installed)" : "";
    rows.push_back({std::string(known.name) + here, std::string(known.size), std::string(known.speed),
                    std::string(known.licence), std::string(known.good_for)});
  }
  print_table(std::cout, rows);
}

void print(const Models& models) {
  std::vector<Row> rows{{"name", "layout", "size", "image", "text", "licence", "where"}};
  for (const Installed& model : models.installed) {
    const std::string side = std::to_string(model.image);
    rows.push_back({model.name, model.layout, bytes_for_people(model.bytes), side + " x " + side, model.text,
                    model.licence.empty() ? "unknown" : model.licence, model.directory});
  }
  if (rows.size() > 1) print_table(std::cout, rows);
  if (rows.size() > 1 && !models.remarks.empty()) std::cout << '\n';
  for (const Remark& remark : models.remarks)
    std::cout << remark.kind << ": " << printable(remark.directory) << "\n  " << printable(remark.reason) << '\n';
  if (rows.size() > 1 || !models.remarks.empty()) std::cout << '\n';
  print_known(models);
}

void print_json(const Models& models) {
  using Json = nlohmann::ordered_json;
  Json json = {{"installed", Json::array()}, {"unusable", Json::array()}, {"known", Json::array()}};
  for (const Installed& model : models.installed)
    json["installed"].push_back({{"name", model.name},
                                 {"layout", model.layout},
                                 {"bytes", model.bytes},
                                 {"image_size", model.image},
                                 {"text", model.text},
                                 {"licence", model.licence},
                                 {"directory", model.directory}});
  for (const Remark& remark : models.remarks)
    json["unusable"].push_back({{"kind", remark.kind}, {"directory", remark.directory}, {"reason", remark.reason}});
  for (const get::KnownModel& known : get::known_models())
    json["known"].push_back({{"name", known.name},
                             {"repository", known.repository},
                             {"download", known.size},
                             {"image_tower", known.speed},
                             {"licence", known.licence},
                             {"good_for", known.good_for},
                             {"installed", is_installed(models, known.name)}});
  // Names come from files, and need not be UTF-8.
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

Status list(bool json) {
  const Models models = find_models();
  json ? print_json(models) : print(models);
  if (!models.installed.empty() || !models.remarks.empty()) return ok();
  std::string places;
  for (const std::string& place : clip::bundle_places()) places += (places.empty() ? "" : ", ") + place;
  return Error{ErrorCode::kNotFound,
               "there is no model in " + places +
                   ": install one with gst-bcp model get, or set GST_BCP_MODEL_PATH to the directory "
                   "of your models"};
}

}  // namespace

Command model_list(CLI::App& group) {
  CLI::App& command = *group.add_subcommand(
      "list",
      "List the models that can be used by name, with their directories and properties; broken models with the reason; "
      "and known models that `gst-bcp model get` downloads. No model is loaded.");
  const auto json = std::make_shared<bool>(false);
  command.add_flag("--json", *json, "Print the lists as JSON");
  command.footer(
      "Models are searched in GST_BCP_MODEL_PATH, in $XDG_DATA_HOME/gst-bcp/models (~/.local/share/gst-bcp/models), "
      "in\n"
      "each of $XDG_DATA_DIRS/gst-bcp/models, and where gst-bcp was installed. For a known model, \"image tower\" is "
      "the "
      "time\nof one frame on one core of the test machine.");
  return {&command, [json] { return list(*json); }};
}

}  // namespace bcp::cli
