// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps ONNX Runtime's log lines of a failure: the exception often only says that something failed, and the log has the
// cause (a missing library, a wrong node).
//
// Thread safety: an instance keeps the lines of the thread that created it and must stay on that thread. Instances
// nest; the innermost keeps a line.

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

  // Adds a line to the instance of this thread, if there is one.
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
