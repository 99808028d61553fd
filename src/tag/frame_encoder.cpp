// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/frame_encoder.hpp"

#include <Eigen/Core>
#include <algorithm>

#include "image/geometry.hpp"

namespace bcp::tag {

image::TensorSpec input_for(image::TensorSpec spec, const std::string& precision) {
  spec.accuracy = precision == "fp32" ? image::Accuracy::kExact : image::Accuracy::kClose;
  return spec;
}

Status FrameEncoder::configure(const image::PictureFormat& format, image::Coverage coverage) {
  if (preprocessor_ && format == format_ && coverage == coverage_) return ok();
  preprocessor_.reset();
  Result<image::Preprocessor> made = image::Preprocessor::make(format, spec_, coverage);
  if (!made) return made.error();
  preprocessor_.emplace(*std::move(made));
  seen_ = image::seen_part(format, spec_, coverage);
  format_ = format;
  coverage_ = coverage;
  return ok();
}

void FrameEncoder::preprocess(const image::Picture& frame) {
  begin();
  add(*preprocessor_, frame);
}

Status FrameEncoder::preprocess(const image::Picture& frame, bool whole, std::span<const image::Rect> parts) {
  begin();
  if (whole) add(*preprocessor_, frame);
  image::TensorSpec exact = spec_;
  exact.accuracy = image::Accuracy::kExact;
  for (const image::Rect& part : parts) {
    Result<image::Preprocessor> made = image::Preprocessor::make(format_, part, exact, coverage_);
    if (!made) return made.error();
    add(*made, frame);
  }
  return ok();
}

void FrameEncoder::begin() {
  first_.resize(1);
  used_ = 0;
}

void FrameEncoder::add(image::Preprocessor& preprocessor, const image::Picture& frame) {
  const std::size_t size = preprocessor.tensor_size();
  if (tensor_.size() < used_ + size) tensor_.resize(used_ + size);
  preprocessor.run(frame, std::span(tensor_).subspan(used_, size));
  used_ += size;
  first_.push_back(first_.back() + preprocessor.tiles());
}

clip::Pictures FrameEncoder::pictures() {
  const int count = first_.back();
  const auto size = static_cast<std::size_t>(count) * static_cast<std::size_t>(embedding_size_);
  if (embeddings_.size() < size) embeddings_.resize(size);
  std::fill_n(embeddings_.begin(), size, 0.0F);  // drops the earlier frame, also if this one cannot be encoded
  return {std::span(tensor_).first(used_), count, std::span(embeddings_).first(size)};
}

Result<std::span<const float>> FrameEncoder::infer(clip::SharedEncoder& encoder) {
  if (Status encoded = encoder.encode(pictures()); !encoded) return encoded.error();
  return embedding();
}

Result<std::span<const float>> FrameEncoder::embedding(std::size_t number) {
  const int first = first_[number], tiles = first_[number + 1] - first;
  const auto size = static_cast<std::size_t>(embedding_size_);
  const std::span of_tiles =
      std::span(embeddings_).subspan(static_cast<std::size_t>(first) * size, static_cast<std::size_t>(tiles) * size);
  Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> rows(of_tiles.data(), tiles,
                                                                                         embedding_size_);
  if ((rows.rowwise().squaredNorm().array() == 0).any())
    return Error{ErrorCode::kRuntime, "a picture could not be encoded: it gets no labels"};
  if (tiles > 1) {
    for (int tile = 1; tile < tiles; ++tile) rows.row(0) += rows.row(tile);
    const float length = rows.row(0).norm();
    if (!(length > 0)) {
      return Error{ErrorCode::kRuntime,
                   "the embeddings of the frame's tiles cancel out: use coverage=centre with this model"};
    }
    rows.row(0) /= length;
  }
  return std::span<const float>(of_tiles.first(size));
}

}  // namespace bcp::tag
