// SPDX-License-Identifier: LGPL-2.1-or-later
// What is in a data set's folder, and what is not: a reader asks for thing after thing, and the user is told of all
// that is missing at once.

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
  // Looks for everything in the first of these folders of the root that holds `sign`, in the first one if none does.
  void enter(std::initializer_list<std::string> folders, const std::string& sign);

  // The path of a file or folder. One that is not there is noted.
  std::string file(const std::string& path, const std::string& what, const std::string& source);
  std::string folder(const std::string& path, const std::string& what, const std::string& source);
  // The same for several files of a kind, noted together when there are many.
  std::vector<std::string> files(std::span<const std::string> paths, const std::string& what,
                                 const std::string& source);
  // The first of these that is there, else the first.
  std::string any_of(std::initializer_list<std::string> paths) const;

  const std::vector<Absent>& absent() const { return absent_; }
  // An error that tells what is missing, if something is. `title` is the data set's name as people write it.
  Status status(const std::string& title) const;

 private:
  std::string at(const std::string& path) const;

  std::string root_, entered_;
  std::vector<Absent> absent_;
};

}  // namespace bcp::eval
