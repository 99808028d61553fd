// SPDX-License-Identifier: LGPL-2.1-or-later

#include "eval/peers/bank.hpp"

#include <algorithm>

namespace bcp::eval {

bool Bank::accepts(std::size_t label, double entropy) const {
  const Shelf& shelf = shelves_[label];
  return shelf.order.size() < capacity_ || entropy < shelf.entropies[shelf.order.back()];
}

std::size_t Bank::keep(std::size_t label, std::span<const float> embedding, double entropy) {
  Shelf& shelf = shelves_[label];
  std::uint32_t place;
  if (shelf.order.size() < capacity_) {
    place = static_cast<std::uint32_t>(shelf.order.size());
    if (place == 0) shelf.rows.resize(capacity_ * width_);
    shelf.entropies.push_back(entropy);
    ++size_;
  } else {
    place = shelf.order.back();
    shelf.order.pop_back();
    shelf.entropies[place] = entropy;
  }
  std::copy(embedding.begin(), embedding.end(), shelf.rows.begin() + static_cast<std::ptrdiff_t>(place * width_));
  const auto after = std::upper_bound(shelf.order.begin(), shelf.order.end(), entropy,
                                      [&](double value, std::uint32_t p) { return value < shelf.entropies[p]; });
  shelf.order.insert(after, place);
  return place;
}

Eigen::Map<const Bank::Rows> Bank::rows(std::size_t label) const {
  const Shelf& shelf = shelves_[label];
  return {shelf.rows.data(), static_cast<Eigen::Index>(shelf.order.size()), static_cast<Eigen::Index>(width_)};
}

}  // namespace bcp::eval
