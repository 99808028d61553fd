// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/display.hpp"

#include <algorithm>

#include "gst-bcp/common/table.hpp"

namespace bcp::cli::get {
namespace {

constexpr std::uint64_t kWorthALine = 1'000'000;  // bytes of a file; smaller ones get no line

JobLine line_of(const Watch::File& file) {
  JobLine line{file.name};
  line.phase = file.phase;
  if (file.size > 0) line.fraction = static_cast<double>(file.done) / static_cast<double>(file.size);
  line.position = bytes_for_people(file.done) + (file.size > 0 ? " of " + bytes_for_people(file.size) : "");
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - file.started;
  const double speed = time.count() > 0 ? static_cast<double>(file.done - file.begin) / time.count() : 0;
  // The speed of the first moments is not reliable.
  if (time.count() < 1 || speed <= 0) return line;
  line.position += "  " + bytes_for_people(static_cast<std::uintmax_t>(speed)) + "/s";
  if (file.size > file.done) line.remaining = static_cast<double>(file.size - file.done) / speed;
  return line;
}

}  // namespace

Display::Display(bool quiet) : style_(Progress::fitting_style(quiet)), progress_(style_) {}

void Display::update(Watch& watch) {
  for (const std::string& line : watch.take_lines()) progress_.say(line);
  std::map<std::size_t, JobLine> lines;
  for (const auto& [id, file] : watch.files())
    if (style_ == Progress::Style::kBars || file.size >= kWorthALine) lines[id] = line_of(file);
  // In one column, so that the bars are below each other.
  std::size_t widest = 0;
  for (const auto& [id, line] : lines) widest = std::max(widest, line.name.size());
  if (style_ == Progress::Style::kBars)
    for (auto& [id, line] : lines) line.name.resize(widest, ' ');
  progress_.show(lines);
}

}  // namespace bcp::cli::get
