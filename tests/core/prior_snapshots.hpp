// SPDX-License-Identifier: LGPL-2.1-or-later
// Snapshots for tests: those of the files in tests/data/priors, and larger ones.

#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "adapt/cooccurrence.hpp"
#include "adapt/softmax.hpp"
#include "base/crc32.hpp"
#include "prior/snapshot.hpp"

namespace bcp::prior {

using Storage = adapt::Cooccurrence::Storage;

inline const std::string kPriors = BCP_TEST_DATA "/priors/";

inline std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < count; ++k) all.push_back("label " + std::to_string(k));
  return all;
}

// Few labels are likely in each sample, most are below the floor of sparse storage.
inline adapt::Cooccurrence learnt(std::size_t labels, std::size_t samples, Storage storage, double decay = 1) {
  adapt::Cooccurrence seen(labels, storage);
  std::mt19937 random(7);
  std::normal_distribution<double> logit(0, 5);
  std::vector<double> p(labels);
  for (std::size_t t = 0; t < samples; ++t) {
    for (double& x : p) x = logit(random);
    adapt::softmax(p, p);
    seen.learn(p, decay);
  }
  return seen;
}

inline Snapshot snapshot(std::size_t labels, Storage storage, double decay = 1) {
  return {"the model", names(labels), learnt(labels, 30, storage, decay)};
}

// As a file without groups of samples stores it: versions 1 to 3.
inline adapt::Cooccurrence without_groups(const adapt::Cooccurrence& seen) {
  adapt::Cooccurrence::Parts parts = seen.parts();
  parts.groups.clear();
  return adapt::Cooccurrence(std::move(parts));
}

// The same file on every machine: each probability is a sum of few powers of two, so there is no rounding.
inline Snapshot golden(Storage storage) {
  adapt::Cooccurrence seen(4, storage);
  constexpr double kFaint = 1.0 / 2048;
  seen.learn(std::vector{0.5, 0.25, 0.25 - kFaint, kFaint}, 0.5);
  seen.learn(std::vector{0.25, 0.25, 0.0, 0.5}, 0.5);
  seen.learn(std::vector{0.75, 0.125, 0.125, 0.0}, 0.5);
  return {"0123456789abcdef",
          {"dog", "bicycle",
           "Stra\xC3\x9F"
           "e",
           "\xE8\xBB\x8A"},
          without_groups(seen),
          storage == Storage::kSparse};
}

// The same with a label added before the last two of four samples: a file of version 2.
inline Snapshot later(Storage storage) {
  adapt::Cooccurrence seen(4, storage);
  constexpr double kFaint = 1.0 / 2048;
  seen.learn(std::vector{0.5, 0.25, 0.25, 0.0}, 0.5);
  seen.learn(std::vector{0.25, 0.75, 0.0, 0.0}, 0.5);
  adapt::Cooccurrence::Parts parts = seen.parts();
  parts.eras.push_back(adapt::Cooccurrence(4, storage).parts().eras[0]);
  parts.came[3] = 1;
  seen = adapt::Cooccurrence(parts);
  seen.learn(std::vector{0.75, 0.125, 0.0625, 0.0625}, 0.5);
  seen.learn(std::vector{0.5, 0.5 - kFaint, 0.0, kFaint}, 0.5);
  Snapshot snapshot = golden(storage);
  snapshot.seen = without_groups(seen);
  return snapshot;
}

// The first one with people's corrections: a file of version 3.
inline Snapshot taught(Storage storage) {
  Snapshot snapshot = golden(storage);
  snapshot.taught = decide::Taught({.g = 0.0625,
                                    .g_variance = 0.0078125,
                                    .statements = 3,
                                    .offsets = {{"bicycle", {-0.5, 0.125, 0.25}}, {"dog", {1.25, 1.5, 2.25}}},
                                    .together = {{"dog", {{"dog", 0.75}, {"street", 0.25}}}},
                                    .mass = {{"dog", 0.75}, {"street", 0.25}}});
  return snapshot;
}

// With everything a file can hold: a file of version 4. Sparse, it has three groups of samples.
inline Snapshot whole(Storage storage) {
  Snapshot snapshot = taught(storage);
  adapt::Cooccurrence seen(4, storage);
  constexpr double kFaint = 1.0 / 2048;
  seen.learn(std::vector{0.5, 0.25, 0.25 - kFaint, kFaint}, 1);
  seen.learn(std::vector{0.25, 0.25, 0.0, 0.5}, 1);
  seen.learn(std::vector{0.75, 0.125, 0.125, 0.0}, 1);
  snapshot.seen = seen;
  snapshot.origins = {{"door", "mini", 0x0123456789ABCDEF, 1'700'000'000, 1'700'003'600, 2},
                      {"yard", "mini", 7, 1'700'000'060, 1'700'000'120, 1}};
  return snapshot;
}

// The bytes with a correct checksum.
inline std::string sealed(std::string bytes) {
  bytes.resize(bytes.size() - 4);
  const std::uint32_t sum = crc32(bytes);
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(sum >> (8 * i) & 0xFF);
  return bytes;
}

}  // namespace bcp::prior
