// SPDX-License-Identifier: LGPL-2.1-or-later
// A system that gives no threads: while a NoThreads lives, every pthread_create() called on its thread fails with
// EAGAIN, as at the limit of threads. (RLIMIT_NPROC does not bind root.) Sanitizers have a pthread_create() of their
// own, which cannot be replaced: tests that need this are not built with one.

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
