// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The contents of a panel, rounded to what is displayed. Results that look the same have equal texts, and a panel is
// drawn again only when its text has changed.

#pragma once

#include <gst/bcp/gstbcpmeta.h>

#include <span>
#include <string>
#include <vector>

#include "overlay/palette.hpp"
#include "overlay/settings.hpp"

namespace bcp::overlay {

struct PanelLine {
  std::string name;   // cleaned (clean_text.hpp)
  Rgb colour;         // of its bar
  int probability{};  // in hundredths
  int plain{};        // plain CLIP's softmax, in hundredths
  int correction{};   // in tenths of a logit
  int prior{};        // in hundredths
  int evidence{};     // in tenths of a logit
  bool shown{};       // by the decision rule
  bool plain_shown{};
  bool anchor{};

  bool added() const { return shown && !plain_shown; }
  bool removed() const { return !shown && plain_shown; }
  bool operator==(const PanelLine&) const = default;
};

struct PanelText {
  std::string heading;           // the source; empty: not shown
  std::vector<PanelLine> lines;  // most likely first
  std::string note;              // instead of lines: "none of the labels"
  int more = 0;                  // labels that max-lines left out
  std::string footer;            // "context: street 0.38 · shown from 0.50 · learnt from 412 frames"
  bool compare = false;
  bool presence = false;     // the probabilities are of presence; else softmax
  bool approximate = false;  // the probabilities are not calibrated: "~0.62"
  bool reasons = false;      // draw prior and evidence
  bool dimmed = false;

  bool empty() const { return lines.empty() && note.empty(); }
  bool operator==(const PanelText&) const = default;
};

// A label from another element's classification, without correction.
struct Classified {
  std::string name;
  double probability;
};

// Any thread. Allocates memory, so call it only for a new result.
PanelText panel_text(const GstBcpResult* result, bool dimmed, const Settings& settings);
PanelText panel_text(std::span<const Classified> labels, const Settings& settings);

// "0.91" or "~0.91", "+1.3", "−0.4": with a point in every locale.
std::string probability_text(int hundredths, bool approximate = false);
std::string correction_text(int tenths);

}  // namespace bcp::overlay
