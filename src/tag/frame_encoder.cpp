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
  embeddings_.resize(static_cast<std::size_t>(preprocessor_->tiles() * encoder_.embedding_size()));
  return ok();
}

void FrameEncoder::preprocess(const image::Picture& picture) {
  preprocessor_->run(picture, tensor_);
}

Result<std::span<const float>> FrameEncoder::infer() {
  const int tiles = preprocessor_->tiles();
  if (Status encoded = encoder_.encode(tensor_, tiles, embeddings_); !encoded) return encoded.error();
  const auto size = static_cast<std::size_t>(encoder_.embedding_size());
  if (tiles > 1) {
    Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> rows(embeddings_.data(), tiles,
                                                                                           encoder_.embedding_size());
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
