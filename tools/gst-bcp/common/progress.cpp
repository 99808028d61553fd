// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/progress.hpp"

#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "base/number_text.hpp"
#include "gst-bcp/common/clock_text.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/common/text_width.hpp"

namespace bcp::cli {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kLineInterval = 5s;    // between plain lines while nothing changes
constexpr auto kChangeInterval = 1s;  // at least, when labels change

int terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

int terminal_height() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return 24;
}

// In one write, so that a terminal never shows half of it.
void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // standard error is closed
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool speaks_utf8() {
  const locale_t locale = ::newlocale(LC_CTYPE_MASK, "", nullptr);
  if (!locale) return false;
  const bool utf8 = std::string_view(::nl_langinfo_l(CODESET, locale)) == "UTF-8";
  ::freelocale(locale);
  return utf8;
}

std::string rate_text(double rate) {
  return number_text(rate < 9.95 ? "%.1f fps" : "%.0f fps", rate);
}

// A bar of `columns`, in halves where the terminal can show them.
std::string bar(double fraction, int columns, bool utf8) {
  const auto halves = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * columns * 2));
  std::string text;
  for (int i = 0; i < columns; ++i) {
    if (2 * i + 1 < halves)
      text += utf8 ? "━" : "#";
    else if (2 * i + 1 == halves)
      text += utf8 ? "╸" : "-";
    else
      text += utf8 ? "─" : ".";
  }
  return text;
}

std::string remaining_text(double seconds) {
  return clock_text(static_cast<GstClockTime>(std::ceil(seconds)) * GST_SECOND) + " left";
}

// The parts of a line, without the bar.
std::string numbers_of(const JobLine& line) {
  std::string text;
  if (!line.position.empty()) text += line.position;
  if (line.rate > 0) text += (text.empty() ? "" : "  ") + rate_text(line.rate);
  if (line.remaining >= 0) text += (text.empty() ? "" : "  ") + remaining_text(line.remaining);
  return text;
}

// One row: what does not fit is left out from the end; the bar takes a fifth of the width.
std::string row_of(const JobLine& line, int columns, bool utf8) {
  const char* more = utf8 ? "…" : "...";
  std::string text;
  if (!line.name.empty()) text += fitted(printable(line.name), std::max(8, columns / 4), more) + "  ";
  if (!line.phase.empty()) return fitted(text + printable(line.phase), columns, more);
  if (line.fraction >= 0) {
    text += number_text("%3.0f %% ", std::floor(line.fraction * 100));
    if (columns >= 70) text += bar(line.fraction, std::clamp(columns / 5, 8, 30), utf8) + "  ";
  }
  text += numbers_of(line) + "  " + printable(line.labels);
  return fitted(text, columns, more);
}

// How many lines of a terminal of this width the rows take: it wraps longer ones.
std::size_t lines_taken(const std::vector<std::string>& rows, int width) {
  std::size_t lines = 0;
  for (const std::string& row : rows)
    lines += static_cast<std::size_t>(std::max(1, (width_of(row) + width - 1) / width));
  return lines;
}

// Back to the beginning of the first of these lines.
std::string back_over(std::size_t lines) {
  std::string text;
  if (lines > 1) text.append("\x1b[").append(std::to_string(lines - 1)).append("A");
  return text + "\r";
}

}  // namespace

Progress::Style Progress::fitting_style(bool quiet) {
  if (quiet) return Style::kNone;
  const char* term = std::getenv("TERM");
  const bool dumb = !term || std::string_view(term).empty() || std::string_view(term) == "dumb";
  return ::isatty(STDERR_FILENO) == 1 && !dumb ? Style::kBars : Style::kLines;
}

Progress::Progress(Style style) : style_(style) {}

Progress::~Progress() {
  erase();
}

void Progress::show(const std::map<std::size_t, JobLine>& lines) {
  if (style_ == Style::kLines)
    for (const auto& [id, line] : lines) print_line(id, line);
  if (style_ != Style::kBars) return;
  const bool utf8 = speaks_utf8();
  const int columns = terminal_width() - 1;  // the last column makes some terminals wrap
  const auto most = static_cast<std::size_t>(std::max(1, terminal_height() - 1));
  std::vector<std::string> rows;
  for (const auto& [id, line] : lines)
    if (rows.size() < most) rows.push_back(row_of(line, columns, utf8));
  draw(rows);
}

void Progress::draw(const std::vector<std::string>& rows) {
  const int width = terminal_width();
  if (rows == drawn_ && width == drawn_width_) return;
  // Overwrites the old rows line by line, without clearing first: clearing would flicker.
  std::string text = back_over(lines_taken(drawn_, width));
  for (std::size_t i = 0; i < rows.size(); ++i) text += (i == 0 ? "" : "\r\n") + rows[i] + "\x1b[K";
  write_all(STDERR_FILENO, text + "\x1b[J");
  drawn_ = rows;
  drawn_width_ = width;
}

void Progress::erase() {
  if (drawn_.empty()) return;
  write_all(STDERR_FILENO, back_over(lines_taken(drawn_, terminal_width())) + "\x1b[J");
  drawn_.clear();
}

void Progress::print_line(std::size_t id, const JobLine& line) {
  if (!line.phase.empty()) return;
  const auto now = Clock::now();
  const auto last = printed_.find(id);
  if (last != printed_.end()) {
    const bool changed = last->second.label_names != line.label_names;
    if (now - last->second.when < (changed ? Clock::duration(kChangeInterval) : Clock::duration(kLineInterval))) return;
  }
  printed_[id] = {now, line.label_names};
  std::string text = line.name.empty() ? "" : line.name + ": ";
  if (line.fraction >= 0) text += number_text("%.0f %%  ", std::floor(line.fraction * 100));
  say(text + numbers_of(line) + "  " + line.labels);
}

void Progress::say(const std::string& line) {
  const std::vector<std::string> rows = drawn_;
  erase();
  write_all(STDERR_FILENO, printable(line) + "\n");
  if (!rows.empty()) draw(rows);
}

void Progress::print(const std::string& line) {
  const std::vector<std::string> rows = drawn_;
  erase();
  std::cout << printable(line) << '\n' << std::flush;
  if (!rows.empty()) draw(rows);
}

}  // namespace bcp::cli
