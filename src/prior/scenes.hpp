// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The statistics of a stream's scenes (adapt/scene_detector.hpp): one scene is awake and learns, the others sleep.
//
// A sleeping scene never changes: it forgets nothing, and other threads may read it. A share of the sum of the others
// is added to the awake one (adapt/scene_share.hpp): where all are alike, that is one prior, and a new scene never
// starts from nothing. Above the limit, the scene that was left first becomes part of the most similar one: nothing
// that was learnt is lost.
//
// Thread safety: none; Learnt has the lock. The statistics of sleeping scenes are immutable and shared.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adapt/bcp.hpp"
#include "adapt/scene_detector.hpp"
#include "adapt/scene_share.hpp"
#include "prior/scene_bytes.hpp"

namespace bcp::prior {

struct SceneChange {
  std::uint32_t from, to;  // ids
  bool is_new;             // `to` begins with this change
  std::size_t scenes;      // known now
};

class Scenes {
 public:
  // Up to so many scenes; 1: none are distinguished.
  explicit Scenes(std::size_t most = 1) : most_(most), asleep_(1) {}

  bool are_followed() const { return most_ > 1; }
  std::size_t most() const { return most_; }
  std::size_t count() const { return asleep_.size(); }
  std::uint32_t id() const { return detector_.scenes()[detector_.active()].id; }
  std::uint64_t changes() const { return changes_; }
  // The scene to enter after this learnt frame.
  std::optional<std::size_t> observe(std::span<const float> embedding, std::optional<double> time) {
    return detector_.observe(embedding, time);
  }
  // Puts the awake statistics to sleep, and replaces them by those of the scene.
  SceneChange enter(std::size_t scene, adapt::Bcp& awake);
  void restart() { detector_.restart(); }
  // How much the sum of the others counts.
  adapt::SceneShare& share() { return share_; }
  const adapt::SceneShare& share() const { return share_; }
  // Forgets all scenes.
  void clear() { *this = Scenes(most_, changes_); }

  using Asleep = std::vector<std::shared_ptr<const adapt::Bcp>>;
  // Without the awake one.
  Asleep asleep() const;
  double samples_asleep() const;

  // The scenes for a file, with null in place of the awake statistics. Empty if none are distinguished.
  std::vector<StoredScene> stored() const;
  // Continues with the scenes of a file, the one that was awake included; returns its statistics.
  // REQUIRES: not empty; labels match. More than most() are merged.
  adapt::Bcp restore(std::vector<StoredScene> stored);
  // The same scenes for another label list: see Cooccurrence::relabelled(). Takes long with many labels.
  void relabel(std::span<const int> from);

 private:
  Scenes(std::size_t most, std::uint64_t changes) : most_(most), changes_(changes), asleep_(1) {}
  void make_room(std::size_t for_new, adapt::Bcp& awake);

  std::size_t most_;
  std::uint64_t changes_ = 0;
  adapt::SceneDetector detector_;
  adapt::SceneShare share_;
  std::vector<std::shared_ptr<adapt::Bcp>> asleep_;  // by scene of the detector; null: awake
};

}  // namespace bcp::prior
