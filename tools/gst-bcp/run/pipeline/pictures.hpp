// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures as a stream: one frame each, one second apart, of any size.

#pragma once

#include <gst/gst.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/plan/outputs.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {

// The place in a list of files of the frame with this timestamp.
std::size_t picture_index(GstClockTime pts);

// Reads files and pushes them into an appsrc, from its own thread, until they are all pushed or the pipeline
// stops; then the stream ends. A file that cannot be read is reported on the bus (read_unreadable) and left out.
class PictureFeeder {
 public:
  PictureFeeder(GstElement* appsrc, std::vector<std::string> files);
  // Ends the stream in any state of the pipeline, and waits for the thread: for one file at most.
  ~PictureFeeder();
  PictureFeeder(const PictureFeeder&) = delete;
  PictureFeeder& operator=(const PictureFeeder&) = delete;

 private:
  const gst::ElementPtr appsrc_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// The sentence about a picture that could not be read, if this message is one; else empty.
std::string read_unreadable(GstMessage* message);

// Gives each frame that enters `tagger` the name of its file as its source.
void name_frames_by_file(GstElement* tagger, std::vector<std::string> files);

// Writes a frame (BGR) to a file, whole or not at all. Any thread.
Status write_picture(GstSample* sample, const std::string& path, const OutputFile::Rules& rules);

// Does so with each frame that reaches `appsink`, to the target of its file; an empty target is skipped. A failed write
// is an error on the bus.
void write_frames(GstElement* appsink, std::vector<std::string> targets, OutputFile::Rules rules);

}  // namespace bcp::cli::run
