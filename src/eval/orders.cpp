// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/orders.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "eval/groups.hpp"
#include "eval/random.hpp"

namespace bcp::eval {
namespace {

// Assigns each of `members` to one of the spans.
void spread(const Order& members, double gamma, Random& random, std::vector<Order>& spans) {
  constexpr std::uint64_t kUnit = 1'000'000;  // weight of one sample
  std::vector<std::uint64_t> weights(spans.size(), static_cast<std::uint64_t>(std::llround(gamma * kUnit)));
  std::uint64_t total = weights[0] * weights.size();
  for (const std::uint32_t sample : members) {
    std::uint64_t drawn = random.below(total);
    std::size_t span = 0;
    while (drawn >= weights[span]) drawn -= weights[span++];
    spans[span].push_back(sample);
    weights[span] += kUnit;
    total += kUnit;
  }
}

Error no_order(const std::string& path, std::size_t row, const std::string& why, std::size_t samples) {
  return Error{ErrorCode::kInvalid, "order " + std::to_string(row) + " in " + path + " " + why +
                                        ": an order must have each of the numbers 0 to " + std::to_string(samples - 1) +
                                        " once"};
}

Result<Order> order_of(const std::vector<double>& numbers, const std::string& path, std::size_t row) {
  Order order;
  order.reserve(numbers.size());
  std::vector<bool> taken(numbers.size());
  for (const double number : numbers) {
    char shown[32];
    std::snprintf(shown, sizeof shown, "%g", number);
    if (!(number >= 0 && number < static_cast<double>(numbers.size())) || number != std::floor(number))
      return no_order(path, row, std::string("has ") + shown + " in it", numbers.size());
    const auto sample = static_cast<std::uint32_t>(number);
    if (taken[sample]) return no_order(path, row, std::string("has ") + shown + " in it twice", numbers.size());
    taken[sample] = true;
    order.push_back(sample);
  }
  return order;
}

}  // namespace

Order file_order(std::size_t samples) {
  Order order(samples);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

Order shuffled_order(std::size_t samples, std::uint64_t seed) {
  Order order = file_order(samples);
  Random(seed).shuffle(order);
  return order;
}

Order dirichlet_order(const Truth& truth, double gamma, std::uint64_t seed) {
  std::vector<Order> groups(truth.labels + 1);  // the last one: samples without labels
  const std::vector<int> rarest = rarest_labels(truth);
  for (std::size_t t = 0; t < truth.samples; ++t)
    groups[rarest[t] >= 0 ? static_cast<std::size_t>(rarest[t]) : truth.labels].push_back(
        static_cast<std::uint32_t>(t));
  std::erase_if(groups, [](const Order& group) { return group.empty(); });

  Random random(seed);
  std::vector<Order> spans(groups.size());
  for (Order& group : groups) {
    random.shuffle(group);
    spread(group, gamma, random, spans);
  }
  Order order;
  order.reserve(truth.samples);
  for (Order& span : spans) {
    random.shuffle(span);
    order.insert(order.end(), span.begin(), span.end());
  }
  return order;
}

Result<std::vector<Order>> load_orders(const std::string& path, std::size_t samples) {
  Result<NpyReader> file = NpyReader::open(path);
  if (!file) return file.error();
  const std::vector<std::size_t>& shape = file->shape();
  const bool one = shape.size() == 1;
  if ((!one && shape.size() != 2) || shape.back() != samples || shape[0] == 0)
    return Error{ErrorCode::kInvalid, path + " does not contain orders of " + std::to_string(samples) +
                                          " samples: give one order [" + std::to_string(samples) +
                                          "], or several [R, " + std::to_string(samples) + "]"};
  std::vector<Order> orders;
  std::vector<double> numbers(samples);
  for (std::size_t row = 0; row < (one ? 1 : shape[0]); ++row) {
    for (std::size_t i = 0; one && i < samples; ++i)
      if (const Status read = file->row(i, std::span(numbers).subspan(i, 1)); !read) return read.error();
    if (!one)
      if (const Status read = file->row(row, numbers); !read) return read.error();
    Result<Order> order = order_of(numbers, path, row);
    if (!order) return order.error();
    orders.push_back(std::move(*order));
  }
  return orders;
}

}  // namespace bcp::eval
