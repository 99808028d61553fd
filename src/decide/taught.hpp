// SPDX-License-Identifier: LGPL-2.1-or-later
//
// People's corrections of frames: that one label is present or absent, or which of all labels are present.
//
// They change three things (presence.hpp): g, an offset of all labels; d, an offset of one label; and, for frames whose
// labels are all known, the counts U and m of P(k | a). Offsets are Gaussian: each correction is one step of a Kalman
// filter, so the first ones count most and the offsets stay bounded.
//
// Everything is stored by name. So it survives a change of labels, can be saved, and two instances can be added.
//
// Thread safety: none; a value.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace bcp::decide {

class Taught {
 public:
  static constexpr double kGlobalVariance = 0.1 * 0.1;  // of g, before any correction

  struct Offset {
    double mean = 0;
    double variance = 0;
    double initial = 0;  // the variance before any correction
    bool operator==(const Offset&) const = default;
  };
  // A label of the corrected frame.
  struct Subject {
    std::string name;
    double variance;                   // of its offset before any correction
    double score;                      // z (presence.hpp)
    std::optional<bool> present = {};  // empty: unknown
  };
  struct Anchor {
    std::string name;
    double weight;  // p
  };
  using Counts = std::map<std::string, double>;

  bool empty() const { return offsets_.empty() && mass_.empty(); }
  std::uint64_t statements() const { return statements_; }  // clicks and labelled frames

  double offset() const { return g_; }
  double variance() const { return g_variance_; }
  const std::map<std::string, Offset>& offsets() const { return offsets_; }
  const std::map<std::string, Counts>& together() const { return together_; }  // U: by label, then by anchor
  const Counts& mass() const { return mass_; }                                 // m: by anchor

  // The label of `subject` is present or absent. `missed`: it was not shown.
  // REQUIRES: subject.present has a value.
  void say(const Subject& subject, bool missed);
  // All labels of a frame. If every subject has a value, the frame also counts in U and m.
  void say_all(std::span<const Subject> subjects, std::span<const Anchor> anchors);

  // Adds the corrections of another stream. Never add a copy of this instance: it would count twice.
  void add(const Taught& other);

  // The saved form. REQUIRES: variances are positive and finite, counts finite and not negative.
  struct Parts {
    double g = 0, g_variance = kGlobalVariance;
    std::uint64_t statements = 0;
    std::map<std::string, Offset> offsets = {};
    std::map<std::string, Counts> together = {};
    Counts mass = {};
  };
  Taught() = default;
  explicit Taught(Parts parts);
  Parts parts() const { return {g_, g_variance_, statements_, offsets_, together_, mass_}; }

  bool operator==(const Taught&) const = default;

 private:
  Offset& offset_of(const Subject& subject);

  double g_ = 0, g_variance_ = kGlobalVariance;
  std::uint64_t statements_ = 0;
  std::map<std::string, Offset> offsets_;
  std::map<std::string, Counts> together_;
  Counts mass_;
};

}  // namespace bcp::decide
