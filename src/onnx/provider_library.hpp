// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks a provider's library (libonnxruntime_providers_openvino.so) before it is loaded.
//
// ONNX Runtime calls into it through tables whose layout depends on the version: a library of another version, or a
// truncated one, crashes the process while it is loaded, without an exception.

#pragma once

#include <string>

#include "base/descriptor.hpp"
#include "base/result.hpp"

namespace bcp::onnx {

// Whether the file exists, is complete, and was built for this version of ONNX Runtime ("1.24.1", which the library
// contains). The message is the cause, without advice.
Status check_provider_library(const std::string& path, const std::string& version);

// Counts loads of a library that did not return, in the user's cache: a library that crashes the process is not loaded
// again at every start.
//
// The count is for one file: by path, size and modification time, so that reinstalling it resets the count. The load
// counts as started while an instance exists; several processes may load at once. Without a cache, nothing is counted.
class LoadCount {
 public:
  explicit LoadCount(const std::string& library);
  LoadCount(const LoadCount&) = delete;
  LoadCount& operator=(const LoadCount&) = delete;
  ~LoadCount();

  // Fails after two loads that did not return (one alone may have been stopped by its user). Otherwise this load counts
  // until the instance is destroyed.
  Status begin();

 private:
  std::string library_, path_;
  Descriptor file_{-1};
};

}  // namespace bcp::onnx
