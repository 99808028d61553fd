// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/frame_encoder.hpp"

#include <Eigen/Core>

namespace bcp::tag {

Status FrameEncoder::configure(const image::PictureFormat& format, image::Coverage coverage) {
  if (preprocessor_ && format == format_ && coverage == coverage_) return ok();
  preprocessor_.reset();
  Result<image::Preprocessor> made = image::Preprocessor::make(format, spec_, coverage);
  if (!made) return made.error();
  preprocessor_.emplace(*std::move(made));
  format_ = format;
  coverage_ = coverage;
  tensor_.resize(preprocessor_->tensor_size());
  embeddings_.resize(static_cast<std::size_t>(preprocessor_->tiles() * embedding_size_));
  return ok();
}

void FrameEncoder::preprocess(const image::Picture& picture) {
  preprocessor_->run(picture, tensor_);
}

clip::Pictures FrameEncoder::pictures() {
  return {tensor_, preprocessor_->tiles(), embeddings_};
}

Result<std::span<const float>> FrameEncoder::infer(clip::SharedEncoder& encoder) {
  const auto [pixels, count, embeddings] = pictures();
  if (Status encoded = encoder.encode(pixels, count, embeddings); !encoded) return encoded.error();
  return embedding();
}

Result<std::span<const float>> FrameEncoder::embedding() {
  const int tiles = preprocessor_->tiles();
  const auto size = static_cast<std::size_t>(embedding_size_);
  if (tiles > 1) {
    Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> rows(embeddings_.data(), tiles,
                                                                                           embedding_size_);
    for (int tile = 1; tile < tiles; ++tile) rows.row(0) += rows.row(tile);
    const float length = rows.row(0).norm();
    if (!(length > 0)) {
      return Error{ErrorCode::kRuntime,
                   "the embeddings of the frame's tiles cancel out: use coverage=centre with this model"};
    }
    rows.row(0) /= length;
  }
  return std::span<const float>(embeddings_).first(size);
}

}  // namespace bcp::tag
