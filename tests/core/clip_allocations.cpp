// SPDX-License-Identifier: LGPL-2.1-or-later
// A separate file: if the compiler sees these functions and their callers together, it warns about malloc with delete.
#include "clip_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

static std::atomic<std::size_t> count{0};

std::size_t bcp::test::allocations() {
  return count;
}

void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}

// std::stable_sort allocates its buffer with this.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
