// SPDX-License-Identifier: LGPL-2.1-or-later
// Simulates the thread limit: while a NoThreads exists, every pthread_create() called on its thread fails with EAGAIN.
// (RLIMIT_NPROC does not limit root.) Sanitizers have their own pthread_create(), which cannot be replaced, so tests
// that need this are not built with sanitizers.

#pragma once

namespace bcp::test {

class NoThreads {
 public:
  NoThreads();
  ~NoThreads();
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  int refused() const;  // calls so far
};

}  // namespace bcp::test
