// SPDX-License-Identifier: LGPL-2.1-or-later
// What was given on the command line, as a list of streams.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli::run {

enum class InputKind {
  kVideo,     // has an end: a file, a video on a web server
  kLive,      // comes at its own pace: a camera
  kPictures,  // pictures, one frame each
};

struct Input {
  InputKind kind = InputKind::kVideo;
  std::string name;                // for people, in UTF-8; never holds a password
  std::string source;              // for results and metrics, in UTF-8; never holds an address
  bool is_named = false;           // whether `source` was given, as in door=rtsp://…
  std::string uri;                 // of a video or a camera
  std::string path;                // of a video, where it is a file here
  std::vector<std::string> files;  // of pictures
  std::string fault;               // why it cannot be read; empty: nothing is known against it
};

// The streams, in the order given. A directory stands for the videos and pictures in it, in the order people number
// them (2 before 10); hidden files are left out. All pictures are one stream, at the place of the first. `live`: treat
// every video as one that comes at its own pace. What cannot be read is in the list, with its fault; an error means
// that nothing at all was found. "-" is standard input, which is read to its end here. "door=rtsp://…" is a camera
// called door.
Result<std::vector<Input>> find_inputs(const std::vector<std::string>& given, bool live, bool recursive);

// The text with U+FFFD for what is not UTF-8, as names of files need not be: GStreamer and JSON take nothing else.
std::string readable(const std::string& name);

// The name without folders, for where there is little room.
std::string short_name(const Input& input);

// The files behind the inputs: an output must be none of them.
std::vector<std::string> files_of(const std::vector<Input>& inputs);

}  // namespace bcp::cli::run
