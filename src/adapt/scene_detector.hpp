// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Recognises the scenes of a stream by its image embeddings: day and night, the presets of a moving camera.
//
// A scene is the mean of the embeddings x that were learnt in it, and the usual squared distance `noise` of the recent
// mean r (the last kRecent learnt frames) from that mean. Two rules, both on learnt frames only:
//
//   return   for every other scene j: evidence_j = max(0, evidence_j + clip(log(|x - mean|^2 / |x - mean_j|^2)))
//            from kReturn on, the stream has returned to j
//   new      |r - mean|^2 is above kNew times the noise and above kLeast, for every known scene, for kFor learnt frames
//            in a row and kPatience seconds
//
// So a scene is left for a known one after two frames if they differ clearly, and after many if they hardly do. A new
// one takes much longer: people who walk through, a parked car of a minute and the cuts of a film are part of a scene.
// While the frames are far from the scene, its mean does not follow them. The first kFirst frames of a stream choose
// the nearest scene at once: a camera that was restarted at night continues with the night.
//
// The number of scenes is limited. The caller makes room (to_merge(), merge()) before add().
//
// Thread safety: none. One instance belongs to one stream. Cost of a frame: the numbers of an embedding times scenes.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bcp::adapt {

inline constexpr std::size_t kMostScenes = 64;

class SceneDetector {
 public:
  static constexpr double kRecent = 30, kLongest = 500, kNoiseFrames = 200;  // lengths of the means, in learnt frames
  static constexpr double kKnown = 60;                                       // a scene of fewer frames is never left
  static constexpr double kNew = 5, kLeast = 0.03, kPatience = 120;
  static constexpr int kFor = 40;
  static constexpr double kReturn = 2, kMostEvidence = 1.5, kNearest = 0.01;
  static constexpr double kFirst = 5;

  struct Scene {
    std::uint32_t id = 1;     // from 1 on; never used again
    std::vector<float> mean;  // empty: nothing was learnt yet
    double samples = 0;       // behind the mean
    double noise = 0;         // see above
    std::uint64_t last = 0;   // when it was entered last: larger is later
    bool operator==(const Scene&) const = default;
  };

  // Starts with one scene.
  SceneDetector() : scenes_(1) {}
  // Continues with these. REQUIRES: not empty; active < scenes.size(); ids are different and not 0.
  SceneDetector(std::vector<Scene> scenes, std::size_t active);

  std::span<const Scene> scenes() const { return scenes_; }
  std::size_t active() const { return active_; }

  // Adds a learnt frame with this unit embedding at `time` (seconds; empty if unknown, then only frames are counted).
  // Returns the scene to enter: scenes().size() for a new one. Nothing has changed until enter() or add().
  std::optional<std::size_t> observe(std::span<const float> embedding, std::optional<double> time);
  void enter(std::size_t scene);
  // A new scene with the recent frames; it is the last one. Then enter() it.
  void add();
  // The scene that was left first, and the one that is nearest to it. REQUIRES: at least two scenes.
  std::pair<std::size_t, std::size_t> to_merge() const;
  // Removes `from`, which becomes part of `into`. Later indices fall by one. REQUIRES: `from` is not active.
  void merge(std::size_t from, std::size_t into);

  // Another stream begins: the next frames choose the nearest scene.
  void restart();

 private:
  std::size_t nearest(std::span<const float> to) const;
  std::optional<std::size_t> find_return(std::span<const float> embedding);
  bool is_far() const;
  void follow(std::span<const float> embedding);
  void clear_evidence();

  std::vector<Scene> scenes_;
  std::size_t active_ = 0;
  std::uint32_t next_id_ = 2;
  std::uint64_t clock_ = 0;
  std::vector<float> recent_;     // r
  double recent_samples_ = 0;     // in r
  std::vector<double> evidence_;  // per scene
  int far_ = 0;                   // learnt frames in a row that are far from every scene
  std::optional<double> far_since_;
};

}  // namespace bcp::adapt
