// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/text_bank.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json.hpp"
#include "base/spelling.hpp"
#include "clip/safetensors.hpp"

namespace bcp::clip {
namespace {

using nlohmann::json;

constexpr std::size_t kSuggestions = 3;
constexpr std::size_t kListed = 20;  // labels listed if none is similar
// A shorter row has no usable direction.
constexpr float kShortest = 1e-6f;

Result<std::vector<Label>> read_names(const Safetensors& file, const std::string& path) try {
  const std::string* text = file.metadata("labels");
  if (!text)
    return invalid(path + " has no metadata key \"labels\": write the names there, as a JSON array of strings");
  const Result<json> names = parse_json(*text);
  if (!names)
    return invalid(path + ": the metadata key \"labels\" must be a JSON array of strings; it is " +
                   names.error().message);
  std::vector<Label> labels;
  for (const auto& name : names->get<std::vector<std::string>>()) {
    Result<std::string> cleaned = clean_label(name);
    const std::string row = path + ": the label of row " + std::to_string(labels.size());
    if (!cleaned) return invalid(row + " is invalid: " + cleaned.error().message);
    if (cleaned->empty()) return invalid(row + " is empty: give it a name");
    labels.push_back({.name = *std::move(cleaned)});
  }
  return labels;
} catch (const json::exception& error) {
  return invalid(path + ": the metadata key \"labels\" must be a JSON array of strings (" + error.what() + ")");
}

std::string quoted(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
}

// The reason and what to do, in one line.
std::string unknown_label(const std::string& wanted, const std::vector<Label>& known) {
  std::string text =
      "the label \"" + wanted + "\" is not among the " + std::to_string(known.size()) + " that this model knows";
  std::vector<std::string> names, near;
  for (const Label& label : known) names.push_back(label.name);
  for (const std::size_t row : similar(wanted, names, kSuggestions)) near.push_back(names[row]);
  if (!near.empty()) {
    text += ": did you mean " + quoted(near) + "?";
  } else {
    names.resize(std::min(names.size(), kListed));
    text += " (" + quoted(names) + (names.size() < known.size() ? ", ...)." : ").");
  }
  return text +
         " A model with a text tower takes any words: get one with gst-bcp model get clip-vit-b32 and select it as "
         "model";
}

}  // namespace

Result<TextBank> TextBank::open(const std::string& path) {
  const Result<Safetensors> file = Safetensors::open(path);
  if (!file) return file.error();
  Result<std::vector<Label>> labels = read_names(*file, path);
  if (!labels) return labels.error();
  const Result<Safetensors::Floats> tensor = file->floats("embeddings");
  if (!tensor) return tensor.error();

  const auto& shape = tensor->shape;
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0) {
    std::string found;
    for (const auto side : shape) found += (found.empty() ? "" : ", ") + std::to_string(side);
    return invalid(path + ": tensor \"embeddings\" must be [labels, numbers], neither 0; it is [" + found + "]");
  }
  if (shape[0] != static_cast<std::int64_t>(labels->size()))
    return invalid(path + " has " + std::to_string(shape[0]) + " embeddings but " + std::to_string(labels->size()) +
                   " labels: give each row one name");

  TextBank bank;
  for (std::size_t i = 0; i < labels->size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const auto [first, is_new] = bank.row_of_.emplace((*labels)[i].name, row);
    if (!is_new)
      return invalid(path + ": the label \"" + first->first + "\" names rows " + std::to_string(first->second) +
                     " and " + std::to_string(row) + ": keep one of them");
  }
  bank.all_.embeddings = Eigen::Map<const TextMatrix>(tensor->values.data(), shape[0], shape[1]);
  for (Eigen::Index i = 0; i < bank.all_.embeddings.rows(); ++i) {
    auto row = bank.all_.embeddings.row(i);
    const float length = row.stableNorm();
    if (!std::isfinite(length) || length < kShortest)
      return invalid(path + ": the embedding of \"" + (*labels)[static_cast<std::size_t>(i)].name +
                     "\" is zero or not finite: compute it again");
    row /= length;
  }
  bank.all_.labels = *std::move(labels);
  return bank;
}

std::optional<Eigen::Index> TextBank::row_of(const std::string& label) const {
  const auto found = row_of_.find(label);
  return found == row_of_.end() ? std::nullopt : std::optional(found->second);
}

Result<LabelSet> TextBank::select(std::span<const Label> wanted) const {
  if (wanted.empty()) return invalid("no labels are given: name at least one");
  LabelSet chosen;
  chosen.labels.assign(wanted.begin(), wanted.end());
  chosen.embeddings.resize(static_cast<Eigen::Index>(wanted.size()), all_.embeddings.cols());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto found = row_of_.find(wanted[i].name);
    if (found == row_of_.end()) return Error{ErrorCode::kNotFound, unknown_label(wanted[i].name, all_.labels)};
    chosen.embeddings.row(static_cast<Eigen::Index>(i)) = all_.embeddings.row(found->second);
  }
  return chosen;
}

void score(const TextMatrix& text, std::span<const float> image, double scale, std::span<double> logits, double bias) {
  const Eigen::Map<const Eigen::RowVectorXf> picture(image.data(), static_cast<Eigen::Index>(image.size()));
  for (Eigen::Index k = 0; k < text.rows(); ++k)
    logits[static_cast<std::size_t>(k)] = scale * static_cast<double>(text.row(k).dot(picture)) + bias;
}

}  // namespace bcp::clip
