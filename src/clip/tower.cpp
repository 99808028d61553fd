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

Result<onnx::Source> source_of(const onnx::File& file, const TowerPart& part) {
  onnx::Source source;
  source.path = file.path();
  source.halves = file.uses_halves();
  source.branches = file.has_branches();
  if (file.outputs().size() == 1 && file.inputs().size() == part.inputs.size()) return source;
  Result<std::string> bytes = file.part(std::array{part.output.name});
  if (!bytes) return bytes.error();
  source.bytes = *std::move(bytes);
  source.external_files = file.external_files();
  return source;
}

}  // namespace

Result<Tower> open_tower(const onnx::File& file, const TowerPart& part, const onnx::SessionOptions& options,
                         const Trial& trial) {
  Result<onnx::Source> source = source_of(file, part);
  if (!source) return source.error();
  std::string failed_on;  // the provider of the last session that was opened and did not pass
  const auto open = [&](onnx::Provider provider) -> Result<Tower> {
    onnx::SessionOptions how = options;
    how.provider = provider;
    Result<std::unique_ptr<onnx::Session>> session = onnx::Session::open(*source, how);
    if (!session) return session.error();
    (*session)->use(part.inputs, part.output);
    if (Status passed = trial(**session); !passed) {
      failed_on = (*session)->provider();
      return passed.error();
    }
    std::string note = (*session)->provider_note();
    return Tower{*std::move(session), std::move(note)};
  };

  const std::string record = record_of(part);
  std::error_code ignored;
  if (record.empty() || !std::filesystem::exists(record, ignored)) {
    source->untried = true;
    if (auto tried = open(onnx::Provider::kCpu); !tried) return tried.error();
    source->untried = false;
    if (!record.empty()) (void)replace_file(record, "");
  }
  Result<Tower> tower = open(options.provider);
  if (tower || options.provider != onnx::Provider::kAuto || failed_on.empty() || failed_on == "cpu") return tower;
  // A GPU can be there, open the model and still not be able to run it (too old, out of memory).
  Result<Tower> on_cpu = open(onnx::Provider::kCpu);
  if (on_cpu) on_cpu->note = "running on the CPU: CUDA cannot run this model (" + tower.error().message + ")";
  return on_cpu;
}

}  // namespace bcp::clip
