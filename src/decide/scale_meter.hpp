// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Measures the spread of an encoder's scores and gives the scale for presence (presence.hpp): scaled scores spread like
// those of CLIP ViT-B/32, on which the rule was fitted.
//
// Measure once per model, on varied pictures. A running scale would make the results of monotonous video
// over-confident.
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
