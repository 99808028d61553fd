// SPDX-License-Identifier: LGPL-2.1-or-later
#include <utility>

#include "clip/labels.hpp"
#include "gst-bcp/eval/source.hpp"

namespace bcp::cli {
namespace {

std::string shape_of(std::size_t samples, std::size_t labels) {
  return std::to_string(samples) + " samples x " + std::to_string(labels) + " labels";
}

Result<std::vector<std::string>> names_of(const std::string& path, std::size_t labels) {
  std::vector<std::string> names;
  if (path.empty()) {
    for (std::size_t k = 0; k < labels; ++k) names.push_back("label " + std::to_string(k));
    return names;
  }
  const Result<std::vector<clip::Label>> listed = clip::load_labels(path);
  if (!listed) return listed.error();
  if (listed->size() != labels)
    return Error{ErrorCode::kInvalid, path + " has " + std::to_string(listed->size()) + " names for " +
                                          std::to_string(labels) + (labels == 1 ? " label" : " labels") +
                                          ": give one name per line, in the order of the columns"};
  for (const clip::Label& label : *listed) names.push_back(label.name);
  return names;
}

}  // namespace

Result<EvalSource> open_arrays(const EvalOptions& options) {
  const eval::StreamFiles& files = options.files;
  Result<eval::Stream> stream = eval::Stream::open(files);
  if (!stream) return stream.error();
  Result<eval::Truth> truth = eval::load_truth(options.truth, options.difficult);
  if (!truth) return truth.error();
  if (stream->samples() != truth->samples || stream->labels() != truth->labels) {
    const std::string scores =
        files.logits.empty() ? files.embeddings + " and " + files.text + " make" : files.logits + " has";
    return Error{ErrorCode::kInvalid, scores + " scores of " + shape_of(stream->samples(), stream->labels()) + " and " +
                                          options.truth + " the ground truth of " +
                                          shape_of(truth->samples, truth->labels) +
                                          ": both must have the same samples and labels"};
  }
  Result<std::vector<std::string>> names = names_of(options.names, truth->labels);
  if (!names) return names.error();

  nlohmann::ordered_json named = nlohmann::ordered_json::object();
  const auto name = [&named](const char* key, const std::string& path) {
    if (!path.empty()) named[key] = path;
  };
  name("logits", files.logits);
  name("embeddings", files.embeddings);
  name("text", files.text);
  name("truth", options.truth);
  name("names", options.names);
  nlohmann::ordered_json settings = {{"dataset", nullptr}, {"model", nullptr}, {"files", std::move(named)}};
  if (files.logits.empty()) settings["scale"] = files.scale;
  return EvalSource{std::move(*stream), std::move(*truth), std::move(*names), std::move(settings)};
}

}  // namespace bcp::cli
