// SPDX-License-Identifier: LGPL-2.1-or-later
// Small pictures of events, by the id of their span. Bounded in number and bytes: the oldest are forgotten. Any thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "gst-bcp/run/view/picture_queue.hpp"
#include "support/guarded.hpp"

namespace bcp::cli::view {

class Thumbnails {
 public:
  static constexpr std::size_t kMost = 500;
  static constexpr std::size_t kMostBytes = 8 << 20;

  void put(std::uint64_t span, Jpeg picture);
  // Null: it was not made, or was forgotten.
  Jpeg get(std::uint64_t span) const;
  bool has(std::uint64_t span) const { return get(span) != nullptr; }
  std::size_t bytes() const;

 private:
  struct Store {
    std::map<std::uint64_t, Jpeg> pictures;  // ids increase with time
    std::size_t bytes = 0;
  };
  gst::Guarded<Store> store_;
};

}  // namespace bcp::cli::view
