// SPDX-License-Identifier: LGPL-2.1-or-later
// Progress of a run: bars on a terminal, plain lines elsewhere. Progress goes to standard error, results to standard
// output. Belongs to the main thread.

#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace bcp::cli {

// One job, as it is shown.
struct JobLine {
  std::string name = {};         // empty: there is only one job
  double fraction = -1;          // share that is done, 0 to 1; below 0: unknown
  std::string position = {};     // "0:12"
  double rate = 0;               // frames a second
  double remaining = -1;         // seconds
  std::string labels = {};       // "person 0.93, bicycle 0.41"
  std::string label_names = {};  // the same without numbers, to detect changes
  std::string phase = {};        // shown instead of the fields above: "opening"
};

class Progress {
 public:
  enum class Style { kNone, kLines, kBars };
  // The style that suits standard error.
  static Style fitting_style(bool quiet);

  explicit Progress(Style style);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The lines to show from now on, by the id of the job. To be called a few times a second.
  void show(const std::map<std::size_t, JobLine>& lines);
  // A line that stays, on standard error or, as a result, on standard output. Printed in every style.
  void say(const std::string& line);
  void print(const std::string& line);

 private:
  void erase();
  void draw(const std::vector<std::string>& rows);
  void print_line(std::size_t id, const JobLine& line);

  const Style style_;
  std::vector<std::string> drawn_;
  int drawn_width_ = 0;
  struct Printed {
    std::chrono::steady_clock::time_point when;
    std::string label_names;
  };
  std::map<std::size_t, Printed> printed_;
};

}  // namespace bcp::cli
