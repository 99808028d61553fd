// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures that wait for one viewer: the newest of each camera, as parts of multipart/x-mixed-replace (MJPEG).
//
// One connection carries the pictures of several cameras, because browsers open at most six connections to a server:
// each part names its camera in the header X-Camera. Cameras take turns. One thread.

#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace bcp::cli::view {

using CameraId = unsigned;
using Jpeg = std::shared_ptr<const std::string>;

class PictureQueue {
 public:
  static constexpr const char* kContentType = "multipart/x-mixed-replace; boundary=bcp-picture";

  explicit PictureQueue(std::set<CameraId> cameras) : cameras_(std::move(cameras)) {}

  const std::set<CameraId>& cameras() const { return cameras_; }
  // Whether a picture of this camera would be sent next, not replace one that still waits.
  bool wants(CameraId camera) const { return cameras_.contains(camera) && !waiting_.contains(camera); }
  // Replaces the one that waits; pictures of other cameras are ignored.
  void put(CameraId camera, Jpeg picture);
  // The next part; empty: none waits.
  std::string take();

 private:
  const std::set<CameraId> cameras_;
  std::map<CameraId, Jpeg> waiting_;
  std::deque<CameraId> turns_;
};

}  // namespace bcp::cli::view
