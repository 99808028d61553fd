// SPDX-License-Identifier: LGPL-2.1-or-later
//
// ADAPT, test-time adaptation via probabilistic Gaussian alignment (Zhang et al., NeurIPS 2025), online, in its
// authors' settings for ImageNet.
//
// Up to 16 unit embeddings x_i per label, n in total, are stored by the most probable label k_i of their frame, those
// with the lowest entropy, with their p_i. Each label has a mean, which starts as its text embedding t_k. When x is
// stored for k,
//   mu_k <- 0.9 (sum_i p_i x_i + p x) / (sum_i p_i + p) + 0.1 t_k         over those of k, x among them
//   A    <- D ((n - 1) Sigma + tr(Sigma) I)^-1                            Sigma: covariance of x_i - mu_k_i
// Every frame is corrected by, with g_k = x' A mu_k - mu_k' A mu_k / 2 and T = 20,
//   u_k  = log softmax(g)_k + T / (2 n) sum_i p_i <x, x_i>                over those of k
//   s*_k = s_k exp((u_k - max u) / T)
//
// A frame is stored before it is corrected; without stored frames, s* = s. Sources and doubts: README.md.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "eval/peers/bank.hpp"
#include "eval/peers/frame_by_frame.hpp"

namespace bcp::eval {

class GaussianAlignment final : public FrameByFrame {
 public:
  static Result<std::unique_ptr<Peer>> make(const Labels& labels);

 private:
  explicit GaussianAlignment(const Labels& labels);
  void learn(const Sample& sample, std::span<const double> p) override;
  void correct(const Sample& sample, std::span<const double> p, std::span<double> corrected) override;
  void add_scatter(std::size_t label, double sign);
  void refresh();

  Bank::Rows text_;
  Bank bank_;
  std::vector<std::vector<double>> weights_;  // p_i, by label and position in bank_
  Eigen::MatrixXd means_;                     // column k is mu_k
  // Of all x_i - mu_k_i. When a label changes, its part is subtracted and added again.
  Eigen::MatrixXd scatter_;  // sum of products, lower triangle
  Eigen::VectorXd sum_;

  // Computed from the above, at the first correction after a frame was stored.
  bool stale_ = false;
  bool spread_ = false;                 // false: all are one point, and A is 0
  Eigen::LLT<Eigen::MatrixXd> factor_;  // L L' = A^-1
  Eigen::MatrixXd whitened_;            // column k is L^-1 mu_k
  Eigen::VectorXd offsets_;             // mu_k' A mu_k / 2

  Eigen::VectorXd x_;  // scratch
};

}  // namespace bcp::eval
