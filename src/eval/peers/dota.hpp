// SPDX-License-Identifier: LGPL-2.1-or-later
//
// DOTA, distributional test-time adaptation (Han et al., NeurIPS 2025), in its authors' settings for ImageNet.
//
// Each label k has a Gaussian of the embeddings x seen so far, weighted by plain CLIP's p_k, which starts as one
// pseudo-sample: c_k = 1, mu_k = 0.001 everywhere, Sigma_k = 0.002 I. A frame is learnt by
//   Sigma_k <- (c_k Sigma_k + p_k (x - mu_k)(x - mu_k)') / (c_k + p_k)
//   mu_k    <- (c_k mu_k + p_k x) / (c_k + p_k),   c_k <- c_k + p_k
// and corrected, before that, with the covariance all labels share, A = ((1 - e) mean_k Sigma_k + e I)^-1, e = 0.0001:
//   s*_k = s_k + min(0.005 mean(c), 0.2) (x' A mu_k - mu_k' A mu_k / 2)
// Until the first frame is learnt, A = I / 0.002.
//
// Weights below 1e-6 do not change a covariance; a label without a larger weight needs no memory for one. Sources,
// doubts and cost: README.md.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "eval/peers/frame_by_frame.hpp"

namespace bcp::eval {

class Dota final : public FrameByFrame {
 public:
  static Result<std::unique_ptr<Peer>> make(const Labels& labels);

 private:
  explicit Dota(const Labels& labels);
  void learn(const Sample& sample, std::span<const double> p) override;
  void correct(const Sample& sample, std::span<const double> p, std::span<double> corrected) override;
  void learn_covariance(std::size_t label, const Eigen::VectorXd& x, double share);
  void refresh();

  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Eigen::MatrixXd means_;                       // column k is mu_k
  Eigen::VectorXd counts_;                      // c
  std::vector<std::vector<float>> covariance_;  // lower triangle by rows; empty: the initial value
  RowMajor shared_;                             // the mean of all, lower triangle

  // Computed from the above, at the first correction after learning.
  bool stale_ = true;
  Eigen::LLT<Eigen::MatrixXd> factor_;  // L L' = A^-1
  Eigen::MatrixXd whitened_;            // column k is L^-1 mu_k
  Eigen::VectorXd offsets_;             // mu_k' A mu_k / 2

  Eigen::VectorXd x_;             // scratch
  std::vector<float> from_mean_;  // scratch of learn_covariance
};

}  // namespace bcp::eval
