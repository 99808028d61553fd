// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The layout of a panel: columns, rows, and what is left out if the frame is too small.
//
// Lengths are in square units of the frame's pixel height; the panel's corner is (0, 0).

#pragma once

#include "overlay/lettering.hpp"
#include "overlay/panel_text.hpp"

namespace bcp::overlay {

struct Column {
  double x = 0, width = 0;  // width 0: the column is not drawn

  explicit operator bool() const { return width > 0; }
};

struct PanelLayout {
  double width = 0, height = 0, pad = 0;
  double row = 0;         // height of a line
  std::size_t lines = 0;  // number of lines drawn
  int more = 0;           // the number in "+3 more"; 0: no such line
  bool heading = false, titles = false, footer = false;

  Column marker, name;
  Column plain_bar, plain;  // in compare mode
  Column bar, probability;
  Column change, badge;
  Column prior, evidence;  // in compare mode, of presence

  double top = 0;  // of the first row

  // A note takes the space of one line.
  double rows() const { return static_cast<double>(lines > 0 ? lines : 1); }
};

inline constexpr char kPlainTitle[] = "plain CLIP";
inline constexpr char kCorrectedTitle[] = "corrected";
inline constexpr char kPresenceTitle[] = "presence";
inline constexpr char kPriorTitle[] = "prior";
inline constexpr char kEvidenceTitle[] = "evidence";

// A layout that fits into `width` by `height`. It is larger only if not even one line fits.
// REQUIRES: lettering.use() was called; text is not empty.
PanelLayout lay_out(const PanelText& text, unsigned show, Lettering& lettering, double width, double height);

}  // namespace bcp::overlay
