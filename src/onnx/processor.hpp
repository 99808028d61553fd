// SPDX-License-Identifier: LGPL-2.1-or-later
// What this machine's processor offers to a model.

#pragma once

#include <string>
#include <string_view>

namespace bcp::onnx {

struct Processor {
  std::string name;      // "AMD EPYC 9B14", for people; "unknown processor" where the system does not say
  std::string features;  // those that change how fast a model runs, as the kernel names them: "avx2 avx512f ..."
  bool has_bf16 = false;
};

// From the text of /proc/cpuinfo.
Processor read_processor(std::string_view cpuinfo);

// This machine's, read once.
const Processor& this_processor();

}  // namespace bcp::onnx
