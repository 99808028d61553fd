// SPDX-License-Identifier: LGPL-2.1-or-later
// What ONNX Runtime logs while it fails: the exception often says only that something failed, and the log alone says
// what (which library is missing, which node is wrong).
//
// Thread safety: an instance keeps the lines of the thread that made it, and lives on that thread. Instances nest; the
// innermost keeps a line.

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bcp::onnx {

class LogCapture {
 public:
  LogCapture() : outer_(std::exchange(current_, this)) {}
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  ~LogCapture() { current_ = outer_; }

  // Keeps a line in the instance of this thread, where there is one.
  static void add(const std::string& line) {
    if (current_) current_->lines_.push_back(line);
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  static inline thread_local LogCapture* current_ = nullptr;
  LogCapture* outer_;
  std::vector<std::string> lines_;
};

}  // namespace bcp::onnx
