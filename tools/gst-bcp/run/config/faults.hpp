// SPDX-License-Identifier: LGPL-2.1-or-later
// What is wrong in a file of cameras: every fault with its place, not only the first.

#pragma once

#include <yaml-cpp/mark.h>

#include <string>
#include <vector>

namespace bcp::cli::run {

class Faults {
 public:
  explicit Faults(std::string file) : file_(std::move(file)) {}

  // `key` is where in the document, "cameras[1].record.when"; empty: the document. `sentence` says what is wrong and
  // what to write.
  void add(const YAML::Mark& mark, const std::string& key, const std::string& sentence);

  bool empty() const { return faults_.empty(); }
  // "FILE:LINE:COLUMN: KEY: SENTENCE", in the order of the file.
  std::vector<std::string> lines() const;

 private:
  struct Fault {
    int line, column;
    std::string text;
  };
  std::string file_;
  std::vector<Fault> faults_;
};

}  // namespace bcp::cli::run
