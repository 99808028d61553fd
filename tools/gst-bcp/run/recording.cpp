// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/recording.hpp"

#include <glib.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gst-bcp/run/camera/stream_tap.hpp"
#include "gst-bcp/run/pipeline/job.hpp"
#include "gst-bcp/run/record/disk_sync.hpp"
#include "gst-bcp/run/record/frame_encoder.hpp"
#include "gst-bcp/run/record/recorder.hpp"

namespace bcp::cli::run {
namespace {

constexpr GstClockTime kPassOnEvery = GST_SECOND / 2;  // a result that stays the same

// Sentences of other threads for the job, said on the main thread while the job exists.
class Mailbox : public std::enable_shared_from_this<Mailbox> {
 public:
  explicit Mailbox(Job& job) : job_(&job) {}
  void close() { job_ = nullptr; }
  void post(const std::string& sentence) {
    auto* letter = new std::pair(shared_from_this(), sentence);
    g_idle_add_full(
        G_PRIORITY_DEFAULT,
        [](gpointer data) -> gboolean {
          const auto& [box, text] = *static_cast<std::pair<std::shared_ptr<Mailbox>, std::string>*>(data);
          if (box->job_) box->job_->remark(text);
          return FALSE;
        },
        letter, [](gpointer data) { delete static_cast<std::pair<std::shared_ptr<Mailbox>, std::string>*>(data); });
  }

 private:
  Job* job_;  // of the main thread
};

// Encodes frames where the stream cannot be stored as it comes. The encoder is made on a thread of its own, because
// encoders are tried first; frames that come meanwhile are dropped.
class Fallback {
 public:
  Fallback(std::shared_ptr<StreamTap> tap, Recorder& recorder, std::shared_ptr<Mailbox> mailbox, std::string name)
      : tap_(std::move(tap)), recorder_(recorder), mailbox_(std::move(mailbox)), name_(std::move(name)) {}
  ~Fallback() {
    if (opening_.joinable()) opening_.join();
  }
  Fallback(const Fallback&) = delete;
  Fallback& operator=(const Fallback&) = delete;

  // On the streaming thread.
  void on_frame(GstPad* pad, GstBuffer* frame) {
    if (tap_->has_video()) return;
    const gst::EventPtr event(gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0));
    const gst::CapsPtr caps(gst_pad_get_current_caps(pad));
    if (!event || !caps) return;
    const std::lock_guard lock(mutex_);
    if (failed_ || is_opening_) return;
    if (!encoder_ || connection_ != tap_->connection() || !gst_caps_is_equal(caps.get(), caps_.get()))
      return open(caps.get());
    const GstSegment* segment = nullptr;
    gst_event_parse_segment(event.get(), &segment);
    const GstClockTime time = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(frame));
    if (GST_CLOCK_TIME_IS_VALID(time)) encoder_->add(frame, time);
  }

 private:
  void open(GstCaps* caps) {
    caps_.reset(gst_caps_ref(caps));
    connection_ = tap_->connection();
    is_opening_ = true;
    if (opening_.joinable()) opening_.join();  // it has ended
    opening_ = std::thread([this, old = std::move(encoder_), frames = gst::CapsPtr(gst_caps_ref(caps)),
                            connection = connection_]() mutable {
      old.reset();
      auto made =
          FrameEncoder::open(frames.get(), connection, [this](Packet packet) { recorder_.add(std::move(packet)); });
      if (!made) mailbox_->post(name_ + " is not recorded: " + made.error().message);
      const std::lock_guard lock(mutex_);
      failed_ = !made;
      if (made) encoder_ = std::move(*made);
      is_opening_ = false;
    });
  }

  const std::shared_ptr<StreamTap> tap_;
  Recorder& recorder_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::string name_;
  std::mutex mutex_;
  std::unique_ptr<FrameEncoder> encoder_;  // under the mutex, as what follows
  gst::CapsPtr caps_;
  unsigned connection_ = 0;
  bool is_opening_ = false, failed_ = false;
  std::thread opening_;
};

// One input and its recorder.
struct Recorded {
  std::string folder;
  std::shared_ptr<Mailbox> mailbox;
  std::unique_ptr<Recorder> recorder;
  std::shared_ptr<StreamTap> tap;
  std::unique_ptr<Fallback> fallback;
  // Of the streaming thread behind the tagger:
  gst::BcpResultPtr last;
  GstClockTime behind = 0;     // the frame that first carried it was so much later than the picture it is about
  GstClockTime passed_on = 0;  // the frame with which it was passed on

  GstPadProbeReturn on_labelled(GstPad* pad, GstBuffer* frame) {
    gpointer state = nullptr;
    const GstBcpMeta* meta = gst_buffer_iterate_bcp_meta(frame, &state);
    while (meta && gst_bcp_result_get_region_id(meta->result) >= 0) meta = gst_buffer_iterate_bcp_meta(frame, &state);
    const gst::EventPtr event(gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0));
    if (!meta || !event) return GST_PAD_PROBE_OK;
    const GstSegment* segment = nullptr;
    gst_event_parse_segment(event.get(), &segment);
    const auto running = [segment](GstClockTime time) {
      return gst_segment_to_running_time(segment, GST_FORMAT_TIME, time);
    };
    const GstClockTime now = running(GST_BUFFER_PTS(frame));
    if (!GST_CLOCK_TIME_IS_VALID(now)) return GST_PAD_PROBE_OK;
    // Most frames carry the result of an earlier one.
    if (meta->result == last.get()) {
      if (now < passed_on + kPassOnEvery || now < behind) return GST_PAD_PROBE_OK;
    } else {
      last.reset(gst_bcp_result_ref(meta->result));
      const GstClockTime time = running(gst_bcp_result_get_pts(last.get()));
      behind = GST_CLOCK_TIME_IS_VALID(time) && time < now ? now - time : 0;
    }
    passed_on = now;
    recorder->add(gst::BcpResultPtr(gst_bcp_result_ref(last.get())), now - behind);
    return GST_PAD_PROBE_OK;
  }
};

class Recordings final : public Observer {
 public:
  void on_begin(Job& job) override {
    if (const std::string& news = job.task().video.news(); !news.empty()) job.remark(news);
    const RecordOptions& options = job.task().record;
    if (options.folder.empty() || job.task().print_only) return;
    auto made = std::make_unique<Recorded>();
    made->mailbox = std::make_shared<Mailbox>(job);
    Recorder::Setup setup;
    setup.camera = job.task().input.source;
    setup.folder = record_folder(options, job.task().input.source);
    setup.options = options;
    setup.say = [mailbox = made->mailbox](const std::string& sentence) { mailbox->post(sentence); };
    setup.previous = take_ended(setup.folder);
    made->folder = setup.folder;
    Result<std::unique_ptr<Recorder>> recorder = Recorder::open(std::move(setup));
    if (!recorder) return job.remark(recorder.error().message);
    made->recorder = std::move(*recorder);
    made->tap = StreamTap::make([recorder = made->recorder.get()](Packet packet) { recorder->add(std::move(packet)); });
    made->fallback = std::make_unique<Fallback>(made->tap, *made->recorder, made->mailbox, job.task().input.source);
    job.set_tap(made->tap);
    recorded_[&job] = std::move(made);
  }

  void on_play(Job& job) override {
    const OutputFile& video = job.task().video;
    if (video && job.task().input.kind == InputKind::kLive && video.part() != video.path())
      syncs_[&job] = DiskSync::start(video.part(), DiskSync::When::kOften);
    const auto at = recorded_.find(&job);
    if (at == recorded_.end()) return;
    Recorded* recorded = at->second.get();
    if (const gst::ElementPtr tagger = job.child(kTagger)) {
      const gst::PadPtr pad(gst_element_get_static_pad(tagger.get(), "src"));
      gst_pad_add_probe(
          pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
          [](GstPad* from, GstPadProbeInfo* info, gpointer data) {
            return static_cast<Recorded*>(data)->on_labelled(from, GST_PAD_PROBE_INFO_BUFFER(info));
          },
          recorded, nullptr);
    }
    if (const gst::ElementPtr inlet = job.child(kVideoInlet)) {
      const gst::PadPtr pad(gst_element_get_static_pad(inlet.get(), "src"));
      gst_pad_add_probe(
          pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
          [](GstPad* from, GstPadProbeInfo* info, gpointer data) {
            static_cast<Recorded*>(data)->fallback->on_frame(from, GST_PAD_PROBE_INFO_BUFFER(info));
            return GST_PAD_PROBE_OK;
          },
          recorded, nullptr);
    }
  }

  void on_source(Job& job, bool is_there, const std::string&) override {
    const auto at = recorded_.find(&job);
    if (at != recorded_.end() && !is_there) at->second->recorder->lose();
  }

  void on_tick(const Say&) override {
    std::erase_if(ended_, [](const auto& recorded) { return recorded->recorder->has_ended(); });
  }

  // The pipeline is gone, and its probes with it.
  void on_close(Job& job) override {
    syncs_.erase(&job);
    const auto at = recorded_.find(&job);
    if (at == recorded_.end()) return;
    at->second->tap->close();
    at->second->recorder->finish();
    at->second->mailbox->close();
    ended_.push_back(std::move(at->second));
    recorded_.erase(at);
  }

 private:
  // What still completes its files in this folder, of a job that ended before; null: nothing does.
  std::shared_ptr<Recorded> take_ended(const std::string& folder) {
    const auto found =
        std::find_if(ended_.begin(), ended_.end(), [&](const auto& recorded) { return recorded->folder == folder; });
    if (found == ended_.end()) return nullptr;
    std::shared_ptr<Recorded> ended = std::move(*found);
    ended_.erase(found);
    return ended;
  }

  std::map<const Job*, std::unique_ptr<Recorded>> recorded_;
  std::map<const Job*, std::unique_ptr<DiskSync>> syncs_;  // of the videos of --out
  std::vector<std::shared_ptr<Recorded>> ended_;           // completing their files
};

}  // namespace

std::unique_ptr<Observer> observe_recordings() {
  return std::make_unique<Recordings>();
}

}  // namespace bcp::cli::run
