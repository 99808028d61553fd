// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/not_onnx.hpp"

#include <filesystem>
#include <set>

#include "base/file.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;

// Text banks are safetensors files too; weights are called model.safetensors, pytorch_model-00001-of-00002.bin, ...
bool is_weights(const fs::path& name) {
  const std::string extension = name.extension().string();
  if (extension == ".pt" || extension == ".pth") return true;
  return (extension == ".safetensors" || extension == ".bin") && name.string().find("model") != std::string::npos;
}

}  // namespace

std::string pytorch_weights(const std::string& directory) {
  std::set<std::string> found;  // sorted: the order of a directory is undefined
  std::error_code error;
  fs::directory_iterator entry(directory, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    if (is_weights(entry->path().filename())) found.insert(entry->path().filename().string());
  return found.empty() ? std::string() : *found.begin();
}

Status check_fetched(const std::string& path) {
  constexpr std::size_t kMaxPointer = 1024;  // limit in the Git LFS specification
  const Result<std::string> text = read_file(path, kMaxPointer);
  if (!text || !text->starts_with("version https://git-lfs")) return ok();
  return Error{ErrorCode::kInvalid,
               path + " is a Git LFS pointer: fetch the file itself, with git lfs pull in the repository"};
}

}  // namespace bcp::clip
