// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/stream.hpp"

#include <gst/base/gstbasetransform.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "tagger/analytics.hpp"
#include "tagger/label_progress.hpp"
#include "tagger/messages.hpp"

namespace bcp::tagger {
namespace {

std::int64_t wall_clock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Whether upstream is live, according to a latency query.
bool is_live(GstElement* element) {
  const gst::QueryPtr query(gst_query_new_latency());
  gboolean live = FALSE;
  if (gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(element), query.get())) {
    gst_query_parse_latency(query.get(), &live, nullptr, nullptr);
  }
  return live;
}

}  // namespace

Result<std::unique_ptr<Stream>> Stream::open(GstElement* element, const Settings& settings,
                                             gst::Guarded<Statistics>& statistics) {
  std::unique_ptr<Stream> stream(new Stream(element, statistics, settings));
  Result<std::unique_ptr<Scorer>> scorer = Scorer::open(element, settings, statistics, stream->faults_);
  if (!scorer) return scorer.error();
  stream->scorer_ = *std::move(scorer);
  stream->async_ = std::make_shared<AsyncScoring>(element, *stream->scorer_, statistics);
  return stream;
}

Stream::Stream(GstElement* element, gst::Guarded<Statistics>& statistics, const Settings& settings)
    : element_(element),
      statistics_(statistics),
      faults_(element, statistics),
      requested_labels_(settings.labels_serial) {}

void Stream::reformat(const FrameFormat& format) {
  format_ = std::make_shared<FrameFormat>(format);
  pacing_.force();
}

void Stream::set_info(const GstVideoInfo& info) {
  reformat({info, format_->orientation});
  mode_.reset();
}

void Stream::set_orientation(const image::Orientation& orientation) {
  if (orientation != format_->orientation) reformat({format_->info, orientation});
}

void Stream::begin(const char* stream_id, const Settings& settings) {
  if (!stream_id_.empty() && stream_id_ != stream_id) {
    flush();
    scorer_->end_labels(settings, last_stream_time_);
    scorer_->restart();
    last_stream_time_ = GST_CLOCK_TIME_NONE;
    reformat({format_->info, {}});
  }
  stream_id_ = stream_id;
  last_running_time_.reset();
  pacing_.force();
}

void Stream::flush() {
  async_->discard();
  last_.clear();
  pacing_.force();
}

void Stream::finish(const Settings& settings) {
  async_->drain();
  scorer_->end_labels(settings, last_stream_time_);
  prior()->finish();
}

void Stream::close() {
  async_->close();
  prior()->close();
}

// Frames use the old labels until the new ones are ready.
void Stream::request_labels(const Settings& settings) {
  requested_labels_ = settings.labels_serial;  // set before it can fail: this change is not retried
  if (!label_worker_) try {
      label_worker_ = std::make_unique<tag::LabelWorker>(
          model().labels(), tag::word_traits(model().bundle()), scorer_->prior_group(),
          [progress = LabelProgress(element_)](auto serial, auto done, auto total) mutable {
            progress.update(serial, done, total);
          });
    } catch (const std::system_error& error) {
      return refuse_labels({ErrorCode::kRuntime, std::string("cannot start a thread for new labels (") + error.what() +
                                                     "): end other programs, or raise the thread limit (ulimit -u), "
                                                     "and set the labels again"});
    }
  label_worker_->request(requested_labels_, settings.label_request());
}

void Stream::refuse_labels(const Error& error) {
  faults_.forget(Fault::kLabels);  // each refused list is posted
  faults_.report(Fault::kLabels, {error.code, error.message + " (the old labels stay in use)"});
}

void Stream::change_labels(tag::LabelWorker::Answer answer, const Settings& settings) {
  if (!answer.labels) return refuse_labels(answer.labels.error());
  // If the group has learnt too much since the statistics were prepared, they are prepared again and frames keep the
  // old labels. The number of retries is limited: beside busy streams, a slow stream would never get its new labels.
  constexpr int kPatience = 3;
  auto relabelled = scorer_->relabel(*answer.labels, *answer.learnt, settings, answer.again >= kPatience);
  if (!relabelled) return label_worker_->prepare_again(std::move(answer));
  label_worker_->free(std::move(relabelled->old));
  pacing_.force();
  post_labels_active(element_, answer.serial, relabelled->labels);
}

void Stream::decide_mode(Mode wanted) {
  const Mode mode = wanted != Mode::kAuto ? wanted : is_live(element_) ? Mode::kAsync : Mode::kSync;
  if (mode == Mode::kSync) async_->settle();
  mode_ = mode;
  statistics_.with([&](Statistics& s) { s.mode = mode == Mode::kAsync ? "async" : "sync"; });
}

// Sync: running time; a frame without a timestamp gets the time of the frame before, and a stream without timestamps
// the wall clock. Async: the wall clock, because the inference runs in real time.
std::int64_t Stream::pacing_time(const Moment& moment) {
  if (mode_ == Mode::kAsync) return wall_clock();
  if (GST_CLOCK_TIME_IS_VALID(moment.running_time)) last_running_time_ = static_cast<std::int64_t>(moment.running_time);
  return last_running_time_ ? *last_running_time_ : wall_clock();
}

// Not with regions: they can move while the picture stays the same, and each has its own labels.
bool Stream::skips_static(const Settings& settings) const {
  if (settings.inference_region != InferenceRegion::kFullFrame) return false;
  return settings.skip_static == SkipStatic::kAuto ? mode_ == Mode::kAsync : settings.skip_static == SkipStatic::kOn;
}

void Stream::process(GstBuffer* buffer, const std::shared_ptr<const Settings>& settings, const Moment& moment) {
  if (!mode_) decide_mode(settings->mode);
  if (settings->labels_serial != requested_labels_) request_labels(*settings);
  if (label_worker_) {
    if (auto answer = label_worker_->take()) change_labels(*std::move(answer), *settings);
  }
  prior()->save_every(settings->prior_interval);
  last_stream_time_ = moment.stream_time;

  // A frame with the GAP flag has no picture.
  const bool gap = GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_GAP);
  const std::int64_t time = pacing_time(moment);
  const tag::Pace pace = gap ? tag::Pace::kHold : pacing_.next(time, moment.late, settings->pacing);
  statistics_.with([&](Statistics& s) {
    s.add_frame();
    s.qos_skipped += pace == tag::Pace::kLate;
  });
  Frame frame{nullptr, GST_BUFFER_PTS(buffer), format_, settings, moment, time, false, skips_static(*settings), {}, {}};
  if (settings->inference_region != InferenceRegion::kFullFrame) frame.regions = number_regions(buffer);
  bool score = pace == tag::Pace::kScore;
  if (score && settings->inference_region == InferenceRegion::kRoiList && frame.regions.empty()) {
    score = false;  // there is nothing to score: the next frame with a region is scored
    pacing_.force();
    last_.clear();
  }
  if (score) frame.forced = std::exchange(must_score_, false) || pacing_.was_forced();
  mode_ == Mode::kAsync ? process_async(buffer, std::move(frame), score)
                        : process_sync(buffer, std::move(frame), score);
}

void Stream::process_sync(GstBuffer* buffer, Frame frame, bool score) {
  if (score) {
    frame.buffer.reset(gst_buffer_ref(buffer));
    std::optional<Results> results = scorer_->score(frame);
    frame.buffer.reset();  // a second reference would make the buffer read-only
    score = results.has_value();
    if (score) last_ = *std::move(results);
  }
  attach(buffer, frame.regions, !score);
}

void Stream::process_async(GstBuffer* buffer, Frame frame, bool score) {
  std::optional<Results> fresh = async_->take();
  const bool is_fresh = fresh.has_value();
  if (is_fresh) last_ = *std::move(fresh);
  attach(buffer, frame.regions, !is_fresh);
  if (!score) return;
  // Last, because from here on the worker reads the buffer too.
  const bool is_next = async_->is_idle();
  const bool forced = frame.forced;
  frame.buffer = keeper_.keep(buffer, is_next);
  if (!frame.buffer && is_next) {
    last_.clear();
    must_score_ = true;  // else no label would be shown until the picture changes
    return faults_.report(Fault::kFrame, {ErrorCode::kRuntime, "cannot copy a frame: its memory cannot be read"});
  }
  const Result<bool> offered = frame.buffer ? async_->offer(std::move(frame)) : false;
  must_score_ = forced && !(offered && *offered);
  if (!offered) {
    faults_.report(Fault::kInference, offered.error());
  } else if (!*offered) {
    pacing_.give_back();
  }
}

void Stream::attach(GstBuffer* buffer, const std::vector<Region>& regions, bool held) {
  bool any = false;
  GstClockTime age = GST_CLOCK_TIME_NONE;
  for (const gst::BcpResultPtr& result : last_) {
    const gint region = gst_bcp_result_get_region_id(result.get());
    const auto is_it = [&](const Region& each) { return each.id == region; };
    if (held && region >= 0 && std::none_of(regions.begin(), regions.end(), is_it)) continue;
    const GstClockTime scored = gst_bcp_result_get_pts(result.get()), now = GST_BUFFER_PTS(buffer);
    const bool known = GST_CLOCK_TIME_IS_VALID(scored) && GST_CLOCK_TIME_IS_VALID(now) && now >= scored;
    age = known ? now - scored : GST_CLOCK_TIME_NONE;
    gst_buffer_add_bcp_meta(buffer, result.get(), held, age);
    add_classification(buffer, result.get());
    any = true;
  }
  if (any) statistics_.with([&](Statistics& s) { s.add_attached(!held, age); });
}

}  // namespace bcp::tagger
