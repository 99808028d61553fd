// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Measures how far an encoder spreads its scores, and from that the scale that presence needs (presence.hpp): with it,
// scores spread as those of CLIP ViT-B/32 do, which the rule was fitted on.
//
// Measure once per model, on varied pictures. A running scale would make dull footage over-confident.
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <span>

namespace bcp::decide {

class ScaleMeter {
 public:
  static constexpr double kSpread = 2.0;  // of CLIP ViT-B/32 on COCO

  // Adds a picture: its scores (logit scale * cosine) of all anchors. REQUIRES: at least two, all finite.
  void add(std::span<const double> scores);

  std::size_t pictures() const { return pictures_; }
  // The mean over the pictures of the standard deviation over the anchors. REQUIRES: pictures() > 0.
  double spread() const { return sum_ / static_cast<double>(pictures_); }
  // REQUIRES: spread() > 0.
  double scale() const { return kSpread / spread(); }

 private:
  std::size_t pictures_ = 0;
  double sum_ = 0;
};

}  // namespace bcp::decide
