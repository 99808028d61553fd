// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The scenes of a stream as sections of a snapshot (snapshot.md, SCEN and SHAR).

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapt/bcp.hpp"
#include "adapt/scene_detector.hpp"
#include "adapt/scene_share.hpp"
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

// How much the others count in each scene. Empty without evidence.
std::string encode_share(const adapt::SceneShare& share);
// The same checks. Evidence of other candidates than this version has is left out.
Result<adapt::SceneShare> decode_share(std::string_view bytes);

}  // namespace bcp::prior
