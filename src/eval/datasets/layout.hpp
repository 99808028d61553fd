// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the files of a data set's folder: a reader requests each file, and the error lists all missing ones at once.

#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "eval/datasets/dataset.hpp"

namespace bcp::eval {

class Layout {
 public:
  explicit Layout(std::string root) : root_(std::move(root)) {}

  const std::string& root() const { return root_; }
  // Uses the first of these folders of the root that contains `sign`, or the first one if none does.
  void enter(std::initializer_list<std::string> folders, const std::string& sign);

  // The path of a file or folder. A missing one is recorded.
  std::string file(const std::string& path, const std::string& what, const std::string& source);
  std::string folder(const std::string& path, const std::string& what, const std::string& source);
  // The same for several files of a kind; many missing ones are recorded together.
  std::vector<std::string> files(std::span<const std::string> paths, const std::string& what,
                                 const std::string& source);
  // The first of these that exists, else the first.
  std::string any_of(std::initializer_list<std::string> paths) const;

  const std::vector<Absent>& absent() const { return absent_; }
  // An error that lists what is missing, if anything. `title` is the data set's name for people.
  Status status(const std::string& title) const;

 private:
  std::string at(const std::string& path) const;

  std::string root_, entered_;
  std::vector<Absent> absent_;
};

}  // namespace bcp::eval
