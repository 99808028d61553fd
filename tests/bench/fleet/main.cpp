// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A fleet against one Redis on this machine: whether every node ends with the prior of one adapter that saw everything,
// what that costs in bytes and operations, the size of values, and what faults of Redis do to the time of a frame.
//
//   bench-fleet [--quick]     --quick: 5 nodes and short runs

#include <cstdio>
#include <cstring>

#include "camera.hpp"

int main(int argc, char** argv) {
  using namespace bcp::bench;
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const unsigned nodes = quick ? 5 : 50;
  const int frames = quick ? 50 : 400;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  bool worked = processes_converge(nodes, quick ? 10 : 200);  // first: it forks
  worked = simulation_converges(nodes, frames, 0) && worked;
  worked = simulation_converges(nodes, frames, frames / 2.0) && worked;
  worked = sizes(quick) && worked;
  worked = frames_do_not_wait(quick) && worked;
  if (!worked) std::fprintf(stderr, "bench-fleet: the work was not done: see above\n");
  return worked ? 0 : 1;
}
