// SPDX-License-Identifier: LGPL-2.1-or-later
// A provider's library (libonnxruntime_providers_openvino.so), looked at before it is loaded.
//
// ONNX Runtime calls into it through tables whose layout differs between versions: a library of another version, or one
// that was cut short, ends the process as it is loaded, and no exception reports it.

#pragma once

#include <string>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace bcp::onnx {

// Whether the file is there, whole, and made for this version of ONNX Runtime ("1.24.1", which the library contains).
// The message is the cause without a way out.
Status check_provider_library(const std::string& path, const std::string& version);

// Counts loads of a library that did not return, in the user's cache: what crashes a process as it is loaded is not
// loaded by every later start as well.
//
// The count is of one file: by path, size and time of writing, so that installing it again starts anew. While an
// instance lives, the load counts as begun; several processes may load at once. Where there is no cache, nothing is
// counted.
class LoadCount {
 public:
  explicit LoadCount(const std::string& library);
  LoadCount(const LoadCount&) = delete;
  LoadCount& operator=(const LoadCount&) = delete;
  ~LoadCount();

  // An error after two loads that did not return: one may have been stopped by its user. Otherwise, this load counts
  // until the instance is gone.
  Status begin();

 private:
  std::string library_, path_;
  Descriptor file_{-1};
};

}  // namespace bcp::onnx
