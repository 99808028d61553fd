// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What people have said about frames: that one label is present or is not, or which of all labels are.
//
// It moves three things (presence.hpp): g, an offset of all labels; d, an offset of one label; and, for frames whose
// labels are all known, the counts U and m behind P(k | a). Offsets are Gaussian: each statement is one step of a
// Kalman filter, so what was said first counts most and nothing runs away.
//
// All of it is stored by name. It therefore survives a change of labels, it can be saved, and two of them can be added.
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
  static constexpr double kGlobalVariance = 0.1 * 0.1;  // of g, before anything was said

  struct Offset {
    double mean = 0;
    double variance = 0;
    double initial = 0;  // the variance before anything was said
    bool operator==(const Offset&) const = default;
  };
  // A label in the frame that a statement is about.
  struct Subject {
    std::string name;
    double variance;                   // of its offset before anything was said
    double score;                      // z (presence.hpp)
    std::optional<bool> present = {};  // none: nobody said
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

  // The label of `subject` is present, or is not. `missed`: it was not shown.
  // REQUIRES: subject.present has a value.
  void say(const Subject& subject, bool missed);
  // What is in a frame. If every subject has a value, the frame also counts in U and m.
  void say_all(std::span<const Subject> subjects, std::span<const Anchor> anchors);

  // Adds what another stream was taught. Never add what grew out of this one: it would count twice.
  void add(const Taught& other);

  // As saved. REQUIRES: variances are positive and finite, counts finite and not negative.
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
