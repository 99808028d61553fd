// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/files.hpp"

#include <algorithm>
#include <filesystem>

#include "onnx/file.hpp"

namespace bcp::cli {
namespace {

void add(std::vector<BundleFile>& files, const std::string& path) {
  const auto same = [&](const BundleFile& file) { return file.path == path; };
  if (path.empty() || std::any_of(files.begin(), files.end(), same)) return;
  std::error_code missing;
  const std::uintmax_t bytes = std::filesystem::file_size(path, missing);
  files.push_back({path, missing ? 0 : bytes});
}

void add_tower(std::vector<BundleFile>& files, const std::string& path) {
  add(files, path);
  const Result<onnx::File> tower = onnx::File::open(path);
  if (!tower) return;  // the error is reported when it is loaded
  for (const std::string& weights : tower->external_files()) add(files, weights);
}

}  // namespace

std::vector<BundleFile> files_of(const clip::Bundle& bundle) {
  std::vector<BundleFile> files;
  add_tower(files, bundle.visual.file);
  if (bundle.textual) {
    add_tower(files, bundle.textual->file);
    add(files, bundle.textual->vocabulary);
  }
  add(files, bundle.text_bank);
  return files;
}

std::uintmax_t size_of(const std::vector<BundleFile>& files) {
  std::uintmax_t bytes = 0;
  for (const BundleFile& file : files) bytes += file.bytes;
  return bytes;
}

}  // namespace bcp::cli
