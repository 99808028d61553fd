// SPDX-License-Identifier: LGPL-2.1-or-later
// What ONNX Runtime and OpenVINO say about a failure, for people.

#pragma once

#include <string>

namespace bcp::onnx {

// The library's words in one line, without what only its authors can use: error numbers, source positions, functions.
std::string readable(const std::string& message);

}  // namespace bcp::onnx
