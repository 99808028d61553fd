// SPDX-License-Identifier: LGPL-2.1-or-later
// Detects whether a picture differs from an earlier one, at a small part of the cost of scoring it.
//
// The visible part of the picture is divided into cells, at most kCells along its longer side. The brightness of a cell
// is the mean over some of its pixels: noise averages out, and a new object changes the cells it covers. The cell with
// the largest change counts, because a mean over the picture would hide a small object. A colour change with the same
// brightness is not detected.
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
  // A cell that differs by this many levels (of 256) has changed. Measured (tests/bench/README.md): noise and
  // compression of a still picture stay below it, a person or a bottle that appears is far above it.
  static constexpr double kNoticeable = 6;

  // Reads a picture. Returns the largest change of a cell, in levels (of 256), from the kept picture; empty if no
  // picture was kept, or one of another format or part. REQUIRES: `part` is inside the picture and not empty.
  std::optional<double> look(const PictureFormat& format, const Rect& part, const Picture& picture);
  // Keeps the last picture as the reference for later ones.
  void keep();
  // Drops the kept picture.
  void forget() { kept_.reset(); }

 private:
  // Pixels read from each row of a cell: from the left end of the cell in even rows, up to the right end in odd ones.
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
  int step_ = 1;   // bytes between two pixels that are read
  int lines_ = 1;  // most lines read per cell
  std::array<Run, kCells> runs_{};
  std::array<Cells, 2> cells_;       // of the last picture and of the kept one
  std::size_t last_ = 0;             // index in cells_
  std::optional<std::size_t> kept_;  // index in cells_
};

}  // namespace bcp::image
