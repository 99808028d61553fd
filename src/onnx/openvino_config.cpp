// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/openvino_config.hpp"

#include <nlohmann/json.hpp>

namespace bcp::onnx {

std::unordered_map<std::string, std::string> openvino_config(int threads, Precision precision,
                                                             std::span<const TensorInfo> inputs) {
  const nlohmann::json cpu = {
      {"INFERENCE_PRECISION_HINT", precision == Precision::kBf16 ? "bf16" : "f32"},
      // Not the provider's num_of_threads: that also sets the number of requests, each with its own memory.
      {"INFERENCE_NUM_THREADS", std::to_string(threads)},
      {"NUM_STREAMS", "1"},
      // By default threads are bound to the first CPUs, which all elements and processes would then share.
      {"ENABLE_CPU_PINNING", "NO"},
      {"CPU_DENORMALS_OPTIMIZATION", "YES"},
  };
  std::unordered_map<std::string, std::string> config = {{"device_type", "CPU"},
                                                         {"load_config", nlohmann::json{{"CPU", cpu}}.dump()}};
  std::string shapes;
  for (const TensorInfo& input : inputs) {
    if (!shapes.empty()) shapes += ',';
    shapes += input.name;
    for (std::size_t i = 0; i < input.shape.size(); ++i) {
      shapes += i == 0 ? '[' : ',';
      shapes += std::to_string(input.shape[i]);
    }
    shapes += ']';
  }
  if (!shapes.empty()) config["reshape_input"] = shapes;
  return config;
}

}  // namespace bcp::onnx
