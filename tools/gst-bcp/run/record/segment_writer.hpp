// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes one file of a recording: packets are muxed, not encoded, and what the muxer makes goes to the disk. The file
// can be played at any time, up to its last whole fragment.
//
// One thread calls it; other threads mux and write. Nothing here runs on a thread of the camera's pipeline.

#pragma once

#include <gst/gst.h>

#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "gst-bcp/run/camera/stream_tap.hpp"
#include "gst-bcp/run/record/disk_file.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {

// Whether files of this layout take the sound as it comes.
bool takes_sound(DiskFile::Layout layout, const GstCaps* caps);
// A sentence about sound that they do not take; empty: they do.
std::string sound_fault(DiskFile::Layout layout, const GstCaps* caps);
// The extension of its files, with the dot.
const char* ending_of(DiskFile::Layout layout);
// "H.264", "AAC": for people and the index.
std::string codec_name(const GstCaps* caps);

class SegmentWriter {
 public:
  struct Format {
    DiskFile::Layout layout = DiskFile::Layout::kMp4;
    GstCaps* video = nullptr;
    GstCaps* sound = nullptr;  // null: none
    bool reorders = false;     // pictures are not sent in the order in which they are shown
  };
  // `start`: the running time of the first picture, the zero of the file.
  static Result<std::unique_ptr<SegmentWriter>> open(const std::string& path, const Format& format, GstClockTime start);
  // Without finish(): as abandon().
  ~SegmentWriter();
  SegmentWriter(const SegmentWriter&) = delete;
  SegmentWriter& operator=(const SegmentWriter&) = delete;

  // Does not wait, except while more than 32 MB are not written yet. A packet from before the start is ignored, and
  // sound in a file without.
  void push(const Packet& packet);
  // The sound has stopped: the muxer must not wait for it.
  void end_sound();
  bool has_sound() const { return sound_ != nullptr && !sound_ended_; }

  // Why the file cannot be written any more; unset while it can.
  std::optional<Error> fault() const;
  const DiskFile& file() const { return *file_; }

  // Ends the file and waits until it is complete, for ten seconds at most.
  Status finish();
  // Ends the file with its last whole fragment; false: no fragment is whole, and the file is removed.
  bool abandon();

 private:
  struct Sink;
  SegmentWriter(std::unique_ptr<DiskFile> file, GstClockTime start) : file_(std::move(file)), start_(start) {}
  Status assemble(const Format& format);
  void stop();

  std::unique_ptr<DiskFile> file_;
  const GstClockTime start_;
  gst::ElementPtr pipeline_, video_, sound_;
  std::uint64_t offset_ = 0;  // where the next bytes go; of the muxer's thread
  GstClockTime last_decode_ = GST_CLOCK_TIME_NONE;
  bool reorders_ = false;
  bool sound_ended_ = false;
};

}  // namespace bcp::cli::run
