// SPDX-License-Identifier: LGPL-2.1-or-later

#include "eval/peers/gaussian_alignment.hpp"

#include <cmath>

namespace bcp::eval {
namespace {

// The authors' scripts/ADAPT_online_TTA.sh, and `imagenet` in custom_scale.
constexpr std::size_t kBankSize = 16;  // bank_size
constexpr double kShare = 0.9;         // alpha
constexpr double kTemperature = 20;
// Ours: below this total variance, the embeddings are one point, and the covariance is only rounding.
constexpr double kPoint = 1e-9;

}  // namespace

Result<std::unique_ptr<Peer>> GaussianAlignment::make(const Labels& labels) {
  const auto count = static_cast<double>(labels.count), width = static_cast<double>(labels.width);
  const double bytes = count * width * (static_cast<double>(kBankSize + 1) * sizeof(float) + 2 * sizeof(double)) +
                       2 * width * width * sizeof(double);
  if (bytes > static_cast<double>(kMaxPeerBytes)) return too_large("ADAPT", labels, bytes);
  return std::unique_ptr<Peer>(new GaussianAlignment(labels));
}

GaussianAlignment::GaussianAlignment(const Labels& labels)
    : FrameByFrame(labels, Order::kLearnFirst),
      text_(Eigen::Map<const Bank::Rows>(labels.text.data(), static_cast<Eigen::Index>(labels.count),
                                         static_cast<Eigen::Index>(labels.width))),
      bank_(labels.count, labels.width, kBankSize),
      weights_(labels.count),
      means_(text_.cast<double>().transpose()) {
  const auto size = static_cast<Eigen::Index>(labels.width);
  scatter_ = Eigen::MatrixXd::Zero(size, size);
  sum_ = Eigen::VectorXd::Zero(size);
}

void GaussianAlignment::learn(const Sample& sample, std::span<const double> p) {
  const std::size_t label = likeliest(p);
  const double h = entropy(p);
  if (!bank_.accepts(label, h)) return;
  add_scatter(label, -1);
  const std::size_t place = bank_.keep(label, sample.embedding, h);
  const auto rows = bank_.rows(label);
  std::vector<double>& weights = weights_[label];
  weights.resize(static_cast<std::size_t>(rows.rows()));
  weights[place] = p[label];

  // The newest counts twice, as in the authors' code: as a stored frame, and as the current one.
  Eigen::VectorXd counts = Eigen::Map<const Eigen::VectorXd>(weights.data(), rows.rows());
  counts[static_cast<Eigen::Index>(place)] *= 2;
  const auto k = static_cast<Eigen::Index>(label);
  means_.col(k) = kShare / counts.sum() * (rows.cast<double>().transpose() * counts) +
                  (1 - kShare) * text_.row(k).transpose().cast<double>();
  add_scatter(label, 1);
  stale_ = true;
}

// Adds the label's x_i - mu_k to the sums, or subtracts them.
void GaussianAlignment::add_scatter(std::size_t label, double sign) {
  const auto rows = bank_.rows(label);
  if (rows.rows() == 0) return;
  const Eigen::MatrixXd centred =
      rows.cast<double>().transpose().colwise() - means_.col(static_cast<Eigen::Index>(label));
  scatter_.selfadjointView<Eigen::Lower>().rankUpdate(centred, sign);
  sum_ += sign * centred.rowwise().sum();
}

void GaussianAlignment::refresh() {
  stale_ = false;
  const auto width = static_cast<double>(means_.rows());
  const auto n = static_cast<double>(bank_.size());
  Eigen::MatrixXd inverse;  // of A
  if (n == 1) {
    inverse = Eigen::MatrixXd::Identity(means_.rows(), means_.rows());  // the authors' Sigma of a single frame is I
    spread_ = true;
  } else {
    inverse = scatter_;
    inverse.selfadjointView<Eigen::Lower>().rankUpdate(sum_, -1 / n);  // (n - 1) Sigma
    const double trace = inverse.trace() / (n - 1);
    spread_ = trace > kPoint;
    if (!spread_) return;
    inverse.diagonal().array() += trace;
    inverse /= width;
  }
  factor_.compute(inverse);
  whitened_ = factor_.matrixL().solve(means_);
  offsets_ = whitened_.colwise().squaredNorm().transpose() / 2;
}

void GaussianAlignment::correct(const Sample& sample, std::span<const double> /*p*/, std::span<double> corrected) {
  if (bank_.size() == 0) return;
  if (stale_) refresh();
  const Eigen::Map<const Eigen::VectorXf> x(sample.embedding.data(), means_.rows());
  Eigen::VectorXd u = Eigen::VectorXd::Zero(means_.cols());
  if (spread_) {
    x_ = x.cast<double>();
    factor_.matrixL().solveInPlace(x_);
    u = whitened_.transpose() * x_ - offsets_;
  }
  u.array() -= u.maxCoeff();
  u.array() -= std::log(u.array().exp().sum());
  for (std::size_t label = 0; label < labels(); ++label) {
    const auto rows = bank_.rows(label);
    if (rows.rows() == 0) continue;
    const Eigen::Map<const Eigen::VectorXd> weights(weights_[label].data(), rows.rows());
    u[static_cast<Eigen::Index>(label)] +=
        kTemperature / (2 * static_cast<double>(bank_.size())) * weights.dot((rows * x).cast<double>());
  }
  u.array() -= u.maxCoeff();
  Eigen::Map<Eigen::ArrayXd>(corrected.data(), u.size()) *= (u.array() / kTemperature).exp();
}

}  // namespace bcp::eval
