// SPDX-License-Identifier: LGPL-2.1-or-later
// How a video is written: the format by the file extension, and an encoder that works on this machine.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/plan/launch_line.hpp"
#include "gst-bcp/run/plan/media.hpp"

namespace bcp::cli::run {

// A container format, and what it can contain.
struct Container {
  std::vector<std::string> endings;
  std::string muxer;
  std::vector<std::string> video;  // what its pictures may be encoded as, best first: "video/x-h264"
  std::vector<std::string> sound;  // what is copied without encoding, "audio/mpeg,mpegversion=4"
  std::string new_sound;           // the format for other sound
};

// The container of a file's extension. An error lists the known ones.
Result<const Container*> container_for(const std::string& path);

// Whether container_for() knows the extension.
bool has_container(const std::string& path);

// Checks `name`, if given, or chooses the encoder with the highest GStreamer rank that encodes a few test frames; the
// result is cached. REQUIRES: gst_init().
Result<std::string> choose_video_encoder(const Container& container, const std::string& name);

// Puts the encoder behind `line`, set for good quality at a good speed and a key frame each two seconds, and the parser
// it needs. `live`: without delay.
void add_video_encoder(LaunchLine& line, const std::string& encoder, const Media& media, bool live);

// Adds a branch from the element `from` to the one called mux, through a queue called `queue`, with what the sound
// needs on its way: a parser where the container supports its format, else an encoder. False, and nothing is added,
// if there is no encoder.
bool add_sound(LaunchLine& line, const Container& container, const std::string& sound, const char* from,
               const char* queue);

// Names of elements on the way of a camera's sound.
struct CameraSound {
  const char* from;     // the source
  const char* inlet;    // what it is linked to
  const char* silence;  // a source of its own
  const char* valve;    // blocks the sound while closed
  const char* queue;    // in front of the muxer
};

// The same for a camera, whose sound has gaps and may change its format after each: it is mixed with silence, so that
// the muxer always has data, and the mix is encoded.
bool add_camera_sound(LaunchLine& line, const Container& container, const CameraSound& names);

// Whether the sound is copied into the container without encoding.
bool takes(const Container& container, const std::string& sound);

}  // namespace bcp::cli::run
