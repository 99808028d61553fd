// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/tensor_roles.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>

namespace bcp::clip {
namespace {

using Names = std::span<const std::string_view>;

// Exporters' names of the embedding, most likely first.
constexpr std::array<std::string_view, 9> kImageEmbedding = {"image_embeds",   "image_embeddings", "image_embedding",
                                                             "image_features", "embeddings",       "embedding",
                                                             "output",         "output_0",         "pooler_output"};
constexpr std::array<std::string_view, 9> kTextEmbedding = {"text_embeds",   "text_embeddings", "text_embedding",
                                                            "text_features", "embeddings",      "embedding",
                                                            "output",        "output_0",        "pooler_output"};
constexpr std::array<std::string_view, 5> kPictures = {"pixel_values", "image", "images", "input", "x"};
constexpr std::array<std::string_view, 5> kIds = {"input_ids", "text", "tokens", "ids", "input"};
constexpr std::array<std::string_view, 2> kMask = {"attention_mask", "mask"};
// Outputs before the projection into the space shared by pictures and texts: plausible but useless numbers. SigLIP has
// no projection: its pooler_output is the embedding.
constexpr std::array<std::string_view, 2> kUnprojected = {"last_hidden_state", "pooler_output"};

Names unprojected_of(Scoring scoring) {
  return scoring == Scoring::kSigmoid ? Names(kUnprojected).first(1) : Names(kUnprojected);
}

bool contains(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether a dimension of a shape matches: `wanted` 0 accepts any, and a dynamic dimension matches all.
bool fits(std::int64_t side, std::int64_t wanted) {
  return wanted == 0 || side < 0 || side == wanted;
}

struct Wanted {
  std::string key;       // the key in bundle.json
  const char* role;      // "input" or "output"
  std::string expected;  // for people
  Names known;           // names, most likely first
  std::function<bool(const onnx::TensorInfo&)> fits;
};

// Chooses among the tensors of one model.
class Chooser {
 public:
  explicit Chooser(const std::string& path) : path_(path) {}

  Error invalid(const std::string& message) const {
    return Error{ErrorCode::kInvalid, "the model " + path_ + " " + message};
  }

  // The tensor called `name`; without a name the only one that fits, or of several the one with the most likely name.
  Result<onnx::TensorInfo> choose(const std::vector<onnx::TensorInfo>& tensors, const std::string& name,
                                  const Wanted& wanted) const {
    const std::string role = wanted.role;
    if (!name.empty()) {
      for (const onnx::TensorInfo& tensor : tensors) {
        if (tensor.name != name) continue;
        if (wanted.fits(tensor)) return tensor;
        return invalid("has the " + role + " " + describe(tensor) + ", but " + wanted.expected +
                       " is expected: correct bundle.json or export the model again");
      }
      return invalid("has no " + role + " \"" + name + "\"; it has " + describe(tensors) + ": correct the key " +
                     wanted.key + " of bundle.json");
    }
    std::vector<onnx::TensorInfo> candidates;
    std::copy_if(tensors.begin(), tensors.end(), std::back_inserter(candidates), wanted.fits);
    if (candidates.size() == 1) return candidates.front();
    if (candidates.empty())
      return invalid("has no " + role + " that is " + wanted.expected + "; it has " + describe(tensors) +
                     ": correct bundle.json or export the model again");
    for (const std::string_view known : wanted.known)
      for (const onnx::TensorInfo& tensor : candidates)
        if (tensor.name == known) return tensor;
    return invalid("has several " + role + "s that could be used: " + describe(candidates) +
                   "; name one with the key " + wanted.key + " of bundle.json");
  }

 private:
  const std::string& path_;
};

// An output that is an embedding: of `width` numbers (0: any), computed only from inputs that `wants` accepts.
Result<onnx::TensorInfo> choose_output(const onnx::File& file, const Chooser& chooser, const std::string& name,
                                       const Bundle& bundle, const char* tower, Names known,
                                       const std::function<bool(const std::vector<onnx::TensorInfo>&)>& wants) {
  const std::int64_t width = bundle.embedding_size;
  const auto is_embedding = [&](const onnx::TensorInfo& tensor) {
    if (!onnx::holds_floats(tensor) || tensor.shape.size() < 2 || tensor.shape.size() > 3) return false;
    const Result<std::vector<onnx::TensorInfo>> inputs = file.inputs_of(std::array{tensor.name});
    return inputs && wants(*inputs);
  };
  // A name in bundle.json is the user's decision; without one, these outputs are never meant.
  const bool open_choice = name.empty();
  std::vector<onnx::TensorInfo> outputs;
  const onnx::TensorInfo* unprojected = nullptr;
  for (const onnx::TensorInfo& output : file.outputs()) {
    if (open_choice && contains(unprojected_of(bundle.scoring), output.name)) {
      if (!unprojected) unprojected = &output;
    } else {
      outputs.push_back(output);
    }
  }
  if (unprojected && std::none_of(outputs.begin(), outputs.end(), is_embedding))
    return chooser.invalid("gives " + describe(*unprojected) +
                           ", which is taken before CLIP's projection and cannot be compared with the other tower's "
                           "embeddings: export it with its projection (Hugging Face calls that "
                           "CLIPVisionModelWithProjection and CLIPTextModelWithProjection)");
  const std::string numbers = width > 0 ? std::to_string(width) : "numbers";
  const Wanted wanted{
      std::string(tower) + ".output", "output", "float [batch, " + numbers + "]", known,
      [&](const onnx::TensorInfo& tensor) { return is_embedding(tensor) && fits(tensor.shape.back(), width); }};
  return chooser.choose(outputs, name, wanted);
}

bool any_pictures(const std::vector<onnx::TensorInfo>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), onnx::holds_pictures);
}
bool any_tokens(const std::vector<onnx::TensorInfo>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), onnx::holds_tokens);
}

}  // namespace

Result<ImageTensors> choose_image_tensors(const onnx::File& file, const Bundle& bundle) {
  const Chooser chooser(file.path());
  const std::int64_t size = bundle.tensor.size;
  const std::string side = std::to_string(size);
  const Wanted pictures{"visual.input", "input", "float [batch, 3, " + side + ", " + side + "]", kPictures,
                        [size](const onnx::TensorInfo& tensor) {
                          return onnx::holds_pictures(tensor) && fits(tensor.shape[2], size) &&
                                 fits(tensor.shape[3], size);
                        }};
  // Before the output: if both are wrong, the error of the input is more useful.
  Result<onnx::TensorInfo> input = chooser.choose(file.inputs(), bundle.visual.input, pictures);
  if (!input) return input.error();
  Result<onnx::TensorInfo> output =
      choose_output(file, chooser, bundle.visual.output, bundle, "visual", kImageEmbedding,
                    [&](const auto& inputs) { return any_pictures(inputs) && !any_tokens(inputs); });
  if (!output) return output.error();

  const Result<std::vector<onnx::TensorInfo>> needed = file.inputs_of(std::array{output->name});
  if (!needed) return needed.error();
  if (needed->size() != 1 || needed->front().name != input->name)
    return Error{ErrorCode::kUnsupported, "the model " + file.path() + " computes " + describe(*output) + " from " +
                                              describe(*needed) +
                                              ", but an image tower has one input: export only the image tower"};
  return ImageTensors{*std::move(input), *std::move(output)};
}

Result<TextTensors> choose_text_tensors(const onnx::File& file, const Bundle& bundle) {
  const TextTower& tower = *bundle.textual;
  const Chooser chooser(file.path());
  Result<onnx::TensorInfo> output =
      choose_output(file, chooser, tower.output, bundle, "textual", kTextEmbedding,
                    [&](const auto& inputs) { return any_tokens(inputs) && !any_pictures(inputs); });
  if (!output) return output.error();
  const Result<std::vector<onnx::TensorInfo>> needed = file.inputs_of(std::array{output->name});
  if (!needed) return needed.error();

  // The mask first: it is recognised by its name, and the remaining input is the ids.
  TextTensors tensors{.ids = {}, .mask = {}, .output = *std::move(output)};
  std::vector<onnx::TensorInfo> rest;
  for (const onnx::TensorInfo& input : *needed) {
    const bool is_mask =
        tower.mask.empty() ? contains(kMask, input.name) && input.name != tower.ids : input.name == tower.mask;
    if (is_mask && onnx::holds_tokens(input) && !tensors.mask)
      tensors.mask = input;
    else
      rest.push_back(input);
  }
  if (!tower.mask.empty() && !tensors.mask)
    return chooser.invalid("has no input \"" + tower.mask + "\" that could be a mask; it has " + describe(*needed) +
                           ": correct the key textual.mask of bundle.json");
  Result<onnx::TensorInfo> ids = chooser.choose(
      rest, tower.ids, {"textual.ids", "input", "int32 or int64 [batch, length]", kIds, onnx::holds_tokens});
  if (!ids) return ids.error();
  tensors.ids = *std::move(ids);
  if (rest.size() > 1)
    return chooser.invalid("needs " + describe(*needed) +
                           ", but a text tower has token ids and perhaps a mask: name them with the keys textual.ids "
                           "and textual.mask of bundle.json, or export it without the others");
  return tensors;
}

}  // namespace bcp::clip
