// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes error messages of ONNX Runtime and OpenVINO readable.

#pragma once

#include <string>

namespace bcp::onnx {

// The message in one line, without details for the library's authors: error numbers, source positions, functions.
std::string readable(const std::string& message);

}  // namespace bcp::onnx
