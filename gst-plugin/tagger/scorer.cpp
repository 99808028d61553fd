// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/scorer.hpp"

#include <algorithm>
#include <utility>

#include "clip/model_table.hpp"
#include "support/bus.hpp"
#include "tagger/label_progress.hpp"
#include "tagger/messages.hpp"

namespace bcp::tagger {
Result<std::unique_ptr<Scorer>> Scorer::open(GstElement* element, const Settings& settings,
                                             gst::Guarded<Statistics>& statistics, Faults& faults) {
  Result<std::shared_ptr<clip::Model>> model =
      clip::open_shared(settings.model_instance_id, settings.model, settings.encoder);
  if (!model) return model.error();
  Result<tag::Vocabulary> words = tag::encode_labels(
      settings.label_request(), (*model)->labels(), tag::word_traits((*model)->bundle()),
      [progress = LabelProgress(element), serial = settings.labels_serial](auto done, auto total) mutable {
        progress.update(serial, done, total);
        return true;
      });
  if (!words) return words.error();
  (*model)->labels().release();  // most streams never change their labels
  std::unique_ptr<Scorer> scorer(
      new Scorer(element, statistics, faults, *std::move(model), *std::move(words), settings));
  Result<std::shared_ptr<Prior>> prior =
      Prior::open(element, settings, scorer->model_->bundle(), scorer->tagger_, statistics);
  if (!prior) return prior.error();
  scorer->prior_ = *std::move(prior);
  scorer->post_notes(settings);
  return scorer;
}

Scorer::Scorer(GstElement* element, gst::Guarded<Statistics>& statistics, Faults& faults,
               std::shared_ptr<clip::Model> model, tag::Vocabulary words, const Settings& settings)
    : element_(element),
      statistics_(statistics),
      faults_(faults),
      element_name_(gst::CharPtr(gst_object_get_name(GST_OBJECT(element))).get()),
      preset_(settings.preset),
      model_(std::move(model)),
      encoder_(model_->images().embedding_size(),
               tag::input_for(model_->bundle().tensor, model_->encoder().precision())),
      tagger_(std::move(words), tag::encoder_of(model_->bundle())) {
  publish_label_names();
  statistics_.with([&](Statistics& s) {
    s = Statistics();
    s.label_names.reset(gst_bcp_labels_ref(label_names_.get()), gst::Unref());
    s.provider = model_->encoder().provider();
    s.precision = model_->encoder().precision();
    s.processor = onnx::this_processor().features;
    s.threads = model_->encoder().threads();
    s.labels = static_cast<unsigned>(tagger_.labels().size());
    s.context_words = static_cast<unsigned>(tagger_.words().context.labels.size());
  });
}

void Scorer::post_notes(const Settings& settings) {
  std::size_t anchors = 0;
  std::string unfamiliar;
  {
    const std::lock_guard lock(mutex_);
    anchors = tagger_.words().anchors();
    unfamiliar = tag::unfamiliar_note(tagger_.words(), model_->bundle().name);
  }
  if (!unfamiliar.empty()) gst::post_info(element_, unfamiliar);
  if (settings.rule(preset_) != decide::Rule::kPresence) return;
  if (const auto sigmoid = tag::encoder_of(model_->bundle()).sigmoid) {
    if (!sigmoid->measured)
      gst::post_info(element_, "probabilities are not calibrated: the model " + model_->bundle().name +
                                   " has no presence.slope and presence.offset, so its own sigmoid is used");
    return;
  }
  const std::string words = std::to_string(anchors) + " words";
  if (anchors < decide::Presence::kFewest) {
    return gst::post_warning(
        element_, {ErrorCode::kUnsupported,
                   "no label will be shown: the model " + model_->bundle().name + " compares a frame with " + words +
                       " only, and decision=presence needs at least " + std::to_string(decide::Presence::kFewest) +
                       ". Use a model with a text tower (and context-words), give more labels, or set "
                       "decision=softmax"});
  }
  if (anchors < decide::Presence::kCalibrated) {
    gst::post_info(element_, "probabilities are not calibrated: a frame is compared with " + words +
                                 ", and calibration needs at least " + std::to_string(decide::Presence::kCalibrated) +
                                 "; give more labels or context-words, if the model has a text tower");
  } else if (!clip::presence_traits(model_->bundle()).scale) {
    gst::post_info(element_, "probabilities are not calibrated: the scale of the model " + model_->bundle().name +
                                 " is unknown; measure it on a folder of pictures with gst-bcp model calibrate");
  }
}

// Past frames are kept as embeddings, which can be scored again even if the labels have changed since.
Status Scorer::teach(const std::string& label, bool present, GstClockTime pts) {
  const std::lock_guard lock(mutex_);
  const std::vector<clip::Label>& labels = tagger_.labels();
  const auto found = std::find_if(labels.begin(), labels.end(), [&](const auto& each) { return each.name == label; });
  if (found == labels.end())
    return Error{ErrorCode::kNotFound,
                 "feedback was ignored: \"" + label + "\" is not one of the labels of the stream"};
  const tag::Recent::Entry* frame = GST_CLOCK_TIME_IS_VALID(pts) ? recent_.find(pts) : recent_.newest();
  if (!frame)
    return Error{ErrorCode::kNotFound,
                 "feedback was ignored: its frame is not among the last " + std::to_string(tag::Recent::kMost) +
                     " results; pass the pts of a recent result, or GST_CLOCK_TIME_NONE for the newest"};
  const bool missed = std::find(frame->shown.begin(), frame->shown.end(), label) == frame->shown.end();
  return tagger_.teach(frame->embedding, static_cast<std::size_t>(found - labels.begin()), present, present && missed);
}

void Scorer::publish_label_names() {
  std::vector<const gchar*> names;
  std::vector<gint> colours;
  for (const auto& label : tagger_.labels()) {
    names.push_back(label.name.c_str());
    colours.push_back(label.colour ? static_cast<gint>(*label.colour) : -1);
  }
  label_names_.reset(gst_bcp_labels_new_with_colors(names.data(), colours.data(), static_cast<guint>(names.size())));
}

std::optional<Scorer::Relabelled> Scorer::relabel(tag::Vocabulary& words, prior::Successor& learnt,
                                                  const Settings& settings, bool now) {
  const std::size_t count = words.labels.labels.size(), anchors = words.anchors();
  std::shared_ptr<prior::Learnt> old;
  {
    const std::lock_guard lock(mutex_);
    old = tagger_.learnt();
    if (now)
      tagger_.relabel(std::move(words), std::move(learnt));
    else if (!tagger_.try_relabel(words, learnt))
      return std::nullopt;
    publish_label_names();
    prior_->set_learnt(tagger_.learnt());
  }
  prior_->post_if_apart();
  post_notes(settings);
  statistics_.with([&](Statistics& s) {
    s.label_names.reset(gst_bcp_labels_ref(label_names_.get()), gst::Unref());
    s.labels = static_cast<unsigned>(count);
    s.context_words = static_cast<unsigned>(anchors - count);
  });
  return Relabelled{count, prior_group()->retire(std::move(old))};
}

void Scorer::restart() {
  const std::lock_guard lock(mutex_);
  tagger_.restart();
  recent_.clear();
  if (!prior_->outlives_stream()) tagger_.forget();
}

void Scorer::end_labels(const Settings& settings, GstClockTime stream_time) {
  const std::lock_guard posting(posting_);
  std::unique_lock lock(mutex_);
  const std::vector<decide::Event> events = events_.finish(seconds(stream_time));
  lock.unlock();
  statistics_.with([](Statistics& s) { s.recent_labels.end(); });
  for (const auto& event : events) post_event(element_, event, source_id(settings).c_str(), stream_time);
}

std::optional<Results> Scorer::score(const Frame& frame) {
  const Preparation prepared = prepare(frame);
  if (prepared.is_static) {
    statistics_.with([](Statistics& s) { ++s.static_skipped; });
    return std::nullopt;
  }
  if (!prepared.pictures) return Results();
  const Status encoded = model_->images().encode(*prepared.pictures);
  Results results = finish(frame, encoded, [] { return true; });
  count();
  return results;
}

Scorer::Preparation Scorer::prepare(const Frame& frame) {
  may_hold_ = std::exchange(has_results_, false) && !frame.forced;
  stopwatch_.lap();
  times_ = {.wait = frame.waits_since ? std::optional(milliseconds_since(*frame.waits_since)) : std::nullopt};
  if (frame.format != format_) {
    reader_.reset();
    faults_.forget(Fault::kFormat);
    format_ = frame.format;
  }
  if (!reader_) {
    Result<PictureReader> reader = PictureReader::make(format_->info, format_->orientation);
    if (!reader) return faults_.report(Fault::kFormat, reader.error()), Preparation();
    reader_.emplace(*std::move(reader));
  }
  Result<PictureReader::Reading> reading = reader_->read(frame.buffer.get());
  if (!reading) return faults_.report(Fault::kFrame, reading.error()), Preparation();
  if (Status fits = encoder_.configure(reading->format, frame.settings->coverage); !fits) {
    return faults_.report(Fault::kFormat, fits.error()), Preparation();
  }
  if (is_static(frame, *reading)) return {.pictures = {}, .is_static = true};
  choose_regions(frame, *reading);
  if (!frame.settings->scores_frames() && parts_.empty()) return {};
  if (Status done = encoder_.preprocess(reading->picture, frame.settings->scores_frames(), parts_); !done) {
    return faults_.report(Fault::kFrame, done.error()), Preparation();
  }
  times_.preprocess = stopwatch_.lap();
  clip::Pictures pictures = encoder_.pictures();
  pictures.batch = &batch_;
  return {.pictures = pictures};
}

bool Scorer::is_static(const Frame& frame, const PictureReader::Reading& reading) {
  if (!frame.skips_static) return still_.reset(), false;
  // Read before the frame is scored: a change during scoring makes the next frame be scored too.
  Circumstances now{.settings = frame.settings};
  {
    const std::lock_guard lock(mutex_);
    now.taught = tagger_.learnt()->taught().version();
    now.forgotten = tagger_.learnt()->forgotten();
  }
  if (!may_hold_ || circumstances_ != now) still_.reset();
  circumstances_ = std::move(now);
  if (!still_.holds(reading.format, encoder_.seen(), reading.picture, frame.time)) return false;
  has_results_ = true;
  const std::lock_guard lock(mutex_);
  tagger_.hold(seconds(frame.moment.running_time));
  return true;
}

void Scorer::choose_regions(const Frame& frame, const PictureReader::Reading& reading) {
  regions_.clear();
  parts_.clear();
  if (frame.regions.empty()) return;
  for (const Region& region : frame.regions) {
    if (parts_.size() == static_cast<std::size_t>(frame.settings->max_regions)) break;
    image::Rect part = region.box;
    part.x -= reading.left;
    part.y -= reading.top;
    if (const auto clipped = image::clip_part(reading.format, part)) {
      regions_.push_back(region.id);
      parts_.push_back(*clipped);
    }
  }
  const std::size_t skipped = frame.regions.size() - parts_.size();
  statistics_.with([&](Statistics& s) { s.regions_skipped += skipped; });
}

Results Scorer::finish(const Frame& frame, const Status& encoded, const std::function<bool()>& wanted) {
  times_.inference = stopwatch_.lap();
  if (!encoded) {
    faults_.report(Fault::kInference, encoded.error());
    if (regions_.empty()) return {};  // else perhaps only one region has failed
  }
  const Settings& settings = *frame.settings;

  const std::lock_guard posting(posting_);
  std::unique_lock lock(mutex_);
  if (!wanted()) return {};
  Result<Results> tagged = tag(frame, static_cast<bool>(encoded));
  if (tagged && tagged->empty()) return {};
  if (!tagged) {
    lock.unlock();
    return faults_.report(Fault::kScores, tagged.error()), Results();
  }
  const double samples = tagger_.samples();
  const std::uint64_t taught = tagger_.learnt()->taught().statements();
  const prior::Learnt::SceneState scene = tagger_.learnt()->scene();
  shown_.clear();
  for (std::size_t k = 0; k < outcome_.shown.size(); ++k)
    if (outcome_.shown[k]) shown_.push_back(static_cast<std::uint32_t>(k));
  const auto shown = static_cast<unsigned>(shown_.size());
  const std::vector<decide::Event> events = update_events(frame);
  lock.unlock();
  has_results_ = true;
  if (frame.skips_static) still_.scored(outcome_.settled, settings.averaged_over(preset_));
  Results results = *std::move(tagged);

  times_.adapt = stopwatch_.lap();
  uncounted_ = {results.size() - (settings.scores_frames() ? 1 : 0),
                shown,
                samples,
                taught,
                scene,
                settings.tagging(preset_),
                outcome_.calibrated,
                gst::BcpResultPtr(settings.scores_frames() ? gst_bcp_result_ref(results[0].get()) : nullptr)};
  log_result(element_, frame.pts, times_, shown);
  if (settings.post_messages == PostMessages::kResults) {
    for (const gst::BcpResultPtr& result : results) post_result(element_, result.get(), frame.moment.stream_time);
  }
  for (const auto& event : events) {
    post_event(element_, event, source_id(settings).c_str(), frame.moment.stream_time);
  }
  if (const auto& change = outcome_.scene_change; change && settings.scores_frames())
    post_scene(element_, *change, source_id(settings).c_str(), frame.moment.stream_time);
  return results;
}

}  // namespace bcp::tagger
