// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps a camera in its pipeline: when the source fails, ends or stops sending, only the source is replaced, as often
// as needed. The rest keeps playing, with what it has learnt and with its files open.
//
// It posts changes on the pipeline's bus, as element messages: bcp-source-lost (string reason,
// boolean was-there, double retry-in, in seconds) and bcp-source-back (double outage). Belongs to the main thread and
// never makes it wait.

#pragma once

#include <gst/gst.h>

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "gst-bcp/run/camera/inlet.hpp"
#include "gst-bcp/run/camera/live_source.hpp"
#include "gst-bcp/run/camera/network_check.hpp"
#include "gst-bcp/run/camera/reconnect.hpp"
#include "gst-bcp/run/plan/camera_fault.hpp"
#include "gst-bcp/run/plan/launch_line.hpp"

namespace bcp::cli::run {

class Supervisor {
 public:
  struct Listener {
    // Retrying is useless, or the time is over. The supervisor has stopped.
    virtual void on_given_up(const std::string& sentence) = 0;

   protected:
    ~Listener() = default;
  };

  // `pipeline` outlives the supervisor. `source` makes a source like the one in it. Either the pipeline is not playing
  // yet, or its source is `held` (live_source.hpp) until connect().
  // `tap`, if given, takes the encoded stream of every connection.
  Supervisor(GstElement* pipeline, LaunchLine source, CameraCall call, Reconnect::Rules rules, Listener& listener,
             std::unique_ptr<LiveSource> held = nullptr, std::shared_ptr<StreamTap> tap = nullptr);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Links a source that was held to the pipeline. Call when the whole pipeline plays.
  void connect();
  // Pass every message of the pipeline's bus. True: the message was about the source, and has been handled.
  bool on_message(GstMessage* message);
  // Ends the stream here; the pipeline's end follows on its bus.
  void end();
  // Removes the source, closes it on another thread, and stops. The supervisor must exist until the pipeline has
  // stopped: frames may still pass through its inlets.
  void stop();
  // Seconds since the last picture during an outage; else unset.
  std::optional<double> outage() const;
  // Whether a picture has ever come.
  bool ever_connected() const { return clockwork_.ever_connected(); }

 private:
  void tick();
  // `reason` in a few words, and as a sentence of its own.
  void lose(const std::string& reason, std::string sentence, std::optional<CameraTrouble> trouble = {});
  void lose(const CameraFault& fault) { lose(fault.reason, fault.sentence, fault.trouble); }
  void lose_unexplained(std::string sentence);
  void post_lost(const std::string& reason, std::optional<CameraTrouble> trouble = {});
  void give_up_silent();
  void notice_frames(Reconnect::Time now);
  void on_picture(Reconnect::Duration outage);
  void open();
  void mute(bool shut);
  void give_up(const std::string& sentence);
  bool on_error(GstMessage* message);
  bool is_from_source(GstMessage* message) const;

  GstElement* const pipeline_;
  const LaunchLine line_;
  CameraCall call_;  // of the present connection, or the last
  const std::string& name_ = call_.name;
  Listener& listener_;
  const std::shared_ptr<Timeline> timeline_ = std::make_shared<Timeline>();
  const std::shared_ptr<StreamTap> tap_;  // may be null
  LiveSource::Inlets inlets_;             // the first is that of the pictures
  std::unique_ptr<LiveSource> source_;
  Reconnect clockwork_;
  std::unique_ptr<NetworkCheck> check_;
  guint timer_ = 0;
  std::uint64_t frames_ = 0;          // counted so far
  bool has_end_ = false;              // a recording: its end is not a lost camera
  bool posted_ = false;               // the loss was posted
  std::set<CameraTrouble> troubles_;  // reported in this outage, of those that need a person
  bool stopped_ = false;
  bool muted_ = false;
  std::string last_fault_;  // as a sentence
  std::string missing_;     // GStreamer's text about a missing plugin
};

// The sentence for a message about the camera; empty for other messages.
std::string read_source_news(GstMessage* message, const std::string& name);

}  // namespace bcp::cli::run
