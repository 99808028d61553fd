// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/picture_queue.hpp"

#include <utility>

namespace bcp::cli::view {

void PictureQueue::put(CameraId camera, Jpeg picture) {
  if (!cameras_.contains(camera)) return;
  if (waiting_.insert_or_assign(camera, std::move(picture)).second) turns_.push_back(camera);
}

std::string PictureQueue::take() {
  if (turns_.empty()) return {};
  const CameraId camera = turns_.front();
  turns_.pop_front();
  const Jpeg picture = std::move(waiting_.at(camera));
  waiting_.erase(camera);
  std::string part = "--bcp-picture\r\nContent-Type: image/jpeg\r\nContent-Length: " + std::to_string(picture->size()) +
                     "\r\nX-Camera: " + std::to_string(camera) + "\r\n\r\n";
  part += *picture;
  part += "\r\n";
  return part;
}

}  // namespace bcp::cli::view
