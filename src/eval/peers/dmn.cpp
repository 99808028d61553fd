// SPDX-License-Identifier: LGPL-2.1-or-later

#include "eval/peers/dmn.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "adapt/softmax.hpp"

namespace bcp::eval {
namespace {

// The authors' scripts/run.sh.
constexpr std::size_t kMemorySize = 50;  // memory_size
constexpr double kSharpness = 5.5;       // beta

}  // namespace

Result<std::unique_ptr<Peer>> Dmn::make(const Labels& labels) {
  const double bytes = static_cast<double>(kMemorySize + 1) * static_cast<double>(labels.count) *
                       static_cast<double>(labels.width) * sizeof(float);
  if (bytes > static_cast<double>(kMaxPeerBytes)) return too_large("DMN", labels, bytes);
  return std::unique_ptr<Peer>(new Dmn(labels));
}

Dmn::Dmn(const Labels& labels)
    : FrameByFrame(labels, Order::kLearnFirst),
      scale_(labels.scale),
      text_(Eigen::Map<const Bank::Rows>(labels.text.data(), static_cast<Eigen::Index>(labels.count),
                                         static_cast<Eigen::Index>(labels.width))),
      memory_(labels.count, labels.width, kMemorySize),
      logits_(labels.count),
      q_(labels.count) {}

void Dmn::learn(const Sample& sample, std::span<const double> p) {
  const std::size_t label = likeliest(p);
  const double h = entropy(p);
  if (memory_.accepts(label, h)) memory_.keep(label, sample.embedding, h);
}

void Dmn::correct(const Sample& sample, std::span<const double> p, std::span<double> corrected) {
  const Eigen::Map<const Eigen::VectorXf> x(sample.embedding.data(), text_.cols());
  const auto weight = [](float cosine) { return std::exp(static_cast<float>(kSharpness) * (cosine - 1)); };
  Eigen::VectorXf classifier;
  for (std::size_t k = 0; k < labels(); ++k) {
    const auto text = text_.row(static_cast<Eigen::Index>(k)).transpose();
    classifier = weight(text.dot(x)) * text;
    if (const auto rows = memory_.rows(k); rows.rows() > 0) {
      classifier.noalias() += rows.transpose() * (rows * x).unaryExpr(weight);
    }
    logits_[k] = scale_ * static_cast<double>(classifier.dot(x) / classifier.norm());
  }
  adapt::softmax(logits_, q_);
  // Keeps the scale of plain CLIP's logits: if q is p, nothing changes.
  const double top = *std::max_element(corrected.begin(), corrected.end());
  double sum = 0;
  for (const double s : corrected) sum += std::exp(s - top);
  const double level = top + std::log(sum);
  for (std::size_t k = 0; k < labels(); ++k) {
    // Both can underflow to 0, which has no logarithm.
    corrected[k] = level + std::log(std::max((p[k] + q_[k]) / 2, std::numeric_limits<double>::min()));
  }
}

}  // namespace bcp::eval
