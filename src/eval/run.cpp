// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/run.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace bcp::eval {

Result<Run> run_method(Stream& stream, const Order& order, const Method& method, const Ticks& ticks) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kTick = 256;
  const std::size_t samples = order.size();
  Result<std::unique_ptr<Adapter>> adapter = Adapter::make(method, stream.text());
  if (!adapter) return adapter.error();
  Run run{.logits = {samples, stream.labels()},
          .softmax = {samples, stream.labels()},
          .likeliest = std::vector<std::uint32_t>(samples),
          .confidence = std::vector<double>(samples),
          .microseconds = std::vector<float>(samples),
          .seen = std::nullopt};
  adapt::Scores scores;
  for (std::size_t i = 0; i < samples; ++i) {
    const Result<Sample> sample = stream.sample(order[i]);
    if (!sample) return sample.error();
    const auto start = Clock::now();
    if (const Status adapted = (*adapter)->adapt(*sample, std::nullopt, scores); !adapted) return adapted.error();
    run.microseconds[i] = std::chrono::duration<float, std::micro>(Clock::now() - start).count();
    run.logits.set_row(i, scores.corrected);
    run.softmax.set_row(i, scores.probability);
    const std::vector<double>& p = scores.zero_shot_probability;
    const auto top = std::max_element(p.begin(), p.end());
    run.likeliest[i] = static_cast<std::uint32_t>(top - p.begin());
    run.confidence[i] = *top;
    if (ticks && (i + 1) % kTick == 0) ticks(i + 1);
  }
  if (stream.labels() <= kMostPairedLabels) run.seen = (*adapter)->seen();
  return run;
}

}  // namespace bcp::eval
