// SPDX-License-Identifier: LGPL-2.1-or-later
// What the server asks of the run.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "gst-bcp/run/view/picture_queue.hpp"

namespace bcp::cli::view {

// A request of the page: to read something (GET), or to change something (POST).
struct ApiCall {
  std::string path;  // "/api/labels"
  bool changes = false;
  std::map<std::string, std::string> query;
  nlohmann::json body;  // of a change
};

struct ApiReply {
  unsigned status = 200;
  nlohmann::json body;
};

// With a sentence for people.
inline ApiReply refusal(unsigned status, const std::string& sentence) {
  return {status, {{"error", sentence}}};
}

// All are called on the server's thread and return at once.
struct Api {
  // `answer` may be called on any thread, once.
  std::function<void(ApiCall call, std::function<void(ApiReply)> answer)> call;
  // The small picture of an event; null: it has no picture.
  std::function<Jpeg(std::uint64_t span)> thumbnail;
  // Asks for a live picture; `done` is called on any thread. False: the camera has no picture at the moment.
  std::function<bool(CameraId camera, std::function<void(Jpeg)> done)> picture;
};

}  // namespace bcp::cli::view
