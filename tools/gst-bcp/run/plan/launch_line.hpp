// SPDX-License-Identifier: LGPL-2.1-or-later
// A pipeline as the arguments of gst-launch-1.0: the printed line is the one that runs.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {

class LaunchLine {
 public:
  // Adds an element after the last one, linked to it unless a branch has just begun.
  LaunchLine& element(const std::string& factory);
  // Sets a property of the last element. Any text is allowed; it is escaped.
  LaunchLine& set(const std::string& property, const std::string& value);
  LaunchLine& name(const std::string& name) { return set("name", name); }
  // Lets only these caps through.
  LaunchLine& caps(const std::string& caps);
  // Begins a branch: at the named element, or with the next element.
  LaunchLine& branch(const std::string& from = "");
  // Ends a branch in the named element.
  LaunchLine& into(const std::string& name);

  // Adds whole branches.
  LaunchLine& append(const LaunchLine& branches);

  // The line without its first branch, whose last element has this name: what was linked to it begins a branch of its
  // own.
  LaunchLine behind(const LaunchLine& first, const std::string& name) const;

  // "gst-launch-1.0 -e ...", for a shell. Passwords in addresses are removed.
  std::string printed() const;
  // The pipeline; an error is GStreamer's.
  Result<gst::ElementPtr> parse() const;
  // The same as a bin for a pipeline that there is.
  Result<gst::ElementPtr> parse_bin() const;

 private:
  void link();
  Result<gst::ElementPtr> parse_as(GstParseFlags flags) const;

  std::vector<std::string> arguments_;
  bool begins_ = true;  // the next element is not linked to the previous one
};

}  // namespace bcp::cli::run
