// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/paper/evaluations.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/file.hpp"
#include "gst-bcp/paper/tables.hpp"

namespace bcp::cli::paper {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr const char* kTemplate = "a photo of a {}";
constexpr const char* kWayOut = ": give a file that gst-bcp eval --json wrote";

// Lower case, letters and digits only: "ViT-B/32" and "vit_b_32" are one.
std::string plain(std::string_view text) {
  std::string letters;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> dataset_names() {
  std::vector<std::string> names;
  for (const Dataset& dataset : the_paper().datasets) names.push_back(dataset.name);
  return names;
}

// The name in the list that means the same; empty for none.
std::string known(const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find_if(names.begin(), names.end(),
                                  [wanted = plain(name)](const std::string& each) { return plain(each) == wanted; });
  return found != names.end() ? *found : "";
}

// The text at `key`; empty where there is none.
std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> number_at(const Json& object, const std::string& key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::optional<double> logits_at(const Json& row, const std::string& method) {
  if (!row.is_object() || !row.contains(method)) return std::nullopt;
  return number_at(row.at(method), "logits");
}

bool is_evaluation(const Json& json) {
  return json.is_object() && json.contains("version") && json.contains("settings") && json["settings"].is_object() &&
         json.contains("zero_shot") && json["zero_shot"].is_object();
}

// What a line is about is the first of its texts; a protocol names its key as it likes.
bool is_about(const Json& row, const std::string& line) {
  if (!row.is_object()) return false;
  return std::any_of(row.begin(), row.end(), [&](const Json& value) { return value.is_string() && value == line; });
}

const Json* lines_of(const Json& json, const std::string& protocol) {
  const auto protocols = json.find("protocols");
  if (protocols == json.end() || !protocols->is_object()) return nullptr;
  const auto lines = protocols->find(protocol);
  return lines != protocols->end() && lines->is_array() ? &*lines : nullptr;
}

// Whether BCP ran as the paper has it, but for one setting that a protocol sweeps.
bool is_as_in_the_paper(const Json& settings, std::string_view swept = "") {
  constexpr std::array<std::pair<const char*, double>, 6> kPaper = {{{"anchor-confidence", 0.5},
                                                                     {"strength", 1},
                                                                     {"anchors", 1},
                                                                     {"shrinkage", 0},
                                                                     {"half-life", 0},
                                                                     {"novelty-distance", 0}}};
  if (swept != "warm-up" && settings.contains("warm-up") && settings["warm-up"] == true) return false;
  return std::all_of(kPaper.begin(), kPaper.end(), [&](const auto& each) {
    return swept == each.first || number_at(settings, each.first).value_or(each.second) == each.second;
  });
}

}  // namespace

std::string backbone_of(const std::string& model) {
  const std::string name = plain(std::filesystem::path(model).filename().string());
  for (const char* other : {"laion", "datacomp", "dfn", "metaclip", "siglip", "plus", "yfcc", "cc12m"})
    if (name.find(other) != std::string::npos) return "";
  constexpr std::array<std::pair<const char*, const char*>, 6> kSpellings = {{{"rn101", "RN101"},
                                                                              {"rn50", "RN50"},
                                                                              {"vitb32", "ViT-B/32"},
                                                                              {"vitbasepatch32", "ViT-B/32"},
                                                                              {"vitb16", "ViT-B/16"},
                                                                              {"vitbasepatch16", "ViT-B/16"}}};
  for (const auto& [spelling, backbone] : kSpellings) {
    const std::size_t at = name.find(spelling);
    if (at == std::string::npos) continue;
    const std::string_view rest = std::string_view(name).substr(at + std::string_view(spelling).size());
    // RN50x4 is another model; so is RN1010, should there be one.
    if (!rest.empty() && (rest[0] == 'x' || std::isdigit(static_cast<unsigned char>(rest[0])))) return "";
    return backbone;
  }
  return "";
}

Result<Evaluation> Evaluation::load(const std::string& path, const Told& told) {
  const Result<std::string> text = read_file(path, kMostBytes);
  if (!text) return text.error();
  Evaluation evaluation;
  evaluation.path_ = path;
  evaluation.json_ = Json::parse(*text, nullptr, false);
  const Json& json = evaluation.json_;
  if (json.is_discarded()) return Error{ErrorCode::kInvalid, path + " is no JSON" + kWayOut};
  if (!is_evaluation(json)) return Error{ErrorCode::kInvalid, path + " is JSON, but no evaluation" + kWayOut};
  if (json["version"] != 1)
    return Error{ErrorCode::kUnsupported, path + " has the version " + json["version"].dump() +
                                              ", and this program knows version 1: use a newer gst-bcp"};
  const Json& settings = json["settings"];
  const std::string dataset = text_at(settings, "dataset"), model = text_at(settings, "model");
  evaluation.dataset_ = known(dataset.empty() ? told.dataset : dataset, dataset_names());
  if (evaluation.dataset_.empty())
    return Error{ErrorCode::kInvalid,
                 path +
                     (dataset.empty() ? " does not tell its data set: name it with --dataset"
                                      : " is of " + dataset + ", which is none of the paper's data sets") +
                     " (" + joined(dataset_names()) + ")"};
  evaluation.backbone_ = backbone_of(model);
  if (evaluation.backbone_.empty()) evaluation.backbone_ = known(told.backbone, the_paper().backbones);
  if (evaluation.backbone_.empty())
    return Error{ErrorCode::kInvalid, path +
                                          (model.empty() ? " does not tell its model" : " is of the model " + model) +
                                          ": if it is one of the paper's backbones (" + joined(the_paper().backbones) +
                                          "), name it with --backbone"};
  return evaluation;
}

std::vector<std::string> Evaluation::remarks() const {
  std::vector<std::string> remarks;
  const Json& settings = json_["settings"];
  const auto& datasets = the_paper().datasets;
  const auto dataset =
      std::find_if(datasets.begin(), datasets.end(), [&](const Dataset& each) { return each.name == dataset_; });
  const auto count = [&](const char* key, std::size_t in_the_paper, const std::string& what) {
    const std::optional<double> number = number_at(settings, key);
    if (number && std::lround(*number) != static_cast<long>(in_the_paper))
      remarks.push_back(path_ + " is of " + std::to_string(std::lround(*number)) + " " + what + "; the paper's " +
                        dataset_ + " has " + std::to_string(in_the_paper) + ".");
  };
  count("samples", dataset->images, "pictures");
  count("labels", dataset->labels, "labels");
  if (const auto found = settings.find("prompt-template");
      found != settings.end() && !found->empty() && *found != kTemplate && *found != Json::array({kTemplate}))
    remarks.push_back(path_ + " has other templates than the paper, which asks for \"" + kTemplate + "\".");
  if (const std::string coverage = text_at(settings, "coverage"); !coverage.empty() && coverage != "centre")
    remarks.push_back(path_ + " has --coverage " + coverage + "; CLIP itself sees the middle of a picture.");
  if (text_at(settings, "difficult") == "absent")
    remarks.push_back(path_ + " counts what is not to be judged as absent; the paper does not tell what it does.");
  if (key_of("BCP").empty()) remarks.push_back(path_ + " has no BCP as in the paper: its settings are others.");
  return remarks;
}

std::string Evaluation::key_of(const std::string& method, const std::string& protocol) const {
  if (method == "CLIP") return "zero_shot";
  if (method == "BCP") {
    // A sweep is of the BCP that was asked for, and only of that.
    const std::string swept = protocol == "anchors" ? "anchors" : protocol == "warm_up" ? "warm-up" : "";
    if (swept.empty() && json_.contains("bcp_paper")) return "bcp_paper";
    return is_as_in_the_paper(json_["settings"], swept) ? "bcp" : "";
  }
  std::string nick = method;
  std::transform(nick.begin(), nick.end(), nick.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return nick;
}

std::optional<double> Evaluation::figure(const std::string& method, const std::string& protocol,
                                         const std::string& line) const {
  const std::string key = key_of(method, protocol);
  if (key.empty()) return std::nullopt;
  if (protocol.empty()) return logits_at(json_, key);
  const Json* lines = lines_of(json_, protocol);
  if (lines == nullptr) return std::nullopt;
  for (const Json& row : *lines)
    if (is_about(row, line)) return method == kShare ? number_at(row, "share") : logits_at(row, key);
  return std::nullopt;
}

std::optional<double> Evaluation::mean_over_orders(const std::string& method) const {
  const Json* lines = lines_of(json_, "orderings");
  if (lines == nullptr) return std::nullopt;
  double sum = 0;
  int count = 0;
  for (const Json& row : *lines) {
    if (is_about(row, "file") || is_about(row, "given")) continue;
    const std::optional<double> figure = logits_at(row, key_of(method));
    if (!figure) return std::nullopt;
    sum += *figure;
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

}  // namespace bcp::cli::paper
