// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/thumbnails.hpp"

#include <utility>

namespace bcp::cli::view {

void Thumbnails::put(std::uint64_t span, Jpeg picture) {
  store_.with([&](Store& store) {
    if (store.pictures.contains(span) || picture->size() > kMostBytes) return;
    store.bytes += picture->size();
    store.pictures.emplace(span, std::move(picture));
    while (store.pictures.size() > kMost || store.bytes > kMostBytes) {
      store.bytes -= store.pictures.begin()->second->size();
      store.pictures.erase(store.pictures.begin());
    }
  });
}

Jpeg Thumbnails::get(std::uint64_t span) const {
  return store_.with([span](const Store& store) -> Jpeg {
    const auto found = store.pictures.find(span);
    return found == store.pictures.end() ? nullptr : found->second;
  });
}

std::size_t Thumbnails::bytes() const {
  return store_.with([](const Store& store) { return store.bytes; });
}

}  // namespace bcp::cli::view
