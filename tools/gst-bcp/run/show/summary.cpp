// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/show/summary.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

#include "gst-bcp/common/clock_text.hpp"
#include "gst-bcp/common/table.hpp"

namespace bcp::cli::run {
namespace {

// "clip.mp4: 185 frames in 0:04, 46 fps"
std::string ending_of(const Job& job) {
  const Standing standing = job.standing();
  std::array<char, 96> text{};
  const char* what = standing.frames == 1 ? "frame" : "frames";
  if (standing.seconds > 0.2)
    std::snprintf(text.data(), text.size(), ": %zu %s in %s, %.0f fps", standing.frames, what,
                  clock_text(static_cast<GstClockTime>(standing.seconds) * GST_SECOND).c_str(),
                  static_cast<double>(standing.frames) / standing.seconds);
  else
    std::snprintf(text.data(), text.size(), ": %zu %s", standing.frames, what);
  return job.name() + text.data();
}

}  // namespace

std::string numbered(std::size_t index, std::size_t total, const std::string& name) {
  std::string text(1, '[');
  return text.append(std::to_string(index + 1)).append("/").append(std::to_string(total)).append("] ").append(name);
}

JobLine job_line(const Job& job, const std::vector<ShownLabel>& labels) {
  const Standing standing = job.standing();
  JobLine line;
  if (!standing.running) {
    line.phase = "opening " + short_name(job.task().input);
    return line;
  }
  if (standing.outage) {
    line.phase = short_name(job.task().input) + " lost for " +
                 clock_text(static_cast<GstClockTime>(*standing.outage) * GST_SECOND) + ", connecting again";
    return line;
  }
  if (standing.position) line.position = clock_text(*standing.position);
  if (standing.seconds > 0.2) line.rate = static_cast<double>(standing.frames) / standing.seconds;
  if (standing.position && standing.duration) {
    line.fraction = std::min(1.0, static_cast<double>(*standing.position) / static_cast<double>(*standing.duration));
    if (standing.seconds > 1 && line.fraction > 0.005)
      line.remaining = standing.seconds * (1 - line.fraction) / line.fraction;
  }
  line.labels = text_of(labels);
  std::vector<std::string> names;
  for (const ShownLabel& label : labels) names.push_back(label.name);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) line.label_names += name + "\n";
  return line;
}

Summary::Summary(const Request& request, std::size_t jobs, Progress& progress)
    : request_(request), jobs_(jobs), progress_(progress) {}

void Summary::add(Job& job) {
  if (jobs_ == 1)
    tally_ = job.tally();
  else
    tally_.add(job.tally());
  pictures_ |= job.task().input.kind == InputKind::kPictures;
  for (const std::string& file : job.written()) add_file(file);
  if (!request_.quiet) progress_.say(ending_of(job));
}

void Summary::print() {
  if (request_.quiet || request_.print_only) return;
  std::ostringstream text;
  if (tally_.has_labels())
    print_table(text, tally_.table(jobs_ == 1 && !pictures_));
  else if (tally_.results() > 0)
    text << printable(tally_.nothing_seen()) << '\n';
  for (const std::string& file : files_) text << "wrote " << file << '\n';
  std::istringstream lines(text.str());
  for (std::string line; std::getline(lines, line);)
    request_.jsonl == "-" ? progress_.say(line) : progress_.print(line);
}

}  // namespace bcp::cli::run
