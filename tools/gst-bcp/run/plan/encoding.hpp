// SPDX-License-Identifier: LGPL-2.1-or-later
// How a video is written: the kind of file by its ending, and an encoder that works on this machine.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/plan/launch_line.hpp"
#include "gst-bcp/run/plan/media.hpp"

namespace bcp::cli::run {

// A kind of file, and what it can hold.
struct Container {
  std::vector<std::string> endings;
  std::string muxer;
  std::vector<std::string> video;  // what its pictures may be encoded as, best first: "video/x-h264"
  std::vector<std::string> sound;  // what it takes as it comes, "audio/mpeg,mpegversion=4"
  std::string new_sound;           // what other sound is encoded as
};

// The kind a file's ending asks for. An error names those there are.
Result<const Container*> container_for(const std::string& path);

// Whether the ending is one of container_for()'s.
bool has_container(const std::string& path);

// Checks `name`, if one was asked for, or picks the encoder GStreamer ranks highest that encodes a few frames here and
// now; the answer is remembered. REQUIRES: gst_init().
Result<std::string> choose_video_encoder(const Container& container, const std::string& name);

// Puts the encoder behind `line`, set for good quality at a good speed and a key frame each two seconds, and the parser
// it needs. `live`: without delay.
void add_video_encoder(LaunchLine& line, const std::string& encoder, const Media& media, bool live);

// Adds a branch from the element `from` to the one called mux, through a queue called `queue`, with what the sound
// needs on its way: as little as possible where the container takes it, else an encoder. False where there is none;
// then nothing was added.
bool add_sound(LaunchLine& line, const Container& container, const std::string& sound, const char* from,
               const char* queue);

// Names of elements on the way of a camera's sound.
struct CameraSound {
  const char* from;     // the source
  const char* inlet;    // what it is linked to
  const char* silence;  // a source of its own
  const char* valve;    // behind which nothing comes while it is shut
  const char* queue;    // in front of the muxer
};

// The same for a camera, whose sound has gaps and may be another behind each of them: silence goes on beside it, so
// that the muxer has something at any time, and both are encoded.
bool add_camera_sound(LaunchLine& line, const Container& container, const CameraSound& names);

// Whether the sound goes into the container as it comes.
bool takes(const Container& container, const std::string& sound);

}  // namespace bcp::cli::run
