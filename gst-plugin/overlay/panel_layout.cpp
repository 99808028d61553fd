// SPDX-License-Identifier: LGPL-2.1-or-later

#include "overlay/panel_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bcp::overlay {
namespace {

// In ems.
constexpr double kPad = 0.6, kGap = 0.55, kRow = 1.42, kSmallRow = 1.2;
constexpr double kMarker = 1.25, kLeastName = 4, kShortName = 5, kMostName = 14;
constexpr double kChange = 3.15, kBadge = 2.7;

template <typename Test>
bool any(const PanelText& text, Test test) {
  return std::any_of(text.lines.begin(), text.lines.end(), test);
}

// The columns beside the name; fewer if there is not enough space.
struct Extras {
  double bar = 0;  // ems
  bool probability = false, change = false, badge = false, reasons = false, titles = false;
};

// Places columns one after the other.
class Columns {
 public:
  Columns(double pad, double gap) : x_(pad), gap_(gap) {}

  Column add(double width) {
    if (width <= 0) return {};
    const Column column{x_, width};
    x_ += width + gap_;
    return column;
  }
  // For a pair that belongs together, such as a bar and its number.
  void nearer() { x_ -= gap_ * 0.35; }
  void further() { x_ += gap_ * 0.8; }
  double end(double pad) const { return x_ - gap_ + pad; }

 private:
  double x_, gap_;
};

class Arrangement {
 public:
  Arrangement(const PanelText& text, unsigned show, Lettering& lettering, double width, double height)
      : text_(text), lettering_(lettering), em_(lettering.em()), width_(width), height_(height) {
    marker_ = any(text, [](const PanelLine& l) { return l.anchor; }) ? kMarker * em_ : 0;
    if (!text.note.empty()) natural_name_ = lettering.width(text.note);
    for (const PanelLine& line : text.lines) natural_name_ = std::max(natural_name_, lettering.width(line.name));
    // In whole ems, so that the panel keeps its width while labels change.
    natural_name_ = std::clamp(std::ceil(natural_name_ / em_ + 0.05), kShortName, kMostName) * em_;
    digits_ = lettering.width("0.00");
    if (text.lines.empty()) return;
    full_.bar = show & kShowBar ? 5.5 : 0;
    full_.probability = show & kShowProbability;
    full_.titles = text.compare;
    full_.change = any(text, [](const PanelLine& l) { return l.correction != 0; });
    full_.reasons = text.reasons;
    // Without compare, presence has no badge: it decides independently of plain CLIP.
    full_.badge = show & kShowCorrection && (text.compare || !text.presence) &&
                  any(text, [&](const PanelLine& l) { return l.added() || (text.compare && l.removed()); });
  }

  PanelLayout result() {
    PanelLayout layout;
    layout.pad = kPad * em_;
    layout.row = kRow * em_;
    place_columns(layout);
    place_rows(layout);
    widen_for_words(layout);
    return layout;
  }

 private:
  void place(PanelLayout& layout, const Extras& extras, double name) const {
    Columns columns(layout.pad, kGap * em_);
    layout.marker = columns.add(marker_);
    if (layout.marker) columns.nearer();
    layout.name = columns.add(name);
    // A number without a bar is narrower than the title above it; a bar without a number may be too.
    const auto pair = [&](Column& bar, Column& number, double digits, const char* words) {
      const double title = extras.titles ? lettering_.width(words, Weight::kSmall) : 0;
      const bool both = extras.bar > 0 && extras.probability;
      const auto wide = [&](bool there, double width) { return !there ? 0 : both ? width : std::max(width, title); };
      bar = columns.add(wide(extras.bar > 0, extras.bar * em_));
      if (both) columns.nearer();
      number = columns.add(wide(extras.probability, digits));
    };
    if (text_.compare) {
      pair(layout.plain_bar, layout.plain, digits_, kPlainTitle);
      columns.further();
    }
    pair(layout.bar, layout.probability, text_.approximate ? lettering_.width("~0.00") : digits_,
         text_.presence ? kPresenceTitle : kCorrectedTitle);
    layout.titles = extras.titles && (layout.bar || layout.probability);
    const auto reason = [&](const char* digits, const char* words) {
      if (!extras.reasons) return Column();
      return columns.add(std::max(lettering_.width(digits), lettering_.width(words, Weight::kSmall)));
    };
    if (extras.reasons) columns.further();
    layout.prior = reason("0.00", kPriorTitle);
    layout.evidence = reason("\u22120.0", kEvidenceTitle);
    layout.change = columns.add(extras.change ? kChange * em_ : 0);
    layout.badge = columns.add(extras.badge ? kBadge * em_ : 0);
    layout.width = columns.end(layout.pad);
  }

  void place_columns(PanelLayout& layout) const {
    std::array<Extras, 8> choices;
    choices.fill(full_);
    choices[1].bar = std::min(full_.bar, 3.0);
    choices[2] = choices[1], choices[2].badge = false;
    choices[3] = choices[2], choices[3].reasons = false;
    choices[4] = choices[3], choices[4].bar = 0;
    choices[5] = choices[4], choices[5].change = false;
    choices[6] = choices[5], choices[6].titles = false;
    choices[7] = choices[6], choices[7].probability = false;
    const double least = std::min(natural_name_, kLeastName * em_);
    for (const Extras& extras : choices) {
      place(layout, extras, natural_name_);
      const double room = natural_name_ + width_ - layout.width;
      if (room >= natural_name_) return;
      if (room < least && &extras != &choices.back()) continue;
      place(layout, extras, std::max(room, em_));
      return;
    }
  }

  void place_rows(PanelLayout& layout) const {
    const double small = kSmallRow * em_;
    double rest = height_ - 2 * layout.pad - layout.row;  // one line is always drawn
    const auto take = [&](bool wanted, double room) {
      if (!wanted || rest < room) return false;
      rest -= room;
      return true;
    };
    layout.titles = take(layout.titles, small);
    layout.heading = take(!text_.heading.empty(), small);
    const std::size_t rows = std::max<std::size_t>(text_.lines.size(), 1);  // one for the note
    const auto enough = static_cast<double>(rows - 1) * layout.row;
    layout.footer = take(!text_.footer.empty() && (rest >= enough + small || rest >= 3 * layout.row), small);

    const auto fits = static_cast<std::size_t>(std::max(0.0, rest / layout.row + 1e-6));
    layout.lines = std::min(text_.lines.size(), 1 + fits);
    layout.more = text_.more + static_cast<int>(text_.lines.size() - layout.lines);
    double more = layout.more > 0 ? small : 0;
    rest -= static_cast<double>(std::max<std::size_t>(layout.lines, 1) - 1) * layout.row;
    if (layout.more > 0 && rest < more) {
      if (layout.lines > 1) {
        --layout.lines;
        ++layout.more;
      } else {
        layout.more = 0;
        more = 0;
      }
    }
    layout.top = layout.pad + (layout.heading ? small : 0) + (layout.titles ? small : 0);
    layout.height = layout.top + layout.rows() * layout.row + more + (layout.footer ? small : 0) + layout.pad;
  }

  // A footer may be wider than the columns above it.
  void widen_for_words(PanelLayout& layout) {
    double most = layout.width;
    const auto see = [&](bool there, const std::string& words) {
      if (there) most = std::max(most, lettering_.width(words, Weight::kSmall) + 2 * layout.pad);
    };
    see(layout.footer, text_.footer);
    see(layout.heading, text_.heading);
    layout.width = std::max(layout.width, std::min(most, width_));
  }

  const PanelText& text_;
  Lettering& lettering_;
  double em_, width_, height_;
  double marker_ = 0, natural_name_ = 0, digits_ = 0;
  Extras full_;
};

}  // namespace

PanelLayout lay_out(const PanelText& text, unsigned show, Lettering& lettering, double width, double height) {
  return Arrangement(text, show, lettering, width, height).result();
}

}  // namespace bcp::overlay
