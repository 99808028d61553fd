// SPDX-License-Identifier: LGPL-2.1-or-later

#include "clip/model_table.hpp"

#include <map>
#include <mutex>

namespace bcp::clip {
namespace {

struct Entry {
  std::mutex opening;  // guards the rest
  std::weak_ptr<Model> model;
  std::string name_or_path;
  onnx::SessionOptions options;
};

// Ids are few and chosen by people, so entries of closed models are kept.
std::shared_ptr<Entry> entry_of(const std::string& id) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Entry>> table;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Entry>& entry = table[id];
  if (!entry) entry = std::make_shared<Entry>();
  return entry;
}

Error differs(const std::string& id, const std::string& what) {
  return Error{ErrorCode::kInvalid, "model-instance-id=" + id + " is already in use with " + what +
                                        ": use the same value for all elements with this id, or another id"};
}

}  // namespace

Result<std::shared_ptr<Model>> open_shared(const std::string& id, const std::string& name_or_path,
                                           const onnx::SessionOptions& options) {
  if (id.empty()) return Model::open(name_or_path, options);
  const std::shared_ptr<Entry> entry = entry_of(id);
  const std::lock_guard lock(entry->opening);
  if (std::shared_ptr<Model> model = entry->model.lock()) {
    if (name_or_path != entry->name_or_path) return differs(id, "the model " + entry->name_or_path);
    if (options != entry->options)
      return differs(id, "another execution-provider, precision, device-id or intra-op-threads");
    return model;
  }
  Result<std::shared_ptr<Model>> model = Model::open(name_or_path, options);
  if (!model) return model;
  entry->model = *model;
  entry->name_or_path = name_or_path;
  entry->options = options;
  return model;
}

}  // namespace bcp::clip
