// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/datasets/spelling.hpp"

#include <array>

#include "eval/datasets/dataset.hpp"

namespace bcp::eval {
namespace {

// Names that data sets and banks use for the same thing, in the form of plain(); other labels have one name.
constexpr std::array<std::array<std::string_view, 5>, 17> kSame = {{
    {"aeroplane", "airplane", "plane"},
    {"bicycle", "bike"},
    {"bird", "birds"},
    {"boat", "boats"},
    {"book", "books"},
    {"car", "cars"},
    {"cellphone", "mobilephone"},
    {"donut", "doughnut"},
    {"flag", "flags"},
    {"flower", "flowers"},
    {"hairdrier", "hairdryer"},
    {"horse", "horses"},
    {"motorbike", "motorcycle"},
    {"person", "people"},
    {"pottedplant", "houseplant"},
    {"sofa", "couch"},
    {"tvmonitor", "tv", "television", "tvset", "monitor"},
}};

std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (c != ' ' && c != '_' && c != '-') text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

Spelling::Spelling(std::span<const clip::Label> known) {
  for (const clip::Label& label : known) known_.emplace(plain(label.name), label.name);
}

std::optional<std::string> Spelling::find(std::string_view label) const {
  const std::string wanted = plain(label);
  if (const auto found = known_.find(wanted); found != known_.end()) return found->second;
  for (const auto& names : kSame) {
    bool is_one = false;
    for (const std::string_view name : names) is_one = is_one || name == wanted;
    if (!is_one) continue;
    for (const std::string_view name : names)
      if (const auto found = known_.find(std::string(name)); found != known_.end()) return found->second;
  }
  return std::nullopt;
}

Result<std::vector<std::string>> names_in_bank(std::span<const std::string> labels, std::span<const clip::Label> known,
                                               const std::string& model) {
  const Spelling spelling(known);
  std::vector<std::string> names, unknown;
  for (const std::string& label : labels) {
    names.push_back(spelling.find(label).value_or(""));
    if (names.back().empty()) unknown.push_back(label);
  }
  if (unknown.empty()) return names;
  return Error{ErrorCode::kNotFound, "the model " + model + " has fixed text embeddings and no text tower, and " +
                                         std::to_string(unknown.size()) + " of " + std::to_string(labels.size()) +
                                         " labels are not among them (" + some_of(unknown) +
                                         "): use a model with a text tower"};
}

}  // namespace bcp::eval
