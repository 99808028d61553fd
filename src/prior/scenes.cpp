// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/scenes.hpp"

#include <algorithm>
#include <utility>

namespace bcp::prior {

void Scenes::make_room(std::size_t for_new, adapt::Bcp& awake) {
  while (asleep_.size() > 1 && asleep_.size() + for_new > most_) {
    const auto [from, into] = detector_.to_merge();
    adapt::Cooccurrence sum = asleep_[from]->seen();
    const adapt::Bcp& other = asleep_[into] ? *asleep_[into] : awake;
    sum.add(other.seen());
    adapt::Bcp merged(std::move(sum), asleep_[from]->settled() || other.settled());
    if (asleep_[into])
      asleep_[into] = std::make_shared<adapt::Bcp>(std::move(merged));
    else
      awake = std::move(merged);
    detector_.merge(from, into);
    asleep_.erase(asleep_.begin() + static_cast<std::ptrdiff_t>(from));
  }
}

SceneChange Scenes::enter(std::size_t scene, adapt::Bcp& awake) {
  const bool is_new = scene == asleep_.size();
  SceneChange change{.from = id(), .to = 0, .is_new = is_new, .scenes = 0};
  const std::size_t labels = awake.seen().labels();
  if (is_new) {
    make_room(1, awake);
    detector_.add();
    scene = asleep_.size();
    asleep_.push_back(std::make_shared<adapt::Bcp>(labels));
  }
  // Another thread that still reads it, to save it, got it under the lock that the caller holds: no reader is added
  // now.
  const std::shared_ptr<adapt::Bcp> next = std::exchange(asleep_[scene], nullptr);
  asleep_[detector_.active()] = std::make_shared<adapt::Bcp>(std::move(awake));
  awake = next.use_count() == 1 ? adapt::Bcp(std::move(*next)) : adapt::Bcp(*next);
  detector_.enter(scene);
  ++changes_;
  change.to = id();
  change.scenes = asleep_.size();
  return change;
}

Scenes::Asleep Scenes::asleep() const {
  Asleep all;
  for (const auto& each : asleep_)
    if (each) all.push_back(each);
  return all;
}

double Scenes::samples_asleep() const {
  double samples = 0;
  for (const auto& each : asleep_) samples += each ? each->seen().samples() : 0;
  return samples;
}

std::vector<StoredScene> Scenes::stored() const {
  std::vector<StoredScene> stored;
  if (!are_followed()) return stored;
  for (std::size_t i = 0; i < asleep_.size(); ++i) stored.push_back({detector_.scenes()[i], asleep_[i]});
  return stored;
}

adapt::Bcp Scenes::restore(std::vector<StoredScene> stored) {
  const auto later = [](const StoredScene& a, const StoredScene& b) { return a.scene.last < b.scene.last; };
  const auto awake = std::max_element(stored.begin(), stored.end(), later);
  const auto active = static_cast<std::size_t>(awake - stored.begin());
  adapt::Bcp learnt = *awake->learnt;
  std::vector<adapt::SceneDetector::Scene> scenes;
  asleep_.clear();
  for (StoredScene& each : stored) {
    scenes.push_back(std::move(each.scene));
    asleep_.push_back(std::make_shared<adapt::Bcp>(*each.learnt));
  }
  asleep_[active] = nullptr;
  detector_ = adapt::SceneDetector(std::move(scenes), active);
  make_room(0, learnt);
  return learnt;
}

void Scenes::relabel(std::span<const int> from) {
  for (auto& each : asleep_) {
    if (each) each = std::make_shared<adapt::Bcp>(each->seen().relabelled(from), each->settled());
  }
}

}  // namespace bcp::prior
