// SPDX-License-Identifier: LGPL-2.1-or-later
// What a person watches while a run goes on: bars on a terminal, plain lines elsewhere. All of it goes to standard
// error; results go to standard output. Belongs to the main thread.

#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace bcp::cli {

// One job, as it is shown.
struct JobLine {
  std::string name = {};         // empty: needs none, there is only one job
  double fraction = -1;          // of the whole that is done; below 0: nobody knows
  std::string position = {};     // "0:12"
  double rate = 0;               // frames a second
  double remaining = -1;         // seconds
  std::string labels = {};       // "person 0.93, bicycle 0.41"
  std::string label_names = {};  // the same without numbers, to tell when it changes
  std::string phase = {};        // said instead of all that: "opening"
};

class Progress {
 public:
  enum class Style { kNone, kLines, kBars };
  // What standard error is fit for.
  static Style fitting_style(bool quiet);

  explicit Progress(Style style);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The lines to show from now on, by the id of the job. To be called a few times a second.
  void show(const std::map<std::size_t, JobLine>& lines);
  // A line that stays, on standard error or, as a result, on standard output. Told in every style.
  void say(const std::string& line);
  void print(const std::string& line);

 private:
  void erase();
  void draw(const std::vector<std::string>& rows);
  void tell(std::size_t id, const JobLine& line);

  const Style style_;
  std::vector<std::string> drawn_;
  int drawn_width_ = 0;
  struct Told {
    std::chrono::steady_clock::time_point when;
    std::string label_names;
  };
  std::map<std::size_t, Told> told_;
};

}  // namespace bcp::cli
