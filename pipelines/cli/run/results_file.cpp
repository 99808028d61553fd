// SPDX-License-Identifier: LGPL-2.1-or-later
#include "run/results_file.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace bcp::cli::run {

namespace fs = std::filesystem;

Result<ResultsFile> ResultsFile::claim(const std::string& path, bool open_ended, const OutputFile::Rules& rules) {
  ResultsFile results;
  results.location_ = path;
  if (path.empty() || path == "-") return results;
  Result<OutputFile> file = OutputFile::claim(path, rules);
  if (!file) return file.error();
  if (open_ended) return results;  // claimed to see whether it can be written; given back at once
  results.file_ = std::move(*file);
  results.location_ = results.file_.part();
  return results;
}

void ResultsFile::begin_job() {
  std::error_code none;
  const std::uintmax_t size = file_ ? fs::file_size(location_, none) : 0;
  size_before_ = none || jobs_ == 0 ? 0 : size;
}

void ResultsFile::end_job(bool keep) {
  ++jobs_;
  if (keep) {
    ++kept_;
    return;
  }
  std::error_code none;
  if (file_ && fs::is_regular_file(location_, none)) fs::resize_file(location_, size_before_, none);
}

Status ResultsFile::commit() {
  if (!file_) return ok();
  if (kept_ > 0) return file_.commit();
  file_.discard();
  return ok();
}

}  // namespace bcp::cli::run
