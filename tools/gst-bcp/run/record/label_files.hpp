// SPDX-License-Identifier: LGPL-2.1-or-later
// The labels beside a file of a recording: as JSON lines, and as subtitles (WebVTT). A subtitle track in the file would
// make the muxer wait for labels; a file beside it never does.
//
// Both files are valid after every line; after a power cut, what was written last may be missing or damaged. One thread
// at a time. Failures are ignored: labels must not stop the video.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gst-bcp/run/record/wall_clock.hpp"

namespace bcp::cli::run {

// The files beside this video, which may be there.
std::vector<std::string> label_files_of(const std::string& video);
// Removes what a power cut has damaged: the files end with the last line, or subtitle, in front of it.
void mend_label_files(const std::string& video);

class LabelFiles {
 public:
  using Labels =
      std::vector<std::pair<std::string, double>>;  // the shown ones and their probabilities, likeliest first

  // `stem`: the path of the video without its extension. The files are created with the first label.
  LabelFiles(std::string stem, WallTime start) : stem_(std::move(stem)), start_(start) {}
  ~LabelFiles() { finish(last_); }
  LabelFiles(const LabelFiles&) = delete;
  LabelFiles& operator=(const LabelFiles&) = delete;

  // The labels of a frame, `seconds` after the start. A line is written when the shown labels change, and each second
  // while there are any.
  void add(double seconds, const Labels& labels);
  // The video ends there, and its last labels with it. Syncs both files; before, the file of the video does (DiskSync).
  void finish(double seconds);

 private:
  void end_cue(double seconds);
  bool append(const char* ending, const std::string& text);

  const std::string stem_;
  const WallTime start_;
  std::vector<std::string> shown_;  // names, in the order of the alphabet
  std::string cue_;                 // its text; empty: none
  double cue_start_ = 0, line_at_ = -1, last_ = 0;
  bool began_ = false, is_synced_ = true;
};

}  // namespace bcp::cli::run
