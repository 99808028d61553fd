// SPDX-License-Identifier: LGPL-2.1-or-later
// The features of this machine's processor.

#pragma once

#include <string>
#include <string_view>

namespace bcp::onnx {

struct Processor {
  std::string name;      // "AMD EPYC 9B14", for people; "unknown processor" if the system does not report it
  std::string features;  // those that affect a model's speed, by their Linux names: "avx2 avx512f ..."
  bool has_bf16 = false;
};

// From the text of /proc/cpuinfo.
Processor read_processor(std::string_view cpuinfo);

// This machine's processor, read once.
const Processor& this_processor();

}  // namespace bcp::onnx
