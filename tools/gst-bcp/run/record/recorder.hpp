// SPDX-License-Identifier: LGPL-2.1-or-later
// Records one camera: decides when a file begins and ends, and keeps the folder within its limits.
//
// Packets and results are queued by any thread, without waiting; a thread of the recorder does the rest. If the disk is
// too slow, or full, or read-only, packets are dropped here, and nothing else notices.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>

#include "gst-bcp/run/camera/stream_tap.hpp"
#include "gst-bcp/run/plan/file_lock.hpp"
#include "gst-bcp/run/plan/record_options.hpp"
#include "gst-bcp/run/record/index.hpp"
#include "gst-bcp/run/record/label_track.hpp"
#include "gst-bcp/run/record/packet_hold.hpp"
#include "gst-bcp/run/record/retention.hpp"
#include "gst-bcp/run/record/segment_writer.hpp"
#include "gst-bcp/run/record/status.hpp"
#include "gst-bcp/run/record/trigger.hpp"

namespace bcp::cli::run {

class Recorder {
 public:
  struct Setup {
    std::string camera;                                                               // for sentences
    std::string folder;                                                               // of this camera
    RecordOptions options;                                                            // `folder` of these is not used
    std::function<void(const std::string&)> say;                                      // on the recorder's thread
    std::function<WallTime()> now = [] { return std::chrono::system_clock::now(); };  // replaced in tests
    std::chrono::milliseconds retry{2000};  // after a fault of the disk, until it is tried again
    std::shared_ptr<void> previous;         // destroyed on the recorder's thread before it looks at the folder
  };
  // Creates the folder. An error is about it, or about the condition.
  static Result<std::unique_ptr<Recorder>> open(Setup setup);
  // Completes the file. Waits for it.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Any thread; these never wait.
  void add(Packet packet);
  // A result for the picture at this running time. Call again with the same result and a later time while it holds, at
  // least each second: the picture has not changed, or the model is slow.
  void add(gst::BcpResultPtr result, GstClockTime time);
  // The camera is lost: its file is completed.
  void lose();
  // Nothing follows.
  void finish();
  // Whether its files are complete, after finish(): the destructor does not wait.
  bool has_ended() const { return has_ended_; }

  const std::shared_ptr<RecordStatus>& status() const { return status_; }

 private:
  struct Labels {
    gst::BcpResultPtr result;
    GstClockTime time;
  };
  struct Lost {};
  using Item = std::variant<Packet, Labels, Lost>;

  Recorder(Setup setup, std::optional<Trigger> trigger, std::shared_ptr<void> previous);
  void work();
  void begin();
  void take(Packet packet);
  void take(Labels labels);
  void take_sound(Packet packet);
  bool is_new_stream(const Packet& picture);
  bool should_end(const Packet& picture);
  bool wants_file(GstClockTime time) const;
  void open_file();
  void push(const Packet& packet);
  void look_whether_back();
  void end_file();
  void note_file(const char* ended, std::uint64_t bytes);
  void note_cut(std::uint64_t whole);
  void fail(const Error& error);
  void say_once(std::string& said, const std::string& sentence);
  void look_at_clock();
  void keep_limits();
  void show();

  const Setup setup_;
  const SegmentLimits limits_;
  const DiskFile::Layout layout_;
  const std::shared_ptr<RecordStatus> status_ = std::make_shared<RecordStatus>();
  std::optional<Trigger> trigger_;

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<Item> items_;   // under the mutex, as what follows
  std::size_t queued_ = 0;   // bytes of the packets in items_
  bool overflowed_ = false;  // packets are dropped until a key picture
  bool over_ = false;

  std::atomic<bool> has_ended_{false};

  // Of the recorder's thread:
  FileLock lock_;
  bool is_ready_ = false;  // the folder is locked, and its index is read
  RecordIndex index_;
  PacketHold hold_;  // what is not in a file, from a key picture on
  std::unique_ptr<SegmentWriter> writer_;
  IndexEntry entry_;                                     // of the file that is written
  GstClockTime start_ = 0, last_ = GST_CLOCK_TIME_NONE;  // of that file; of the last picture
  GstClockTime last_sound_ = GST_CLOCK_TIME_NONE, newest_result_ = GST_CLOCK_TIME_NONE;
  GstClockTime opened_ = GST_CLOCK_TIME_NONE;              // when the present connection delivered its first picture
  GstClockTime labelled_ = 0;                              // up to when labels are known
  GstClockTime wanted_ = GST_CLOCK_TIME_NONE, until_ = 0;  // of a clip: from when, and up to when
  gst::CapsPtr video_caps_, sound_caps_;
  unsigned connection_ = 0;
  bool reorders_ = false, rotate_ = false;
  LabelTrack labels_;
  const GstBcpResult* newest_ = nullptr;  // only compared
  std::chrono::steady_clock::time_point last_picture_, next_try_, next_check_;
  ClockWatch clock_;
  std::string fault_, said_disk_, said_sound_, said_slow_, said_small_, said_remove_;
  std::uint64_t bytes_ = 0, files_ = 0;  // of complete files; begun
  std::thread thread_;                   // last: it uses the above
};

}  // namespace bcp::cli::run
