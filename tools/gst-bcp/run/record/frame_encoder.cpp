// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/record/frame_encoder.hpp"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>

#include <utility>

#include "gst-bcp/run/plan/encoding.hpp"
#include "gst-bcp/run/plan/launch_line.hpp"

namespace bcp::cli::run {

Result<std::unique_ptr<FrameEncoder>> FrameEncoder::open(const GstCaps* frames, unsigned connection,
                                                         StreamTap::Take take) {
  // What both containers take.
  Result<const Container*> container = container_for("recording.mp4");
  if (!container) return container.error();
  const Result<std::string> encoder = choose_video_encoder(**container, "");
  if (!encoder) return encoder.error();
  Media media;
  GstVideoInfo info;
  if (gst_video_info_from_caps(&info, frames)) {
    media.width = info.width;
    media.height = info.height;
    if (info.fps_d > 0) media.rate = static_cast<double>(info.fps_n) / info.fps_d;
  }
  LaunchLine line;
  line.element("appsrc").name("frames").set("format", "time").set("max-bytes", "0").set("max-buffers", "8");
  line.set("leaky-type", "downstream");
  line.element("videoconvert").caps("video/x-raw,format={(string)I420,(string)NV12}");
  add_video_encoder(line, *encoder, media, true);
  line.element("appsink").name("packets").set("sync", "false").set("async", "false").set("emit-signals", "true");
  Result<gst::ElementPtr> pipeline = line.parse();
  if (!pipeline) return pipeline.error();
  std::unique_ptr<FrameEncoder> made(new FrameEncoder(connection, std::move(take)));
  made->pipeline_ = std::move(*pipeline);
  made->source_.reset(gst_bin_get_by_name(GST_BIN(made->pipeline_.get()), "frames"));
  gst_app_src_set_caps(GST_APP_SRC(made->source_.get()), frames);
  const gst::ElementPtr sink(gst_bin_get_by_name(GST_BIN(made->pipeline_.get()), "packets"));
  g_signal_connect(sink.get(), "new-sample", G_CALLBACK(on_packet), made.get());
  gst_element_set_state(made->pipeline_.get(), GST_STATE_PLAYING);
  return made;
}

FrameEncoder::~FrameEncoder() {
  if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
}

void FrameEncoder::add(GstBuffer* frame, GstClockTime time) {
  GstBuffer* copy = gst_buffer_copy(frame);  // shares the picture
  GST_BUFFER_PTS(copy) = time;
  GST_BUFFER_DTS(copy) = GST_CLOCK_TIME_NONE;
  gst_app_src_push_buffer(GST_APP_SRC(source_.get()), copy);
}

GstFlowReturn FrameEncoder::on_packet(GstElement* sink, gpointer data) {
  auto& self = *static_cast<FrameEncoder*>(data);
  const gst::SamplePtr sample(gst_app_sink_pull_sample(GST_APP_SINK(sink)));
  GstBuffer* buffer = sample ? gst_sample_get_buffer(sample.get()) : nullptr;
  if (!buffer) return GST_FLOW_EOS;
  Packet packet;
  packet.buffer.reset(gst_buffer_ref(buffer));
  packet.caps.reset(gst_caps_ref(gst_sample_get_caps(sample.get())));
  // Encoders move times so that those of decoding are positive; the segment undoes that.
  packet.time =
      gst_segment_to_running_time(gst_sample_get_segment(sample.get()), GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  packet.arrival = std::chrono::system_clock::now();
  packet.connection = self.connection_;
  packet.is_key = !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT);
  self.take_(std::move(packet));
  return GST_FLOW_OK;
}

}  // namespace bcp::cli::run
