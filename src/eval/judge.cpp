// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/judge.hpp"

#include <algorithm>

#include "eval/average_precision.hpp"

namespace bcp::eval {
namespace {

template <typename Get>
double mean_over(const std::vector<Figures>& by_order, const Get& get) {
  std::vector<double> each;
  each.reserve(by_order.size());
  for (const Figures& figures : by_order) each.push_back(get(figures));
  return mean(each);
}

double percentile(std::vector<float>& numbers, std::size_t of_hundred) {
  const auto place = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() * of_hundred / 100);
  std::nth_element(numbers.begin(), place, numbers.end());
  return static_cast<double>(*place);
}

}  // namespace

double Judgement::ap(Part part, Ranking ranking, std::size_t label) const {
  return mean_over(by_order, [&](const Figures& figures) { return figures.ap(part, ranking, label); });
}

double Judgement::map(Part part, Ranking ranking) const {
  return mean_over(by_order, [&](const Figures& figures) { return figures.map(part, ranking); });
}

double Judgement::map(Part part, Ranking ranking, std::span<const std::size_t> labels) const {
  return mean_over(by_order, [&](const Figures& figures) { return figures.map(part, ranking, labels); });
}

Judge::Judge(Stream& stream, const Truth& truth, double mu, Progress progress, std::size_t runs)
    : stream_(stream), truth_(truth), mu_(mu), progress_(std::move(progress)), runs_(runs) {}

Result<Judgement> Judge::judge(const Method& method, const std::vector<Order>& orders) {
  Judgement judgement;
  judgement.method = method;
  std::vector<float> times;
  for (const Order& order : orders) {
    const auto ticks = [&](std::size_t samples) {
      if (!progress_) return;
      const double part = static_cast<double>(samples) / static_cast<double>(order.size());
      progress_((static_cast<double>(done_) + part) / static_cast<double>(runs_), method.title);
    };
    Result<Run> run = run_method(stream_, order, method, ticks);
    if (!run) return run.error();
    const Parts parts = parts_of(truth_, order, *run, mu_);
    judgement.by_order.emplace_back(*run, truth_, order, parts);
    times.insert(times.end(), run->microseconds.begin(), run->microseconds.end());
    if (judgement.by_order.size() == 1) {
      for (std::size_t part = 0; part < kParts; ++part) judgement.sizes[part] = size_of(parts, static_cast<Part>(part));
      judgement.seen = std::move(run->seen);
    }
    ++done_;
    ticks(0);
  }
  judgement.microseconds = percentile(times, 50);
  judgement.slowest = percentile(times, 99);
  return judgement;
}

}  // namespace bcp::eval
