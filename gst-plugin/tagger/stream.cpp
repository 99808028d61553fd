// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/stream.hpp"

#include <chrono>

#include "clip/model_table.hpp"
#include "support/bus.hpp"
#include "tagger/analytics.hpp"
#include "tagger/messages.hpp"

namespace bcp::gst {
namespace {

// Tells the bus how far an encoding is, once it has taken long enough to wonder.
class ProgressReport {
 public:
  explicit ProgressReport(GstElement* element) : element_(element) {}

  void update(unsigned serial, std::size_t done, std::size_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (std::exchange(serial_, serial) != serial) told_ = now;
    if (now - told_ < std::chrono::milliseconds(500)) return;
    told_ = now;
    post_labels_progress(element_, serial, done, total);
  }

 private:
  GstElement* element_;
  std::optional<unsigned> serial_;
  std::chrono::steady_clock::time_point told_;
};

std::optional<double> seconds(GstClockTime time) {
  if (!GST_CLOCK_TIME_IS_VALID(time)) return std::nullopt;
  return static_cast<double>(time) / GST_SECOND;
}

std::int64_t wall_clock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Milliseconds since the last lap.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<std::unique_ptr<Stream>> Stream::open(GstElement* element, const Settings& settings,
                                             Guarded<Statistics>& statistics) {
  Result<std::shared_ptr<clip::Model>> model =
      clip::open_shared(settings.model_instance_id, settings.model, settings.encoder);
  if (!model) return model.error();
  Result<clip::LabelSet> labels = tag::encode_labels(
      settings.label_request(), (*model)->labels(),
      [report = ProgressReport(element), serial = settings.labels_serial](auto done, auto total) mutable {
        report.update(serial, done, total);
        return true;
      });
  if (!labels) return labels.error();
  (*model)->labels().release();  // most streams keep the labels they start with
  std::unique_ptr<Stream> stream(new Stream(element, statistics, *std::move(model), *std::move(labels), settings));
  Result<std::shared_ptr<Prior>> prior =
      Prior::open(element, settings, stream->model_->bundle().identity, stream->tagger_, statistics);
  if (!prior) return prior.error();
  stream->prior_ = *std::move(prior);
  return stream;
}

Stream::Stream(GstElement* element, Guarded<Statistics>& statistics, std::shared_ptr<clip::Model> model,
               clip::LabelSet labels, const Settings& settings)
    : element_(element),
      statistics_(statistics),
      element_name_(CharPtr(gst_object_get_name(GST_OBJECT(element))).get()),
      model_(std::move(model)),
      encoder_(model_->images(), model_->bundle().tensor),
      tagger_(std::move(labels), model_->bundle().logit_scale),
      requested_labels_(settings.labels_serial),
      preset_(settings.preset) {
  publish_label_names();
  statistics_.with([&](Statistics& s) {
    s = Statistics();
    s.provider = model_->encoder().provider();
    s.threads = model_->encoder().threads();
    s.labels = static_cast<unsigned>(tagger_.labels().size());
  });
}

void Stream::publish_label_names() {
  std::vector<const gchar*> names;
  std::vector<gint> colours;
  for (const auto& label : tagger_.labels()) {
    names.push_back(label.name.c_str());
    colours.push_back(label.colour ? static_cast<gint>(*label.colour) : -1);
  }
  label_names_.reset(gst_bcp_labels_new_with_colors(names.data(), colours.data(), static_cast<guint>(names.size())));
}

void Stream::set_info(const GstVideoInfo& info) {
  info_ = info;
  reader_.reset();
  told_.erase(Fault::kFormat);
  pacing_.force();
}

void Stream::set_orientation(const image::Orientation& orientation) {
  if (orientation == orientation_) return;
  orientation_ = orientation;
  reader_.reset();
  pacing_.force();
}

void Stream::begin(const char* stream_id, const Settings& settings) {
  if (!stream_id_.empty() && stream_id_ != stream_id) {
    end_labels(settings);
    {
      const auto held = prior_->lock();
      tagger_.restart();
      if (!prior_->is_kept()) tagger_.forget();
    }
    last_.reset();
    last_stream_time_ = GST_CLOCK_TIME_NONE;
    orientation_ = {};
    reader_.reset();
  }
  stream_id_ = stream_id;
  last_running_time_.reset();
  pacing_.force();
}

void Stream::finish(const Settings& settings) {
  end_labels(settings);
  prior_->finish();
}

// What is shown is shown no longer.
void Stream::end_labels(const Settings& settings) {
  for (const auto& event : events_.finish(seconds(last_stream_time_))) {
    post_event(element_, event, source_id(settings).c_str(), last_stream_time_);
  }
}

// Frames go on with the labels they have; the new ones are taken up when they are ready.
void Stream::request_labels(const Settings& settings) {
  if (!label_worker_) {
    label_worker_ = std::make_unique<tag::LabelWorker>(
        model_->labels(), [report = ProgressReport(element_)](auto serial, auto done, auto total) mutable {
          report.update(serial, done, total);
        });
  }
  requested_labels_ = settings.labels_serial;
  label_worker_->request(requested_labels_, settings.label_request());
}

void Stream::change_labels(tag::LabelWorker::Answer answer) {
  if (!answer.labels) {
    const Error& error = answer.labels.error();
    told_.erase(Fault::kLabels);  // each refused list is a fault of its own
    fault(Fault::kLabels, {error.code, error.message + " (the labels stay as they were)"});
    return;
  }
  {
    const auto held = prior_->lock();
    tagger_.relabel(*std::move(answer.labels));
  }
  prior_->changed();
  publish_label_names();
  pacing_.force();
  const std::size_t count = tagger_.labels().size();
  statistics_.with([&](Statistics& s) { s.labels = static_cast<unsigned>(count); });
  post_labels_active(element_, answer.serial, count);
}

// Running time, or the wall clock in a stream that has no timestamps. A frame without one among others that have it
// counts as no later than the last.
std::int64_t Stream::pacing_time(const Moment& moment) {
  if (GST_CLOCK_TIME_IS_VALID(moment.running_time)) last_running_time_ = static_cast<std::int64_t>(moment.running_time);
  return last_running_time_ ? *last_running_time_ : wall_clock();
}

void Stream::process(GstBuffer* buffer, const Settings& settings, const Moment& moment) {
  if (settings.labels_serial != requested_labels_) request_labels(settings);
  if (label_worker_) {
    if (auto answer = label_worker_->take()) change_labels(*std::move(answer));
  }
  prior_->save_every(settings.prior_interval);
  last_stream_time_ = moment.stream_time;

  // A frame marked as a gap stands for no picture at all.
  const bool gap = GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_GAP);
  const tag::Pace pace = gap ? tag::Pace::kHold : pacing_.next(pacing_time(moment), moment.late, settings.pacing);
  statistics_.with([&](Statistics& s) {
    ++s.frames;
    s.qos_skipped += pace == tag::Pace::kLate;
  });

  const bool fresh = pace == tag::Pace::kScore;
  if (fresh) {
    BcpResultPtr result = score(buffer, settings, moment);
    if (!result) return;  // this frame passes with no labels
    last_ = std::move(result);
  }
  if (!last_) return;
  const GstClockTime scored = gst_bcp_result_get_pts(last_.get()), now = GST_BUFFER_PTS(buffer);
  const bool known = GST_CLOCK_TIME_IS_VALID(scored) && GST_CLOCK_TIME_IS_VALID(now) && now >= scored;
  gst_buffer_add_bcp_meta(buffer, last_.get(), !fresh, known ? now - scored : GST_CLOCK_TIME_NONE);
  add_classification(buffer, last_.get());
  if (!fresh) {
    statistics_.with([](Statistics& s) { ++s.held; });
    return;
  }
  post_messages(settings, moment);
}

BcpResultPtr Stream::score(GstBuffer* buffer, const Settings& settings, const Moment& moment) {
  Stopwatch stopwatch;
  if (!reader_) {
    Result<PictureReader> reader = PictureReader::make(info_, orientation_);
    if (!reader) return fault(Fault::kFormat, reader.error()), nullptr;
    reader_.emplace(*std::move(reader));
  }
  {
    Result<PictureReader::Reading> reading = reader_->read(buffer);
    if (!reading) return fault(Fault::kFrame, reading.error()), nullptr;
    if (Status fits = encoder_.configure(reading->format, settings.coverage); !fits) {
      return fault(Fault::kFormat, fits.error()), nullptr;
    }
    encoder_.preprocess(reading->picture);
  }
  const double preprocess = stopwatch.lap();
  const Result<std::span<const float>> embedding = encoder_.infer();
  if (!embedding) return fault(Fault::kInference, embedding.error()), nullptr;
  const double inference = stopwatch.lap();
  auto held = prior_->lock();
  const Status tagged = tagger_.tag(*embedding, seconds(moment.running_time), settings.tagging(preset_), outcome_);
  const double samples = tagger_.samples();
  held.unlock();
  if (!tagged) return fault(Fault::kScores, tagged.error()), nullptr;
  if (outcome_.learnt) prior_->changed();
  BcpResultPtr result = make_result(buffer, settings, *embedding);
  const double adapt = stopwatch.lap();
  statistics_.with([&](Statistics& s) {
    ++s.scored;
    s.samples = samples;
    s.preprocess.add(preprocess);
    s.inference.add(inference);
    s.adapt.add(adapt);
  });
  return result;
}

BcpResultPtr Stream::make_result(GstBuffer* buffer, const Settings& settings, std::span<const float> embedding) {
  const adapt::Scores& scores = outcome_.scores;
  scores_.resize(scores.zero_shot.size());
  for (std::size_t k = 0; k < scores_.size(); ++k) {
    const int flags = (outcome_.shown[k] ? GST_BCP_SCORE_SHOWN : 0) |
                      (outcome_.shown_zero_shot[k] ? GST_BCP_SCORE_SHOWN_ZERO_SHOT : 0);
    scores_[k] = {.zero_shot = scores.zero_shot[k],
                  .correction = scores.correction[k],
                  .logit = scores.corrected[k],
                  .zero_shot_probability = scores.zero_shot_probability[k],
                  .probability = scores.probability[k],
                  .flags = static_cast<GstBcpScoreFlags>(flags)};
  }
  const GstBcpResultInfo info{
      .source_id = source_id(settings).c_str(),
      .pts = GST_BUFFER_PTS(buffer),
      .region_id = -1,
      .anchor = scores.anchor,
      .anchor_probability = scores.anchor_probability,
      .samples = scores.samples,
      .embedding = settings.attach_embedding ? embedding.data() : nullptr,
      .embedding_size = settings.attach_embedding ? static_cast<guint>(embedding.size()) : 0,
  };
  return BcpResultPtr(gst_bcp_result_new(label_names_.get(), scores_.data(), &info));
}

void Stream::post_messages(const Settings& settings, const Moment& moment) {
  if (settings.post_messages == PostMessages::kResults) post_result(element_, last_.get(), moment.stream_time);
  if (settings.post_messages == PostMessages::kEvents) {
    const auto name = [this](std::size_t k) { return tagger_.labels()[k].name; };
    for (const auto& event : events_.update(outcome_.shown, name, seconds(moment.stream_time))) {
      post_event(element_, event, source_id(settings).c_str(), moment.stream_time);
    }
  } else {
    events_ = {};
  }
}

void Stream::fault(Fault kind, const Error& error) {
  statistics_.with([](Statistics& s) { ++s.faults; });
  if (told_.insert(kind).second) post_warning(element_, error);
}

const std::string& Stream::source_id(const Settings& settings) const {
  return settings.source_id.empty() ? element_name_ : settings.source_id;
}

}  // namespace bcp::gst
