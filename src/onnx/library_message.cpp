// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/library_message.hpp"

#include <algorithm>

namespace bcp::onnx {

std::string readable(const std::string& message) {
  std::string text = message;
  std::replace(text.begin(), text.end(), '\n', ' ');
  // "/src/file.cc:12 some::Function(args) The message": the ending marks the file.
  for (const char* ending : {".cc:", ".h:", ".cpp:"}) {
    const std::size_t file = text.find(ending);
    const std::size_t end = file == std::string::npos ? file : text.find(") ", file);
    if (end != std::string::npos) text.erase(0, end + 2);
  }
  // "[ONNXRuntimeError] : 1 : FAIL : The message"
  if (text.starts_with("[ONNXRuntimeError] : ")) {
    const std::size_t number = text.find(" : "), word = text.find(" : ", number + 3), end = text.find(" : ", word + 3);
    if (end != std::string::npos) text.erase(0, end + 3);
  }
  // "Exception from src/plugins/plugin.cpp:12: The message", once for each layer of OpenVINO
  for (std::size_t at = 0; (at = text.find("Exception from ", at)) != std::string::npos;) {
    const std::size_t end = text.find(": ", at);
    if (end == std::string::npos) break;
    text.erase(at, end + 2 - at);
  }
  text.erase(text.find_last_not_of(" .") + 1);
  return text;
}

}  // namespace bcp::onnx
