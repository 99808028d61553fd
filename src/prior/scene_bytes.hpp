// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The scenes of a stream as a section of a snapshot (snapshot.md, SCEN).

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapt/bcp.hpp"
#include "adapt/scene_detector.hpp"
#include "base/result.hpp"

namespace bcp::prior {

struct StoredScene {
  adapt::SceneDetector::Scene scene;
  std::shared_ptr<const adapt::Bcp> learnt;  // null: the statistics of the snapshot itself, with one scene
};

// REQUIRES: with several scenes, each has its statistics, for these labels.
std::string encode_scenes(const std::vector<StoredScene>& scenes, const std::vector<std::string>& labels);
// Checks every number. An error message continues "is damaged: ".
Result<std::vector<StoredScene>> decode_scenes(std::string_view bytes, const std::vector<std::string>& labels);

}  // namespace bcp::prior
