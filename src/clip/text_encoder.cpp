// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/text_encoder.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "clip/embedding_test.hpp"
#include "clip/tensor_roles.hpp"
#include "clip/tower.hpp"

namespace bcp::clip {
namespace {

using tokenize::TokenId;

constexpr std::size_t kBatch = 16;  // large enough for speed, small enough to cancel between two batches
// Tables may be padded to a round number of rows; another model's table differs by thousands.
constexpr std::int64_t kTablePadding = 512;
// If a text with more padding differs by more, the tower does not ignore padding.
constexpr float kPaddingTolerance = 1e-3f;
constexpr std::size_t kPaddingTested = 8;  // least padding for a meaningful test

Error refused(const Bundle& bundle, const std::string& message) {
  return Error{ErrorCode::kInvalid, "the text tower " + bundle.textual->file + " " + message};
}

std::string joined_ids(std::span<const TokenId> ids) {
  std::string text;
  for (const TokenId id : ids) {
    if (!text.empty()) text += ' ';
    text += std::to_string(id);
  }
  return text;
}

// The ids of some texts as the tower's input, row after row.
template <typename Integer>
std::vector<Integer> rows_of(std::span<const std::vector<TokenId>> ids, std::size_t length, TokenId padding) {
  std::vector<Integer> rows(ids.size() * length, padding);
  for (std::size_t i = 0; i < ids.size(); ++i)
    std::copy(ids[i].begin(), ids[i].end(), rows.begin() + static_cast<std::ptrdiff_t>(i * length));
  return rows;
}

// 1 for tokens, and for padding if it counts like a token.
template <typename Integer>
std::vector<Integer> mask_of(std::span<const std::vector<TokenId>> ids, std::size_t length, bool padding_counts) {
  std::vector<Integer> rows(ids.size() * length, padding_counts ? 1 : 0);
  for (std::size_t i = 0; i < ids.size(); ++i)
    std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(i * length), ids[i].size(), 1);
  return rows;
}

// Integers of the width that the input has.
class Integers {
 public:
  template <typename Make>
  Integers(const onnx::TensorInfo& tensor, const Make& make) {
    if (tensor.type == "int32")
      narrow_ = make(std::int32_t{});
    else
      wide_ = make(std::int64_t{});
  }
  const void* data() const { return wide_.empty() ? static_cast<const void*>(narrow_.data()) : wide_.data(); }

 private:
  std::vector<std::int32_t> narrow_;
  std::vector<std::int64_t> wide_;
};

}  // namespace

struct TextEncoder::Impl {
  Impl(TextTensors roles, TextInput words) : tensors(std::move(roles)), input(std::move(words)) {}

  TextTensors tensors;
  TextInput input;
  bool fixed_batch = false;      // the tower takes one text per run
  bool ignores_padding = false;  // padding may be left out
  int embedding_size = 0;
  std::unique_ptr<onnx::Session> session;

  Status load(const onnx::File& file, const Bundle& bundle, const onnx::SessionOptions& options);
  Status check_vocabulary(const onnx::File& file, const Bundle& bundle) const;
  Result<Eigen::MatrixXf> self_test(onnx::Session& tower, const Bundle& bundle);
  // The number of ids that these texts are padded to.
  std::size_t padded_length(std::span<const std::vector<TokenId>> ids) const;
  Result<TextMatrix> run(onnx::Session& tower, std::span<const std::vector<TokenId>> ids, std::size_t padded_to) const;
  Result<TextMatrix> run_each(onnx::Session& tower, std::span<const std::vector<TokenId>> ids) const;
};

Status TextEncoder::Impl::load(const onnx::File& file, const Bundle& bundle, const onnx::SessionOptions& options) {
  const std::int64_t batch = tensors.ids.shape[0];
  if (batch > 1 || batch == 0)
    return refused(
        bundle, "takes " + std::to_string(batch) + " texts at a time: export it with a dynamic batch, or a batch of 1");
  const bool declared_fixed = batch == 1 || tensors.output.shape[0] == 1;
  if (Status agrees = check_vocabulary(file, bundle); !agrees) return agrees;

  std::vector<onnx::TensorInfo> inputs{tensors.ids};
  if (tensors.mask) inputs.push_back(*tensors.mask);
  Result<Tower> opened =
      open_tower(file, {std::move(inputs), tensors.output, bundle.text_identity}, options, [&](onnx::Session& tower) {
        fixed_batch = declared_fixed;
        return self_test(tower, bundle);
      });
  if (!opened) return opened.error();
  session = std::move(opened->session);
  if (bundle.embedding_size > 0 && embedding_size != bundle.embedding_size)
    return refused(bundle, "gives embeddings of " + std::to_string(embedding_size) + " numbers, but the image tower " +
                               bundle.visual.file + " has " + std::to_string(bundle.embedding_size) +
                               ": both must come from the same model");
  return ok();
}

Status TextEncoder::Impl::check_vocabulary(const onnx::File& file, const Bundle& bundle) const {
  const std::string name = bundle.textual->vocabulary.empty() ? "CLIP's vocabulary" : bundle.textual->vocabulary;
  const std::string way_out = "; put the model's tokenizer.json, or vocab.json and merges.txt, into its directory";
  const std::optional<std::int64_t> rows = file.table_rows(tensors.ids.name);
  if (rows && (input.tokenizer.size() > *rows || *rows > input.tokenizer.size() + kTablePadding))
    return refused(bundle, "has a table for " + std::to_string(*rows) + " tokens, but " + name + " has " +
                               std::to_string(input.tokenizer.size()) + ": they do not belong to the same model" +
                               way_out);
  const TextTower::SelfTest& expected = bundle.textual->self_test;
  if (expected.tokens.empty()) return ok();
  const std::vector<TokenId> found = input.ids(expected.text);
  if (found != expected.tokens)
    return refused(bundle, "expects the tokens " + joined_ids(expected.tokens) + " for \"" + expected.text +
                               "\", but " + name + " gives " + joined_ids(found) +
                               ": they do not belong to the same model" + way_out);
  return ok();
}

Result<Eigen::MatrixXf> TextEncoder::Impl::self_test(onnx::Session& tower, const Bundle& bundle) {
  const auto refuse = [&](const std::string& message) { return refused(bundle, "fails its self-test: " + message); };
  const TextTower::SelfTest& expected = bundle.textual->self_test;
  const std::array<std::string, 2> texts = {expected.text.empty() ? "a photo of a cat" : expected.text,
                                            "a diagram of many red squares"};
  const std::array<std::vector<TokenId>, 2> ids = {input.ids(texts[0]), input.ids(texts[1])};
  std::array<Eigen::VectorXf, 2> embeddings;
  for (std::size_t i = 0; i < 2; ++i) {
    const Result<TextMatrix> row = run(tower, std::span(ids).subspan(i, 1), input.length);
    if (!row) return refuse(row.error().message + "; check the bundle and its export");
    embeddings[i] = row->row(0);
    if (Status fit = check_embedding(embeddings[i], "the text \"" + texts[i] + "\""); !fit)
      return refuse(fit.error().message);
  }
  // Most of the computation is padding. It is left out if that does not change the embedding.
  ignores_padding = false;
  if (!input.pad_to_length && tensors.ids.shape[1] < 0 && ids[1].size() + kPaddingTested <= input.length) {
    const Result<TextMatrix> shorter = run(tower, std::span(ids).subspan(1), ids[1].size());
    ignores_padding = shorter && (shorter->row(0).transpose().normalized() - embeddings[1]).norm() < kPaddingTolerance;
  }
  // Some exports are wrong for batches, and with dynamic quantisation an embedding depends on the rest of the batch.
  if (!fixed_batch) {
    const Result<TextMatrix> both = run(tower, ids, padded_length(ids));
    fixed_batch = !both;
    for (Eigen::Index i = 0; both && i < 2; ++i)
      fixed_batch |= !is_same_in_batch(both->row(i), embeddings[static_cast<std::size_t>(i)]);
  }
  if ((embeddings[0] - embeddings[1]).norm() < kSameEmbedding)
    return refuse("two different texts get the same embedding; export it again, and check that its input is used");
  if (Status same = compare_embedding(embeddings[0], expected.embedding, "\"" + texts[0] + "\""); !same)
    return refuse(same.error().message + "; check the vocabulary and the export");
  embedding_size = static_cast<int>(embeddings[0].size());
  Eigen::MatrixXf both(embedding_size, 2);
  both << embeddings[0], embeddings[1];
  return both;
}

std::size_t TextEncoder::Impl::padded_length(std::span<const std::vector<TokenId>> ids) const {
  if (!ignores_padding) return input.length;
  std::size_t longest = 1;
  for (const std::vector<TokenId>& each : ids) longest = std::max(longest, each.size());
  return longest;
}

// The output of the tower, one row per text.
Result<TextMatrix> TextEncoder::Impl::run(onnx::Session& tower, std::span<const std::vector<TokenId>> ids,
                                          std::size_t padded_to) const {
  const auto count = static_cast<std::int64_t>(ids.size());
  const Integers tokens(tensors.ids,
                        [&](auto integer) { return rows_of<decltype(integer)>(ids, padded_to, input.padding); });
  std::optional<Integers> mask;
  std::vector<onnx::TensorInfo> inputs{tensors.ids};
  std::vector<const void*> data{tokens.data()};
  if (tensors.mask) {
    mask.emplace(*tensors.mask,
                 [&](auto integer) { return mask_of<decltype(integer)>(ids, padded_to, input.pad_to_length); });
    inputs.push_back(*tensors.mask);
    data.push_back(mask->data());
  }
  for (onnx::TensorInfo& each : inputs) each.shape = {count, static_cast<std::int64_t>(padded_to)};
  tower.use(std::move(inputs), tensors.output);

  const Result<onnx::Session::Output> output = tower.run_once(data, count);
  if (!output) return output.error();
  const std::vector<std::int64_t>& shape = output->shape;
  const bool pooled = shape.size() == 2 || (shape.size() == 3 && shape[1] == 1);
  const bool per_token = shape.size() == 3 && shape[1] == static_cast<std::int64_t>(padded_to);
  if ((!pooled && !per_token) || shape[0] != count || shape.back() < 1)
    return Error{ErrorCode::kInvalid, "its output came as " +
                                          describe(onnx::TensorInfo{tensors.output.name, tensors.output.type, shape}) +
                                          ", which is neither one embedding per text nor one per token"};
  if (!pooled && input.pad_to_length)
    return Error{ErrorCode::kInvalid,
                 "its output " + tensors.output.name +
                     " has one row per token, but a tower padded to its full length must give one embedding per text "
                     "(SigLIP's is called pooler_output): name that one as textual.output in a bundle.json"};
  const Eigen::Index width = shape.back(), stride = pooled ? 1 : static_cast<Eigen::Index>(padded_to);
  const Eigen::Map<const TextMatrix> all(output->values.data(), count * stride, width);
  TextMatrix rows(count, width);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const auto length = static_cast<Eigen::Index>(ids[static_cast<std::size_t>(i)].size());
    rows.row(i) = all.row(i * stride + (pooled || length == 0 ? 0 : length - 1));
  }
  return rows;
}

Result<TextMatrix> TextEncoder::Impl::run_each(onnx::Session& tower, std::span<const std::vector<TokenId>> ids) const {
  TextMatrix rows(static_cast<Eigen::Index>(ids.size()), embedding_size);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Result<TextMatrix> row = run(tower, ids.subspan(i, 1), padded_length(ids.subspan(i, 1)));
    if (!row) return row.error();
    rows.row(static_cast<Eigen::Index>(i)) = row->row(0);
  }
  return rows;
}

TextEncoder::TextEncoder() = default;
TextEncoder::~TextEncoder() = default;

Status TextEncoder::check(const Bundle& bundle) {
  const Result<onnx::File> file = onnx::File::open(bundle.textual->file);
  if (!file) return file.error();
  const Result<TextTensors> tensors = choose_text_tensors(*file, bundle);
  if (!tensors) return tensors.error();
  return ok();
}

Result<std::unique_ptr<TextEncoder>> TextEncoder::open(const Bundle& bundle, const onnx::SessionOptions& options) {
  const Result<onnx::File> file = onnx::File::open(bundle.textual->file);
  if (!file) return file.error();
  Result<TextTensors> tensors = choose_text_tensors(*file, bundle);
  if (!tensors) return tensors.error();
  Result<TextInput> input = TextInput::open(bundle, tensors->ids);
  if (!input) return input.error();
  std::unique_ptr<TextEncoder> encoder(new TextEncoder);
  encoder->impl_ = std::make_unique<Impl>(*std::move(tensors), *std::move(input));
  if (Status loaded = encoder->impl_->load(*file, bundle, options); !loaded) return loaded.error();
  return encoder;
}

int TextEncoder::embedding_size() const {
  return impl_->embedding_size;
}

const TextInput& TextEncoder::input() const {
  return impl_->input;
}

std::size_t TextEncoder::batch() const {
  return impl_->fixed_batch ? 1 : kBatch;
}

Result<TextMatrix> TextEncoder::encode(std::span<const std::string> texts) {
  std::vector<std::vector<TokenId>> ids;
  for (const std::string& text : texts) ids.push_back(impl_->input.ids(text));
  Result<TextMatrix> rows = impl_->fixed_batch ? impl_->run_each(*impl_->session, ids)
                                               : impl_->run(*impl_->session, ids, impl_->padded_length(ids));
  if (!rows) return rows;
  for (Eigen::Index i = 0; i < rows->rows(); ++i) {
    Eigen::VectorXf row = rows->row(i);
    if (Status fit = check_embedding(row, "\"" + texts[static_cast<std::size_t>(i)] + "\""); !fit)
      return Error{ErrorCode::kRuntime, "the text tower failed: " + fit.error().message};
    rows->row(i) = row;
  }
  return rows;
}

}  // namespace bcp::clip
