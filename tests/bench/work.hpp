// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Common code of all benchmarks. A figure about work that did not happen is worse than no figure, so each of them
// counts its work and ends with a sentence and exit code 1 if it is missing. `--quick` makes each take about a second:
// its figures mean little, but the work is the same, and a test runs it (tests/scripts/bench.sh).

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

// Whether "--quick" is among the arguments; removes it.
inline bool take_quick(int& argc, char** argv) {
  char** const end =
      std::remove_if(argv + 1, argv + argc, [](const char* each) { return std::string_view(each) == "--quick"; });
  const bool found = end != argv + argc;
  argc = static_cast<int>(end - argv);
  return found;
}

}  // namespace bench
