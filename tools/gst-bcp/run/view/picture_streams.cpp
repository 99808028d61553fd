// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/picture_streams.hpp"

#include <algorithm>
#include <utility>

namespace bcp::cli::view {
namespace {

constexpr std::chrono::milliseconds kShortest{100};
constexpr std::size_t kMostASecond = 30;  // of all cameras

void end_timer(GSource*& timer) {
  if (!timer) return;
  g_source_destroy(timer);
  g_source_unref(std::exchange(timer, nullptr));
}

}  // namespace

std::chrono::milliseconds PictureStreams::interval(std::size_t watched) {
  return std::max(kShortest, std::chrono::milliseconds(1000 * watched / kMostASecond));
}

PictureStreams::~PictureStreams() {
  viewers_.clear();
  for (auto& [id, camera] : cameras_) end_timer(camera.timer);
}

void PictureStreams::open(ObjectPtr<GIOStream> connection, ObjectPtr<GSocket> socket, std::string head,
                          std::set<CameraId> cameras) {
  Viewer& viewer = viewers_.emplace_back(std::move(cameras));
  for (const CameraId camera : viewer.queue.cameras())
    if (const Jpeg newest = cameras_[camera].newest) viewer.queue.put(camera, newest);
  const auto next = [this, &viewer] {
    std::string part = viewer.queue.take();
    for (const CameraId camera : viewer.queue.cameras()) consider(camera);
    return part;
  };
  viewer.stream = std::make_unique<StreamClient>(std::move(connection), std::move(socket), std::move(head),
                                                 StreamClient::Source{next, [&viewer] { viewer.gone = true; }});
  viewer.stream->wake();
}

void PictureStreams::arrive(CameraId id, Jpeg picture) {
  Camera& camera = cameras_[id];
  camera.asked = false;
  if (picture) {
    camera.newest = std::move(picture);
    for (Viewer& viewer : viewers_) {
      if (viewer.gone) continue;
      viewer.queue.put(id, camera.newest);
      viewer.stream->wake();
    }
  }
  consider(id);
}

void PictureStreams::restart(CameraId id) {
  cameras_[id].asked = false;
  consider(id);
}

void PictureStreams::tick(Clock::time_point now) {
  std::erase_if(viewers_, [now](const Viewer& viewer) { return viewer.gone || viewer.stream->is_stalled(now); });
  // Numbers of cameras that there are not, which a viewer asked for.
  std::erase_if(cameras_, [](const auto& each) {
    const Camera& camera = each.second;
    return !camera.asked && !camera.timer && !camera.newest;
  });
}

bool PictureStreams::is_wanted(CameraId camera) const {
  return std::any_of(viewers_.begin(), viewers_.end(),
                     [camera](const Viewer& viewer) { return !viewer.gone && viewer.queue.wants(camera); });
}

std::size_t PictureStreams::watched() const {
  const auto is_watched = [this](const auto& camera) {
    return camera.second.newest && std::any_of(viewers_.begin(), viewers_.end(), [&camera](const Viewer& viewer) {
             return !viewer.gone && viewer.queue.cameras().contains(camera.first);
           });
  };
  return static_cast<std::size_t>(std::count_if(cameras_.begin(), cameras_.end(), is_watched));
}

void PictureStreams::consider(CameraId id) {
  Camera& camera = cameras_[id];
  if (camera.asked || camera.timer || !is_wanted(id)) return;
  const Clock::duration delay = camera.last + interval(watched()) - Clock::now();
  if (delay > Clock::duration::zero()) return consider_later(id, camera, delay);
  camera.asked = ask_(id);
  camera.last = Clock::now();
}

void PictureStreams::consider_later(CameraId id, Camera& camera, Clock::duration delay) {
  struct Call {
    PictureStreams* all;
    CameraId id;
  };
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(delay);
  camera.timer = g_timeout_source_new(static_cast<guint>(wait.count()));
  g_source_set_callback(
      camera.timer,
      [](gpointer data) -> gboolean {
        const Call call = *static_cast<Call*>(data);
        end_timer(call.all->cameras_[call.id].timer);
        call.all->consider(call.id);
        return G_SOURCE_REMOVE;
      },
      new Call{this, id}, [](gpointer data) { delete static_cast<Call*>(data); });
  g_source_attach(camera.timer, g_main_context_get_thread_default());
}

}  // namespace bcp::cli::view
