// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/results_file.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace bcp::cli::run {

namespace fs = std::filesystem;

Result<ResultsFile> ResultsFile::claim(const std::string& path, Use use, const OutputFile::Rules& rules) {
  ResultsFile results;
  results.path_ = path;
  results.use_ = use;
  if (path.empty()) return results;
  const bool keep = use == Use::kContinued && !rules.force;
  if (path != "-") {
    OutputFile::Rules claimed = rules;
    claimed.force |= keep;  // it may exist
    Result<OutputFile> file = OutputFile::claim(path, claimed);
    if (!file) return file.error();
    (use == Use::kInTurn ? results.file_ : results.claim_) = std::move(*file);
  }
  if (use == Use::kShared || use == Use::kContinued) {
    using Existing = LineSink::Existing;
    Result<std::shared_ptr<LineSink>> sink = LineSink::open(path, keep ? Existing::kContinued : Existing::kReplaced);
    if (!sink) return sink.error();
    results.sink_ = std::move(*sink);
  }
  return results;
}

Result<ResultsFile::Place> ResultsFile::begin_job(std::size_t job) {
  const bool first = begun_++ == 0;
  if (sink_) {
    Result<std::unique_ptr<LineCollector>> lane = LineCollector::open(sink_);
    if (!lane) return lane.error();
    lanes_[job] = std::move(*lane);
    return Place{lanes_[job]->location(), false};
  }
  if (!file_) return Place{path_, !first};
  std::error_code none;
  const std::uintmax_t size = fs::file_size(file_.part(), none);
  size_before_ = none ? 0 : size;
  return Place{file_.part(), !first};
}

void ResultsFile::end_job(std::size_t job, bool keep) {
  lanes_.erase(job);  // reads what is left
  if (keep) {
    ++kept_;
    return;
  }
  std::error_code none;
  if (file_ && fs::is_regular_file(file_.part(), none)) fs::resize_file(file_.part(), size_before_, none);
}

Status ResultsFile::commit() {
  if (!file_) return ok();
  if (kept_ > 0) return file_.commit();
  file_.discard();
  return ok();
}

}  // namespace bcp::cli::run
