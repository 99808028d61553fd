// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/scene_share.hpp"

#include <algorithm>
#include <cmath>

#include "adapt/vectors.hpp"

namespace bcp::adapt {
namespace {

constexpr double kLeast = 1e-30;                                      // of a share; 0 has no logarithm
constexpr std::size_t kCandidates = SceneShare::kSamples.size() + 1;  // the last: one prior

double share_of(std::size_t candidate, double samples) {
  if (candidate + 1 == kCandidates || samples <= SceneShare::kSamples[candidate]) return 1;
  return SceneShare::kSamples[candidate] / samples;
}

}  // namespace

// Labels that were added later have fewer samples than the m and n used here: their P(k|a) is too low, for every
// candidate.
void SceneShare::observe(std::span<const double> p, const Cooccurrence& own, const Cooccurrence& others) {
  const double samples = others.samples();
  if (own.samples() < kFewest || !(samples > 0) || p.size() < 2) return;
  const double most = vectors::largest(p).value, rest = vectors::sum(p) - most;
  const auto a = static_cast<std::size_t>(std::find(p.begin(), p.end(), most) - p.begin());
  if (!(rest > 0)) return;  // it says nothing about other labels
  own_.resize(p.size());
  others_.resize(p.size());
  own.column(a, own_);
  others.column(a, others_);
  const std::span<const double> m = own.single(), m_others = others.single();
  const double own_pairs = vectors::sum(own_) - own_[a], others_pairs = vectors::sum(others_) - others_[a];
  const double own_mass = vectors::sum(m) - m[a], others_mass = vectors::sum(m_others) - m_others[a];

  std::array<double, kCandidates> scores{};
  for (std::size_t c = 0; c < kCandidates; ++c) {
    const double share = share_of(c, samples), independent = kLambda / (own.samples() + share * samples);
    const double all = own_pairs + share * others_pairs + independent * (own_mass + share * others_mass);
    if (!(all > 0)) return;
    for (std::size_t k = 0; k < p.size(); ++k) {
      if (k == a || p[k] < kFaint) continue;
      const double pairs = own_[k] + share * others_[k] + independent * (m[k] + share * m_others[k]);
      scores[c] += p[k] / rest * std::log(std::max(pairs / all, kLeast));
    }
  }
  for (std::size_t c = 0; c < evidence_.size(); ++c) evidence_[c] += scores[c] - scores.back() - evidence_[c] / kMemory;
}

double SceneShare::share(double samples) const {
  std::array<double, kCandidates> logs{};
  std::copy(evidence_.begin(), evidence_.end(), logs.begin());
  logs.back() = kOnePrior;
  const double top = *std::max_element(logs.begin(), logs.end());
  double sum = 0, shares = 0;
  for (std::size_t c = 0; c < kCandidates; ++c) {
    const double weight = std::exp(logs[c] - top);
    sum += weight;
    shares += weight * share_of(c, samples);
  }
  return shares / sum;
}

}  // namespace bcp::adapt
