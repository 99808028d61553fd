// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The cost of correcting and learning one frame: BCP, and the methods it is compared with.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "adapt/bcp.hpp"
#include "benchmark_main.hpp"
#include "eval/peers/peer.hpp"

namespace {

using namespace bcp::adapt;
using namespace bcp::eval;

// Whether the scores of a frame are finite and were changed.
bool is_corrected(const Scores& scores, const std::vector<double>& logits) {
  bool moved = false;
  for (std::size_t k = 0; k < logits.size(); ++k) {
    if (!std::isfinite(scores.corrected[k])) return false;
    moved = moved || scores.corrected[k] != logits[k];
  }
  return moved;
}

void correct_and_learn(benchmark::State& state, const BcpSettings& settings) {
  const auto labels = static_cast<std::size_t>(state.range(0));
  std::mt19937 random(1);
  std::normal_distribution<double> noise(20, 2);
  std::vector<std::vector<double>> frames(64, std::vector<double>(labels));
  for (auto& frame : frames) {
    for (double& s : frame) s = noise(random);
    // The paper corrects only frames with a top probability above 0.5.
    frame[random() % labels] += settings.anchor_confidence < 0.5 ? 10 : 8 + std::log(static_cast<double>(labels));
  }
  Bcp bcp(labels);
  Scores scores;
  std::size_t t = 0;
  for (auto _ : state) {
    const auto& frame = frames[t++ % frames.size()];
    bench::require(static_cast<bool>(bcp.correct(frame, settings, scores)), "a frame was refused");
    bcp.learn(scores, settings);  // like Learnt::tag()
    benchmark::DoNotOptimize(scores.corrected.data());
  }
  bench::require(bcp.seen().samples() > 0.8 * std::min(static_cast<double>(t), 500.0), "the frames were not learnt");
  while (t < frames.size()) bench::require(static_cast<bool>(bcp.learn(frames[t++], settings)), "a frame was refused");
  bench::require(bcp.correct(frames[0], settings, scores) && is_corrected(scores, frames[0]),
                 "what was learnt corrects nothing");
}
void all_sizes(benchmark::internal::Benchmark* benchmark) {
  for (const int labels : {20, 80, 1000, 2048, 10'000, 20'000}) benchmark->Arg(labels);
  benchmark->Unit(benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(correct_and_learn, one_anchor, BcpSettings{.anchor_confidence = 0.01, .shrinkage = 5})
    ->Apply(all_sizes);
BENCHMARK_CAPTURE(correct_and_learn, paper, preset_settings(Preset::kPaper).bcp)->Apply(all_sizes);
BENCHMARK_CAPTURE(correct_and_learn, video, preset_settings(Preset::kVideo).bcp)->Apply(all_sizes);

// Unit vectors of 512 numbers. Frames are as close to a label's text as real pictures.
struct Embedded {
  static constexpr std::size_t kWidth = 512;
  static constexpr double kScale = 100;

  explicit Embedded(std::size_t labels) : text(labels * kWidth), frames(256), logits(256, std::vector<double>(labels)) {
    std::mt19937 random(1);
    std::normal_distribution<float> noise;
    const auto fill = [&](std::span<float> row, std::span<const float> near) {
      float squares = 0;
      for (std::size_t i = 0; i < kWidth; ++i) {
        row[i] = noise(random) / 22.6F + (near.empty() ? 0 : 0.35F * near[i]);
        squares += row[i] * row[i];
      }
      for (float& x : row) x /= std::sqrt(squares);
    };
    for (std::size_t k = 0; k < labels; ++k) fill(std::span(text).subspan(k * kWidth, kWidth), {});
    for (std::size_t t = 0; t < frames.size(); ++t) {
      frames[t].resize(kWidth);
      fill(frames[t], std::span(text).subspan(random() % labels * kWidth, kWidth));
      for (std::size_t k = 0; k < labels; ++k) {
        double product = 0;
        for (std::size_t i = 0; i < kWidth; ++i) product += static_cast<double>(frames[t][i] * text[k * kWidth + i]);
        logits[t][k] = kScale * product;
      }
    }
  }

  std::vector<float> text;
  std::vector<std::vector<float>> frames;
  std::vector<std::vector<double>> logits;
};

void peer(benchmark::State& state, MethodKind correction, bool learn) {
  const auto labels = static_cast<std::size_t>(state.range(0));
  const Embedded stream(labels);
  auto made = Peer::make(correction,
                         {.count = labels, .width = Embedded::kWidth, .text = stream.text, .scale = Embedded::kScale});
  bench::require(static_cast<bool>(made), made ? "" : made.error().message);
  Scores scores;
  std::size_t t = 0;
  const auto next = [&](bool learnt) {
    const std::size_t i = t++ % stream.frames.size();
    return static_cast<bool>((*made)->adapt({stream.logits[i], stream.frames[i]}, learnt, scores));
  };
  // Methods that store frames start with a full store, if filling it is cheap. The others cost the same from the first
  // frame on.
  const bool cheap = correction == MethodKind::kTda || correction == MethodKind::kDmn;
  const std::size_t before = !cheap ? 40 : labels > 100 ? 2 * labels : 60 * labels;
  while (t < before) bench::require(next(true), "a frame was refused");
  for (auto _ : state) {
    bench::require(next(learn), "a frame was refused");
    benchmark::DoNotOptimize(scores.corrected.data());
  }
  bench::require(is_corrected(scores, stream.logits[(t - 1) % stream.frames.size()]), "the method corrects nothing");
}

}  // namespace

int main(int argc, char** argv) {
  for (const MethodInfo& info : method_kinds()) {
    if (!info.wants_embeddings) continue;
    for (const bool learn : {true, false}) {
      const std::string name = std::string(info.nick) + (learn ? "/correct_and_learn" : "/correct");
      benchmark::RegisterBenchmark(name.c_str(), peer, info.kind, learn)
          ->Arg(20)
          ->Arg(80)
          ->Arg(1000)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  return bench::run_benchmarks(argc, argv, "/20$");
}
