// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/stall.hpp"

#include <utility>

#include "gst-bcp/run/plan/recipe.hpp"

namespace bcp::cli::run {
namespace {

template <typename T>
T* holder(const T& shared) {
  return new T(shared);
}

}  // namespace

StallWatch::StallWatch(GstElement* pipeline, unsigned longest)
    : queue_(gst_bin_get_by_name(GST_BIN(pipeline), kWaitingQueue)), longest_(longest) {
  using Shared = std::shared_ptr<Activity>;
  if (const gst::ElementPtr source{gst_bin_get_by_name(GST_BIN(pipeline), kSource)};
      source && g_signal_lookup("source-setup", G_OBJECT_TYPE(source.get())) != 0)
    g_signal_connect_data(
        source.get(), "source-setup", G_CALLBACK(watch_source), holder(activity_),
        [](gpointer data, GClosure*) { delete static_cast<Shared*>(data); }, GConnectFlags{});
  const gst::ElementPtr inlet(gst_bin_get_by_name(GST_BIN(pipeline), kVideoInlet));
  if (!inlet) return;
  const auto on_data = [](GstPad*, GstPadProbeInfo* info, gpointer data) {
    Activity& activity = **static_cast<Shared*>(data);
    ++activity.count;
    if (info->type & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM &&
        GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS)
      activity.ended = true;
    return GST_PAD_PROBE_OK;
  };
  const gst::PadPtr pad(gst_element_get_static_pad(inlet.get(), "src"));
  gst_pad_add_probe(pad.get(),
                    static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
                    on_data, holder(activity_), [](gpointer data) { delete static_cast<Shared*>(data); });
}

void StallWatch::watch_source(GstElement*, GstElement* source, gpointer activity) {
  using Shared = std::shared_ptr<Activity>;
  const auto on_bytes = [](GstPad*, GstPadProbeInfo*, gpointer data) {
    ++(*static_cast<Shared*>(data))->count;
    return GST_PAD_PROBE_OK;
  };
  const gst::PadPtr pad(gst_element_get_static_pad(source, "src"));
  if (!pad) return;  // a source that adds its pads later: its pictures are watched instead
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_bytes, holder(*static_cast<Shared*>(activity)),
                    [](gpointer data) { delete static_cast<Shared*>(data); });
}

bool StallWatch::tick() {
  const std::uint64_t count = activity_->count;
  guint waiting = 0;
  if (queue_) g_object_get(queue_.get(), "current-level-buffers", &waiting, nullptr);
  const bool active = std::exchange(seen_, count) != count || waiting > 0 || activity_->ended;
  silent_ = active ? 0 : silent_ + 1;
  return silent_ >= longest_;
}

}  // namespace bcp::cli::run
