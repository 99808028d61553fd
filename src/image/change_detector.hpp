// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether a picture differs from an earlier one, for a small part of what it takes to score it.
//
// The part of the picture that is looked at is divided into cells, at most kCells along its longer side, and a cell's
// brightness is the mean over some of its pixels: noise averages out, an object that enters changes the cells it
// covers. What counts is the cell that changed most, because the mean over the picture hides a small object. A change
// of colour that leaves the brightness as it was is not noticed.
//
// An instance holds all the memory it needs. 1080p and 4K take less than 0.1 ms (tests/bench: bench-still).
//
// Thread safety: none. One instance belongs to one thread at a time.

#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "image/picture.hpp"

namespace bcp::image {

class ChangeDetector {
 public:
  static constexpr int kCells = 24;
  // A cell that differs by this many levels of a byte has changed. Measured (tests/bench/README.md): noise and
  // compression of a picture that stands still stay below it, a person or a bottle that comes in is far above it.
  static constexpr double kNoticeable = 6;

  // Looks at a picture. Returns by how many levels of a byte the cell that changed most differs from the picture that
  // was kept; nothing if none was kept, or one of another format or part. REQUIRES: `part` is inside the picture and
  // not empty.
  std::optional<double> look(const PictureFormat& format, const Rect& part, const Picture& picture);
  // Keeps the picture that was looked at last, to compare others with.
  void keep();
  // Keeps none.
  void forget() { kept_.reset(); }

 private:
  // Pixels that are read of each row of a cell: from one end of the cell in even rows, to the other end in odd ones.
  struct Run {
    std::ptrdiff_t left, right;  // bytes from the beginning of the row
    int pixels;
  };
  using Cells = std::array<float, static_cast<std::size_t>(kCells) * kCells>;

  void plan(const PictureFormat& format, const Rect& part);
  void fill(const Picture& picture, Cells& cells) const;

  PictureFormat format_;
  Rect part_;
  int columns_ = 0, rows_ = 0;
  int step_ = 1;   // bytes from one pixel that is read to the next
  int lines_ = 1;  // that are read of a cell, at most
  std::array<Run, kCells> runs_{};
  std::array<Cells, 2> cells_;       // of the picture that was looked at last, and of the one that is kept
  std::size_t last_ = 0;             // of cells_
  std::optional<std::size_t> kept_;  // of cells_
};

}  // namespace bcp::image
