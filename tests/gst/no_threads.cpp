// SPDX-License-Identifier: LGPL-2.1-or-later

#include "no_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>

namespace {

thread_local bool refuses = false;
thread_local int refusals = 0;

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Exported, so that libstdc++ finds it before that of libc.
extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                                     const pthread_attr_t* attributes,
                                                                     void* (*start)(void*), void* data) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (!refuses) return real(thread, attributes, start, data);
  ++refusals;
  return EAGAIN;
}
#endif

namespace bcp::test {

NoThreads::NoThreads() {
  refuses = true;
  refusals = 0;
}
NoThreads::~NoThreads() {
  refuses = false;
}
int NoThreads::refused() const {
  return refusals;
}

}  // namespace bcp::test
