// SPDX-License-Identifier: LGPL-2.1-or-later
// A made-up camera for bench-fleet: 80 labels, of which a few are likely in its picture, together.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fleet/node.hpp"

namespace bcp::bench {

inline constexpr std::size_t kLabels = 80;

inline std::vector<std::string> label_names(std::size_t labels = kLabels) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < labels; ++k) names.push_back("label " + std::to_string(k));
  return names;
}

inline std::vector<double> frame_of(unsigned camera, std::mt19937& random, std::size_t labels = kLabels) {
  std::normal_distribution<double> noise(0, 1);
  std::vector<double> logits(labels);
  for (double& each : logits) each = noise(random);
  for (unsigned i = 0; i < 3; ++i) logits[(camera * 7 + i * (1 + random() % 3)) % labels] += 5;
  return logits;
}

// A stream that learns. With a half-life, it also skips frames like the last one that it learnt.
struct Camera final : fleet::Node::Reports {
  explicit Camera(double half_life = 0)
      : group(prior::PriorGroup::alone("model")), learnt(group->learnt(label_names())) {
    learnt->join();
    settings.half_life = half_life;
    settings.warm_up = false;
  }
  ~Camera() { learnt->leave(); }
  Camera(const Camera&) = delete;
  Camera& operator=(const Camera&) = delete;

  void fault(fleet::Fault, const Error& error) override { std::printf("fault: %s\n", error.message.c_str()); }
  void note(const std::string& text) override { std::printf("note: %s\n", text.c_str()); }
  void see(const std::vector<double>& logits) {
    const auto is_new = [&] { return settings.half_life == 0 || logits != last; };
    const Result<bool> learns = learnt->tag(logits, settings, scores, is_new);
    if (learns && *learns) last = logits;
  }

  std::shared_ptr<prior::PriorGroup> group;
  std::shared_ptr<prior::Learnt> learnt;
  adapt::BcpSettings settings;
  adapt::Scores scores;
  std::vector<double> last;
  fleet::Stop stop;
  std::unique_ptr<fleet::Node> node;
};

// The corrected probabilities of 200 frames of all cameras.
inline std::vector<double> judged(prior::Learnt& learnt) {
  adapt::BcpSettings settings;
  settings.anchor_confidence = 0.1;
  settings.warm_up = false;
  std::mt19937 random(99);
  std::vector<double> all;
  adapt::Scores scores;
  for (unsigned i = 0; i < 200; ++i) {
    (void)learnt.correct(frame_of(i, random), settings, scores);
    all.insert(all.end(), scores.probability.begin(), scores.probability.end());
  }
  return all;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// Each prints its part and returns whether the work was done.
bool processes_converge(unsigned nodes, int frames);
bool simulation_converges(unsigned nodes, int frames, double half_life);
bool frames_do_not_wait(bool quick);
bool sizes(bool quick);

}  // namespace bcp::bench
