// SPDX-License-Identifier: LGPL-2.1-or-later
// A valid bundle in its own directory, for a test to change.

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/sha256.hpp"
#include "common/temporary.hpp"

namespace bcp::test {

inline std::string toy_model(const std::string& name) {
  return std::string(BCP_TEST_DATA) + "/models/" + name;
}

class ToyBundle {
 public:
  // `model`: a file of tests/data/models; the self-test vector is left out, because it differs between models.
  explicit ToyBundle(const std::string& model = "toy.onnx") {
    const std::string toy = std::string(BCP_TEST_DATA) + "/bundles/toy/";
    manifest = nlohmann::json::parse(read(toy + "bundle.json"));
    manifest.erase("self_test");
    put("visual.onnx", read(toy_model(model)));
    put("text_bank.safetensors", read(toy + "text_bank.safetensors"));
  }

  // Adds or replaces a file and its checksum.
  void put(const std::string& name, const std::string& bytes) {
    write(directory_ / name, bytes);
    manifest["sha256"][name] = *sha256(bytes);
  }

  // Writes bundle.json and returns the directory.
  std::string path() const {
    write(directory_ / "bundle.json", manifest.dump());
    return directory_.path();
  }

  nlohmann::json manifest;

 private:
  TemporaryDirectory directory_;
};

}  // namespace bcp::test
