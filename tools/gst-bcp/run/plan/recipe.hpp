// SPDX-License-Identifier: LGPL-2.1-or-later
// Builds the pipeline of one input.

#pragma once

#include <string>
#include <vector>

#include "gst-bcp/run/plan/encoding.hpp"
#include "gst-bcp/run/plan/inputs.hpp"
#include "gst-bcp/run/plan/launch_line.hpp"
#include "gst-bcp/run/plan/media.hpp"
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

// Names of elements in the pipeline that other files use.
inline constexpr const char* kSource = "in";  // uridecodebin, or the appsrc of pictures
inline constexpr const char* kVideoInlet =
    "pictures";  // where a camera's pictures enter; stays when the source is replaced
inline constexpr const char* kWaitingQueue = "waiting";  // the queue of pictures in front of the tagger
inline constexpr const char* kSoundInlet = "voice";      // the same of its sound
inline constexpr const char* kSilence = "silence";       // fills the gaps of a camera's sound
inline constexpr const char* kSoundValve = "mute";       // blocks the silence of a long outage from the muxer
inline constexpr const char* kTagger = "tagger";         // bcptagger
inline constexpr const char* kSound = "sound";           // the queue in front of the muxer
inline constexpr const char* kResults = "results";       // the bcppublish of --jsonl
inline constexpr const char* kPictures = "out";          // the appsink of labelled pictures

struct Recipe {
  InputKind kind = InputKind::kVideo;
  std::string uri;
  std::string source_id;
  bool accept_any_certificate = false;   // of a TLS server
  Media media;                           // what is known of a video
  std::vector<Setting> tagger;           // properties of bcptagger
  std::string jsonl;                     // where results go; empty: nowhere
  bool append = false;                   // to an existing file
  bool all_labels = false;               // in `jsonl`
  std::string page_results;              // where results for a report go; empty: nowhere
  bool overlay = true;                   // draw the labels
  bool compare = false;                  // draw plain CLIP beside them
  const Container* container = nullptr;  // of the video to write; null: none is written
  std::string encoder;
  std::string video, video_aside;  // files for the video, and for temporary data of its muxer
  bool pictures_out = false;       // labelled pictures are wanted
  bool record = false;             // its stream is recorded beside the pipeline, with its sound
};

// Whether it is a camera or a stream that may be lost and reconnected.
bool may_return(const Recipe& recipe);

struct Prepared {
  LaunchLine line;
  LaunchLine source;   // the part of it that is replaced when a camera is lost
  LaunchLine rest;     // the line without the source
  std::string remark;  // what will be missing in the output, or empty
};

// REQUIRES: gst_init().
Prepared prepare(const Recipe& recipe);

}  // namespace bcp::cli::run
