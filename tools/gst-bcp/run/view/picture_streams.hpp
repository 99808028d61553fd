// SPDX-License-Identifier: LGPL-2.1-or-later
// The viewers of live pictures, and when a picture is made for them.
//
// A picture is asked for only while a viewer waits for one, at most ten times a second and camera and 30 times a second
// in all, and it is made once for all viewers. A viewer that takes its pictures slowly gets the newest ones; one that
// takes none costs two pictures and is disconnected. Belongs to the server's thread.

#pragma once

#include <glib.h>

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "gst-bcp/run/view/picture_queue.hpp"
#include "gst-bcp/run/view/stream_client.hpp"

namespace bcp::cli::view {

class PictureStreams {
 public:
  using Clock = StreamClient::Clock;
  static constexpr std::size_t kMost = 24;  // viewers
  // Between two pictures of a camera while this number of cameras is watched.
  static std::chrono::milliseconds interval(std::size_t watched);

  // Asks for a picture of the camera, for which arrive() is called later; false: it has none at the moment.
  using Ask = std::function<bool(CameraId camera)>;
  explicit PictureStreams(Ask ask) : ask_(std::move(ask)) {}
  ~PictureStreams();
  PictureStreams(const PictureStreams&) = delete;
  PictureStreams& operator=(const PictureStreams&) = delete;

  bool has_room() const { return viewers_.size() < kMost; }
  void open(ObjectPtr<GIOStream> connection, ObjectPtr<GSocket> socket, std::string head, std::set<CameraId> cameras);
  // The picture that was asked for; null: it could not be made.
  void arrive(CameraId camera, Jpeg picture);
  // The camera has pictures from now on, or none: what was asked for does not come any more.
  void restart(CameraId camera);
  // Every second: drops the viewers that have gone or are stalled.
  void tick(Clock::time_point now);

 private:
  struct Viewer {
    explicit Viewer(std::set<CameraId> cameras) : queue(std::move(cameras)) {}
    PictureQueue queue;
    std::unique_ptr<StreamClient> stream;
    bool gone = false;
  };
  struct Camera {
    bool asked = false;
    Clock::time_point last;  // when it was asked
    GSource* timer = nullptr;
    Jpeg newest;
  };

  bool is_wanted(CameraId camera) const;
  // Cameras that have pictures, and viewers.
  std::size_t watched() const;
  void consider(CameraId camera);
  void consider_later(CameraId id, Camera& camera, Clock::duration delay);

  const Ask ask_;
  std::list<Viewer> viewers_;
  std::map<CameraId, Camera> cameras_;
};

}  // namespace bcp::cli::view
