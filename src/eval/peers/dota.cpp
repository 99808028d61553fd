// SPDX-License-Identifier: LGPL-2.1-or-later

#include "eval/peers/dota.hpp"

#include <algorithm>

namespace bcp::eval {
namespace {

// The authors' configs/vit/imagenet.yaml, and the start of the means in their dota_gda_em_aug.py.
constexpr double kStartMean = 0.001;
constexpr double kStartVariance = 0.002;  // sigma
constexpr double kRidge = 0.0001;         // epsilon
constexpr double kWeightGrowth = 0.005;   // rho
constexpr double kMostWeight = 0.2;       // eta
// Ours: p below this changes a covariance by less than one pseudo-sample in a million frames.
constexpr double kFloor = 1e-6;

std::size_t triangle(std::size_t width) {
  return width * (width + 1) / 2;
}

}  // namespace

Result<std::unique_ptr<Peer>> Dota::make(const Labels& labels) {
  const auto count = static_cast<double>(labels.count), width = static_cast<double>(labels.width);
  const double bytes =
      count * (static_cast<double>(triangle(labels.width)) * sizeof(float) + 2 * width * sizeof(double)) +
      2 * width * width * sizeof(double);
  if (bytes > static_cast<double>(kMaxPeerBytes)) return too_large("DOTA", labels, bytes);
  return std::unique_ptr<Peer>(new Dota(labels));
}

Dota::Dota(const Labels& labels)
    : FrameByFrame(labels, Order::kCorrectFirst), covariance_(labels.count), from_mean_(labels.width) {
  const auto count = static_cast<Eigen::Index>(labels.count), size = static_cast<Eigen::Index>(labels.width);
  means_ = Eigen::MatrixXd::Constant(size, count, kStartMean);
  counts_ = Eigen::VectorXd::Ones(count);
  shared_ = kStartVariance * RowMajor::Identity(size, size);
}

void Dota::learn(const Sample& sample, std::span<const double> p) {
  x_ = Eigen::Map<const Eigen::VectorXf>(sample.embedding.data(), means_.rows()).cast<double>();
  for (std::size_t label = 0; label < p.size(); ++label) {
    const auto k = static_cast<Eigen::Index>(label);
    const double share = p[label] / (counts_[k] + p[label]);
    if (p[label] >= kFloor) learn_covariance(label, x_, share);
    means_.col(k) += share * (x_ - means_.col(k));
    counts_[k] += p[label];
  }
  stale_ = true;
}

// Sigma_k += share ((x - mu_k)(x - mu_k)' - Sigma_k), and the mean of all with it.
void Dota::learn_covariance(std::size_t label, const Eigen::VectorXd& x, double share) {
  std::vector<float>& covariance = covariance_[label];
  if (covariance.empty()) {
    covariance.assign(triangle(width()), 0.0F);
    for (std::size_t i = 0; i < width(); ++i) covariance[triangle(i) + i] = static_cast<float>(kStartVariance);
  }
  const auto k = static_cast<Eigen::Index>(label);
  Eigen::Map<Eigen::VectorXf>(from_mean_.data(), x.size()) = (x - means_.col(k)).cast<float>();
  const auto weight = static_cast<float>(share);
  const double part = 1 / static_cast<double>(labels());
  float* row = covariance.data();
  for (std::size_t i = 0; i < width(); ++i) {
    const float d = from_mean_[i];
    double* shared = shared_.row(static_cast<Eigen::Index>(i)).data();
    for (std::size_t j = 0; j <= i; ++j) {
      const float change = weight * (d * from_mean_[j] - row[j]);
      row[j] += change;
      shared[j] += part * static_cast<double>(change);
    }
    row += i + 1;
  }
}

void Dota::refresh() {
  Eigen::MatrixXd covariance = shared_;
  if (samples() > 0) {
    covariance *= 1 - kRidge;
    covariance.diagonal().array() += kRidge;
  }
  factor_.compute(covariance);
  whitened_ = factor_.matrixL().solve(means_);
  offsets_ = whitened_.colwise().squaredNorm().transpose() / 2;
  stale_ = false;
}

void Dota::correct(const Sample& sample, std::span<const double> /*p*/, std::span<double> corrected) {
  if (stale_) refresh();
  x_ = Eigen::Map<const Eigen::VectorXf>(sample.embedding.data(), means_.rows()).cast<double>();
  factor_.matrixL().solveInPlace(x_);
  const double weight = std::min(kWeightGrowth * counts_.mean(), kMostWeight);
  Eigen::Map<Eigen::VectorXd>(corrected.data(), counts_.size()) += weight * (whitened_.transpose() * x_ - offsets_);
}

}  // namespace bcp::eval
