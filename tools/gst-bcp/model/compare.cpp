// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares what a model computes with its reference values.

#include <optional>
#include <span>

#include "adapt/softmax.hpp"
#include "clip/text_bank.hpp"
#include "clip/text_encoder.hpp"
#include "gst-bcp/common/picture_file.hpp"
#include "gst-bcp/model/golden.hpp"
#include "image/preprocessor.hpp"

namespace bcp::cli {
namespace {

struct PictureEmbedding {
  std::vector<float> unit;
  float length = 0;  // before normalisation
};

Result<PictureEmbedding> embed(const std::string& picture, clip::Model& model) {
  const Result<PictureFile> file = PictureFile::read(picture);
  if (!file) return file.error();
  Result<image::Preprocessor> preprocessor =
      image::Preprocessor::make(file->format(), model.bundle().tensor, image::Coverage::kCentre);
  if (!preprocessor) return Error{preprocessor.error().code, picture + ": " + preprocessor.error().message};
  std::vector<float> tensor(preprocessor->tensor_size());
  preprocessor->run(file->picture(), tensor);
  PictureEmbedding embedding;
  embedding.unit.resize(static_cast<std::size_t>(model.encoder().embedding_size()));
  const Status encoded = model.encoder().encode(tensor, 1, embedding.unit, std::span(&embedding.length, 1));
  if (!encoded) return encoded.error();
  return embedding;
}

Result<clip::TextMatrix> embed(const std::vector<std::string>& texts, clip::Model& model,
                               clip::TextEncoder* text_encoder) {
  if (text_encoder) return text_encoder->encode(texts);
  std::vector<clip::Label> labels;
  for (const std::string& text : texts) labels.push_back({.name = text});
  Result<clip::LabelSet> set = model.labels().encode(std::move(labels), {}, {});
  if (!set) return set.error();
  return std::move(set->embeddings);
}

}  // namespace

Result<std::vector<Compared>> compare(const Golden& golden, clip::Model& model, clip::TextEncoder* text_encoder) {
  const Result<PictureEmbedding> picture = embed(golden.picture, model);
  if (!picture) return picture.error();
  std::vector<Compared> rows;
  if (!golden.texts.empty()) {
    const Result<clip::TextMatrix> texts = embed(golden.texts, model, text_encoder);
    if (!texts) return texts.error();
    std::vector<double> logits(golden.texts.size()), softmax(golden.texts.size());
    clip::score(*texts, picture->unit, model.bundle().logit_scale, logits, model.bundle().logit_bias);
    adapt::softmax(logits, softmax);
    for (std::size_t i = 0; i < golden.logits.size(); ++i)
      rows.push_back({"logit of \"" + golden.texts[i] + "\"", golden.logits[i], logits[i], golden.logits_tolerance});
    for (std::size_t i = 0; i < golden.softmax.size(); ++i)
      rows.push_back(
          {"softmax of \"" + golden.texts[i] + "\"", golden.softmax[i], softmax[i], golden.softmax_tolerance});
  }
  if (golden.embedding.size() > picture->unit.size())
    return Error{ErrorCode::kInvalid, golden.file + " has " + std::to_string(golden.embedding.size()) +
                                          " numbers of an embedding, but the model gives " +
                                          std::to_string(picture->unit.size()) + ": it is for another model"};
  const double length = golden.normalised ? 1 : static_cast<double>(picture->length);
  for (std::size_t i = 0; i < golden.embedding.size(); ++i)
    rows.push_back({"number " + std::to_string(i + 1) + " of the picture's embedding", golden.embedding[i],
                    length * static_cast<double>(picture->unit[i]), golden.embedding_tolerance});
  return rows;
}

}  // namespace bcp::cli
