// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/tower.hpp"

#include <array>
#include <filesystem>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "base/user_cache.hpp"

namespace bcp::clip {
namespace {

// The file whose existence says that this part of this model ran; empty where that cannot be kept.
std::string record_of(const TowerPart& part) {
  if (part.identity.empty()) return {};
  const Result<std::string> name = sha256(part.identity + "\n" + part.output.name + "\n" + onnx::version());
  return name ? user_cache("tried/" + *name) : std::string();
}

}  // namespace

Result<std::unique_ptr<onnx::Session>> open_tower(const onnx::File& file, const TowerPart& part,
                                                  const onnx::SessionOptions& options, const Trial& trial) {
  onnx::Source source{.path = file.path(), .bytes = {}, .untried = false, .halves = file.uses_halves()};
  if (file.outputs().size() > 1 || file.inputs().size() > part.inputs.size()) {
    Result<std::string> bytes = file.part(std::array{part.output.name});
    if (!bytes) return bytes.error();
    source.bytes = *std::move(bytes);
  }
  const auto open = [&](const onnx::SessionOptions& how) -> Result<std::unique_ptr<onnx::Session>> {
    Result<std::unique_ptr<onnx::Session>> session = onnx::Session::open(source, how);
    if (!session) return session;
    (*session)->use(part.inputs, part.output);
    if (Status passed = trial(**session); !passed) return passed.error();
    return session;
  };

  const std::string record = record_of(part);
  std::error_code ignored;
  if (record.empty() || !std::filesystem::exists(record, ignored)) {
    onnx::SessionOptions on_cpu = options;
    on_cpu.provider = onnx::Provider::kCpu;
    source.untried = true;
    if (auto tried = open(on_cpu); !tried) return tried.error();
    source.untried = false;
    if (!record.empty()) (void)replace_file(record, "");
  }
  return open(options);
}

}  // namespace bcp::clip
