// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What all benchmarks share. A figure about work that did not happen is worse than none, so each of them counts what it
// measured and ends with a sentence and exit code 1 where that is missing. `--quick` makes every one of them take about
// a second: its figures mean little, but the work is the same, and a test runs it (tests/scripts/bench.sh).

#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace bench {

// Ends the program unless the work was done.
inline void require(bool done, const std::string& otherwise) {
  if (done) return;
  std::fflush(stdout);
  std::fprintf(stderr, "benchmark failed: %s\n", otherwise.c_str());
  std::exit(1);
}

// Whether "--quick" is among the arguments, from which it is taken.
inline bool take_quick(int& argc, char** argv) {
  char** const end =
      std::remove_if(argv + 1, argv + argc, [](const char* each) { return std::string_view(each) == "--quick"; });
  const bool found = end != argv + argc;
  argc = static_cast<int>(end - argv);
  return found;
}

}  // namespace bench
