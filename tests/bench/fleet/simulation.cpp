// SPDX-License-Identifier: LGPL-2.1-or-later
// A fleet with simulated time: rounds of 5 s follow each other without pauses, so the figures do not depend on the
// load.

#include <chrono>

#include "camera.hpp"
#include "common/redis.hpp"

namespace bcp::bench {

// In a round a camera has ten frames: two a second. With a half-life, every fourth frame is like the one before, and is
// skipped; the one adapter with all frames has a half-life that is longer by the number of nodes.
bool simulation_converges(unsigned nodes, int frames, double half_life) {
  constexpr double kSeconds = 5;
  constexpr int kFrames = 10;
  const test::Redis redis;
  std::vector<std::unique_ptr<Camera>> cameras;
  std::vector<std::mt19937> random;
  Camera all(half_life * nodes);
  fleet::Address address = redis.address("sim");
  address.interval = std::chrono::milliseconds(5000);
  for (unsigned i = 0; i < nodes; ++i) {
    Camera& camera = *cameras.emplace_back(std::make_unique<Camera>(half_life));
    camera.node =
        std::make_unique<fleet::Node>(camera.group, address, "node-" + std::to_string(i), camera.stop, camera);
    random.emplace_back(i);
  }
  bool worked = true;
  const auto round = [&](bool leaving) {
    for (const auto& camera : cameras) worked = static_cast<bool>(camera->node->round(leaving)) && worked;
  };
  const int rounds = frames / kFrames;
  for (int r = 0; r < rounds; ++r) {
    for (unsigned i = 0; i < nodes; ++i) {
      std::vector<double> logits;
      for (int f = 0; f < kFrames; ++f) {
        if (half_life == 0 || f % 4 != 3) logits = frame_of(i, random[i]);
        cameras[i]->see(logits);
        all.see(logits);
      }
    }
    round(false);
  }
  double sent = 0, received = 0, operations = 0, writes = 0, size = 0;
  const double simulated = rounds * kSeconds * nodes;  // seconds of all nodes
  for (const auto& camera : cameras) {
    const fleet::Traffic& traffic = camera->node->traffic();
    sent += static_cast<double>(traffic.sent) / simulated;
    received += static_cast<double>(traffic.received) / simulated;
    operations += static_cast<double>(traffic.operations) / simulated;
    writes += static_cast<double>(camera->node->published()) / nodes;
  }
  round(true);  // writes what is left
  round(false);
  round(false);
  bool own_only = true;
  for (unsigned i = 0; i < nodes; ++i) {
    const std::string value = redis.call({"GET", fleet::node_key("sim", "node-" + std::to_string(i))}).text;
    const auto stored = fleet::unpack(value);
    size += static_cast<double>(value.size()) / nodes;
    const double own = cameras[i]->learnt->own_samples();
    own_only = own_only && stored && std::abs(stored->content.seen.samples() - own) < 1e-6 * own;
  }
  const std::vector<double> expected = judged(*all.learnt);
  double apart = 0;
  for (const auto& camera : cameras) apart = std::max(apart, largest_difference(judged(*camera->learnt), expected));
  std::printf("%u nodes, %d frames each at 2 a second, interval 5 s, ", nodes, frames);
  half_life == 0 ? std::printf("no forgetting:\n") : std::printf("half-life %.0f and novelty:\n", half_life);
  std::printf("  largest difference of a probability %.2g; keys have own samples only: %s\n", apart,
              own_only ? "yes" : "NO");
  std::printf(
      "  a value has %.0f bytes; a node sends %.0f and receives %.0f bytes a second, %.2f operations a second, "
      "%.1f writes in %d rounds\n",
      size, sent, received, operations, writes, rounds);
  return worked && own_only && (half_life > 0 || apart < 1e-6);
}

}  // namespace bcp::bench
