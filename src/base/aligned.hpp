// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Memory for loops over vectors: arrays that begin at a cache line. Loading a vector that crosses two cache lines takes
// twice the time.

#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace bcp {

template <typename T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT(google-explicit-constructor): the standard asks for it

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kLine)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kLine); }
  template <typename U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

template <typename T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace bcp
