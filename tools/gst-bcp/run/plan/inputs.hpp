// SPDX-License-Identifier: LGPL-2.1-or-later
// The inputs of the command line, as a list of streams.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp::cli::run {

enum class InputKind {
  kVideo,     // has an end: a file, a video on a web server
  kLive,      // real time: a camera
  kPictures,  // pictures, one frame each
};

struct Input {
  InputKind kind = InputKind::kVideo;
  std::string name;                // for people, in UTF-8; never contains a password
  std::string source;              // for results and metrics, in UTF-8; never contains an address
  bool is_named = false;           // whether `source` was given, as in door=rtsp://…
  std::string uri;                 // of a video or a camera
  std::string path;                // of a video that is a local file
  std::vector<std::string> files;  // of pictures
  std::string fault;               // why it cannot be read; empty: no error so far
};

// The streams, in the order given. A directory stands for the videos and pictures in it, in numeric order (2 before
// 10); hidden files are ignored. All pictures are one stream, at the position of the first. `live`: treat every video
// as a real-time stream. An input that cannot be read is in the list with its fault; an error means that no input was
// found. "-" is standard input, which is read to its end here. "door=rtsp://…" is a camera with the
// name door.
Result<std::vector<Input>> find_inputs(const std::vector<std::string>& given, bool live, bool recursive);

// The text with U+FFFD for invalid UTF-8, which file names may contain: GStreamer and JSON accept only UTF-8.
std::string readable(const std::string& name);

// The name without folders, for narrow output.
std::string short_name(const Input& input);

// The files of the inputs: an output must not be one of them.
std::vector<std::string> files_of(const std::vector<Input>& inputs);

}  // namespace bcp::cli::run
