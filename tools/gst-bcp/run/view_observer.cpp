// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view_observer.hpp"

#include <glib.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <map>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "gst-bcp/common/worker.hpp"
#include "gst-bcp/run/view/camera_view.hpp"
#include "gst-bcp/run/view/main_thread.hpp"
#include "gst-bcp/run/view/picture_maker.hpp"
#include "gst-bcp/run/view/recordings_json.hpp"
#include "gst-bcp/run/view/server.hpp"
#include "gst-bcp/run/view/teaching.hpp"
#include "support/guarded.hpp"

namespace bcp::cli::run {
namespace {

using Json = nlohmann::json;
using view::ApiCall;
using view::ApiReply;
using view::CameraId;
using view::CameraView;
using view::Jpeg;
using view::refusal;
using SteadyClock = std::chrono::steady_clock;
using Answer = std::function<void(ApiReply)>;

constexpr JpegShape kLivePicture{.longest_side = 640, .quality = 75};
constexpr JpegShape kThumbnail{.longest_side = 240, .quality = 70};
constexpr std::chrono::seconds kBetweenThumbnails{1};                      // of one camera
constexpr std::chrono::milliseconds kBetweenResults{200};                  // of one camera
constexpr std::chrono::milliseconds kBetweenStates{1000};                  // of all cameras
constexpr unsigned kLearntLabels = 24;                                     // in the table of what was learnt
constexpr std::string_view kOldLabelsStay = "the old labels stay in use";  // what bcptagger says of labels it refuses

class ViewObserver final : public Observer {
 public:
  ViewObserver(HttpSocket socket, view::Access::Rules rules)
      : server_(std::make_unique<view::ViewServer>(std::move(socket), std::move(rules), api())) {}
  ~ViewObserver() override {
    *alive_ = nullptr;
    server_.reset();  // before what its thread uses
  }

  const std::string& url() const { return server_->url(); }

  void on_begin(Job& job) override {
    if (job.task().input.kind == InputKind::kPictures || job.task().print_only) return;
    const Input& input = job.task().input;
    // Of a file without its folders.
    const std::string name = input.path.empty() ? input.source : input.source.substr(input.source.rfind('/') + 1);
    auto found = std::find_if(cameras_.begin(), cameras_.end(), [&](const auto& each) {
      return each.second.view.name() == name && !each.second.view.job();
    });
    if (found == cameras_.end())
      found = cameras_
                  .try_emplace(static_cast<CameraId>(cameras_.size() + 1), CameraId(cameras_.size() + 1), name,
                               last_span_, files_)
                  .first;
    found->second.view.begin(job);
    publish_state(found->second);
  }

  void on_play(Job& job) override {
    Followed* camera = find(job);
    if (!camera) return;
    camera->view.play();
    taps_.with([&](auto& taps) { taps[camera->view.id()] = camera->view.frames(); });
    server_->restart_pictures(camera->view.id());
  }

  void on_seen(Job& job, const Seen& seen) override {
    Followed* camera = find(job);
    if (!camera) return;
    for (const std::uint64_t span : camera->view.see(seen)) wish_thumbnail(*camera, span);
  }

  void on_source(Job& job, bool is_there, const std::string& sentence) override {
    Followed* camera = find(job);
    if (!camera) return;
    camera->view.set_source(is_there, sentence);
    publish_state(*camera);
  }

  void on_labels(Job& job) override {
    Followed* camera = find(job);
    if (!camera) return;
    answer_later(*camera, true, "The new words are in use.");
    publish_state(*camera);
  }

  void on_remark(Job& job, const std::string& sentence) override {
    Followed* camera = find(job);
    if (!camera) return;
    camera->view.remark(sentence);
    camera->last_remark = view::without_address(sentence, job.task().input);
    if (sentence.find(kOldLabelsStay) != std::string::npos) answer_later(*camera, false, camera->last_remark);
    publish_state(*camera);
  }

  void on_note(Job& job, const std::string& sentence) override {
    Followed* camera = find(job);
    if (!camera) return;
    camera->view.remark(sentence);
    server_->publish({"", "note", dump({{"camera", camera->view.id()}, {"text", sentence}})});
  }

  void on_close(Job& job) override {
    Followed* camera = find(job);
    if (!camera) return;
    const CameraId id = camera->view.id();
    std::shared_ptr<FrameTap> tap;  // destroyed without the lock
    taps_.with([&](auto& taps) {
      tap = std::move(taps[id]);
      taps.erase(id);
    });
    camera->view.close();
    camera->thumbnail_asked = false;
    camera->wishes.clear();
    server_->restart_pictures(id);
    publish_spans(*camera);
    publish_state(*camera);
  }

  void on_tick(const Say&) override {
    const SteadyClock::time_point now = SteadyClock::now();
    const bool states_due = now - states_sent_ >= kBetweenStates;
    if (states_due) states_sent_ = now;
    for (auto& [id, camera] : cameras_) {
      take_thumbnail(camera, now);
      if (now - camera.result_sent >= kBetweenResults) {
        if (const gst::BcpResultPtr result = camera.view.take_result()) {
          camera.result_sent = now;
          publish_result(camera, result.get());
        }
      }
      publish_spans(camera);
      if (states_due) publish_state(camera);
    }
  }

 private:
  struct Followed {
    Followed(CameraId id, const std::string& name, std::uint64_t& next_span, view::WordFiles& files)
        : view(id, name, next_span, files) {}

    CameraView view;
    SteadyClock::time_point result_sent, thumbnail_taken;
    std::vector<std::uint64_t> wishes;  // spans that want a thumbnail of the next frame
    bool thumbnail_asked = false;
    std::string last_remark;
    std::string pending;  // the kind of change that the tagger has not answered yet
  };

  static std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

  Followed* find(const Job& job) {
    const auto found = std::find_if(cameras_.begin(), cameras_.end(),
                                    [&](const auto& each) { return each.second.view.job() == &job; });
    return found == cameras_.end() ? nullptr : &found->second;
  }

  Followed* find(const Json& id) {
    if (!id.is_number_unsigned()) return nullptr;
    const auto found = cameras_.find(id.get<CameraId>());
    return found == cameras_.end() ? nullptr : &found->second;
  }

  // What the server's thread calls.
  view::Api api() {
    view::Api api;
    api.call = [alive = alive_](ApiCall call, Answer answer) {
      view::run_on_main([alive, call = std::move(call), answer = std::move(answer)] {
        if (*alive)
          (*alive)->obey(call, answer);
        else
          answer(refusal(503, "the run has ended"));
      });
    };
    api.thumbnail = [this](std::uint64_t span) { return thumbnails_.get(span); };
    api.picture = [this](CameraId camera, std::function<void(Jpeg)> done) {
      const std::shared_ptr<FrameTap> tap = taps_.with([camera](auto& taps) -> std::shared_ptr<FrameTap> {
        const auto found = taps.find(camera);
        return found == taps.end() ? nullptr : found->second;
      });
      return tap && live_pictures_.make(*tap, kLivePicture, std::move(done));
    };
    return api;
  }

  void obey(const ApiCall& call, const Answer& answer) {
    if (!call.changes && call.path == "/api/state") return answer({200, state()});
    Json id = bcp::value_of(call.body, "camera");
    if (const auto text = call.query.find("camera"); text != call.query.end()) {
      CameraId number = 0;
      std::from_chars(text->second.data(), text->second.data() + text->second.size(), number);
      id = number;
    }
    Followed* camera = find(id);
    if (!camera) return answer(refusal(404, "there is no such camera: load the page again"));
    if (!call.changes && call.path == "/api/recordings") return list_recordings(*camera, answer);
    const gst::ElementPtr tagger = camera->view.tagger();
    if (!tagger) return answer(refusal(409, camera->view.name() + " is not connected: try again when it is"));
    if (!call.changes && call.path == "/api/learnt") return describe_learnt(tagger.get(), answer);
    if (call.changes && call.path == "/api/labels") return set_labels(*camera, tagger.get(), call.body, answer);
    if (call.changes && call.path == "/api/settings") return set(*camera, tagger.get(), call.body, answer);
    if (call.changes && call.path == "/api/feedback") return teach(*camera, tagger.get(), call.body, answer);
    answer(refusal(404, "there is no such request"));
  }

  Json state() {
    Json cameras = Json::array();
    for (auto& [id, camera] : cameras_) {
      Json one = camera.view.json();
      one["spans"] = camera.view.spans(thumbnails_);
      one["pending"] = camera.pending;
      if (const gst::BcpResultPtr result = camera.view.newest_result()) one["result"] = view::result_json(result.get());
      cameras.push_back(std::move(one));
    }
    return {{"version", BCP_VERSION},
            {"now", view::wall_clock_now()},
            {"kept", view::History::kKept},
            {"encoded", live_pictures_.encoded()},
            {"cameras", std::move(cameras)}};
  }

  void set_labels(Followed& camera, GstElement* tagger, const Json& body, const Answer& answer) {
    if (bcp::value_of(body, "all") == true) {
      g_object_set(tagger, "labels-file", "", "labels", "", nullptr);
    } else if (Status done = camera.view.controls().set_labels(tagger, bcp::value_of(body, "labels")); !done) {
      return answer(refusal(400, done.error().message));
    }
    camera.pending = "labels";
    answer({202, {{"pending", true}}});
  }

  void set(Followed& camera, GstElement* tagger, const Json& body, const Answer& answer) {
    const auto applied = camera.view.controls().set(tagger, body);
    if (!applied) return answer(refusal(400, applied.error().message));
    if (applied->encodes) camera.pending = "context";
    answer({200, {{"pending", applied->encodes}, {"settings", camera.view.controls().settings(tagger)}}});
    publish_state(camera);
  }

  // The tagger has answered a change of its words.
  void answer_later(Followed& camera, bool done, const std::string& text) {
    const std::string kind = std::exchange(camera.pending, {});
    server_->publish(
        {"", "answer", dump({{"camera", camera.view.id()}, {"kind", kind}, {"done", done}, {"text", text}})});
  }

  // The signal waits for a frame that is being scored, so it is emitted on another thread.
  void teach(Followed& camera, GstElement* tagger, const Json& body, const Answer& answer) {
    const std::string label(bcp::text_of(body, "label"));
    const Json& present = bcp::value_of(body, "present");
    const std::string_view when = bcp::text_of(body, "pts");
    guint64 pts = GST_CLOCK_TIME_NONE;
    if (label.empty() || !present.is_boolean())
      return answer(refusal(400, "the label, or what is true of it, is missing"));
    if (!when.empty() && std::from_chars(when.data(), when.data() + when.size(), pts).ec != std::errc())
      return answer(refusal(400, "the frame has no valid time"));
    const gst::BcpResultPtr newest = camera.view.newest_result();
    const auto before = newest ? view::score_of(newest.get(), label) : std::nullopt;
    const std::uint64_t lesson =
        camera.view.lessons().begin(label, present.get<bool>(), before, view::wall_clock_now());
    camera.last_remark.clear();
    const auto taught = std::make_shared<view::Taught>();
    worker_.add(
        [taught, label, present = present.get<bool>(), pts,
         element = view::shared_element(tagger)](const std::stop_token&) {
          *taught = view::teach(element.get(), label, present, pts);
          return ok();
        },
        [this, id = camera.view.id(), lesson, taught, answer](const Status&) {
          Followed& about = cameras_.at(id);
          const std::string reason =
              about.last_remark.empty() ? "the frame is too old, or the label is not in use" : about.last_remark;
          if (taught->done)
            about.view.lessons().end(lesson, taught->shift);
          else
            about.view.lessons().refuse(lesson, reason);
          answer(taught->done ? ApiReply{200, {{"lesson", lesson}}} : refusal(409, reason));
          publish_state(about);
        });
  }

  void describe_learnt(GstElement* tagger, const Answer& answer) {
    const auto made = std::make_shared<Json>();
    worker_.add(
        [made, element = view::shared_element(tagger)](const std::stop_token&) {
          *made = view::read_learnt(element.get(), kLearntLabels);
          return ok();
        },
        [made, answer](const Status&) {
          answer(made->is_null() ? refusal(409, "nothing is running that could have learnt") : ApiReply{200, *made});
        });
  }

  void list_recordings(const Followed& camera, const Answer& answer) {
    const Job* job = camera.view.job();
    if (!job || job->task().record.folder.empty()) return answer({200, {{"files", Json::array()}}});
    const std::string folder = record_folder(job->task().record, job->task().input.source);
    const auto made = std::make_shared<ApiReply>();
    worker_.add(
        [made, folder](const std::stop_token&) {
          *made = view::recordings_json(folder);
          return ok();
        },
        [made, answer](const Status&) { answer(*made); });
  }

  void publish_state(Followed& camera) {
    if (server_->pages() == 0) return;
    Json state = camera.view.json();
    state["pending"] = camera.pending;
    state["encoded"] = live_pictures_.encoded();
    server_->publish({"camera/" + std::to_string(camera.view.id()), "camera", dump(state)});
  }

  void publish_result(const Followed& camera, const GstBcpResult* result) {
    if (server_->pages() == 0) return;
    server_->publish({"result/" + std::to_string(camera.view.id()), "result",
                      dump({{"camera", camera.view.id()}, {"result", view::result_json(result)}})});
  }

  void publish_spans(Followed& camera) {
    const std::vector<view::Span> changes = camera.view.history().take_changes();
    if (changes.empty() || server_->pages() == 0) return;
    Json spans = Json::array();
    for (const view::Span& span : changes) spans.push_back(CameraView::span_json(span, thumbnails_));
    server_->publish({"", "spans", dump({{"camera", camera.view.id()}, {"spans", std::move(spans)}})});
  }

  void wish_thumbnail(Followed& camera, std::uint64_t span) {
    if (camera.wishes.size() < view::Thumbnails::kMost) camera.wishes.push_back(span);
    take_thumbnail(camera, SteadyClock::now());
  }

  // One picture for all spans that began since the last.
  void take_thumbnail(Followed& camera, SteadyClock::time_point now) {
    if (camera.wishes.empty() || camera.thumbnail_asked || !camera.view.frames() ||
        now - camera.thumbnail_taken < kBetweenThumbnails)
      return;
    camera.thumbnail_taken = now;
    camera.thumbnail_asked = thumbnail_pictures_.make(
        *camera.view.frames(), kThumbnail,
        [alive = alive_, id = camera.view.id(), spans = std::exchange(camera.wishes, {})](const Jpeg& picture) {
          view::run_on_main([alive, id, spans, picture] {
            if (*alive) (*alive)->keep_thumbnail(id, spans, picture);
          });
        });
  }

  void keep_thumbnail(CameraId id, const std::vector<std::uint64_t>& spans, const Jpeg& picture) {
    const auto camera = cameras_.find(id);
    if (camera == cameras_.end()) return;
    camera->second.thumbnail_asked = false;
    if (!picture) return;
    for (const std::uint64_t span : spans) thumbnails_.put(span, picture);
    if (server_->pages() > 0) server_->publish({"", "thumbnails", dump({{"camera", id}, {"spans", spans}})});
  }

  // Null once this object is destroyed: for work that comes to the main thread late.
  const std::shared_ptr<ViewObserver*> alive_ = std::make_shared<ViewObserver*>(this);
  view::WordFiles files_;
  view::Thumbnails thumbnails_;
  view::PictureMaker live_pictures_, thumbnail_pictures_;
  gst::Guarded<std::map<CameraId, std::shared_ptr<FrameTap>>> taps_;  // for the server's thread
  std::uint64_t last_span_ = 0;
  std::map<CameraId, Followed> cameras_;
  SteadyClock::time_point states_sent_;
  std::unique_ptr<view::ViewServer> server_;
  Worker worker_;  // last: its work ends before the other members are destroyed
};

}  // namespace

Result<std::unique_ptr<Observer>> serve_view(const ViewOptions& options, bool quiet) {
  Result<ViewPlace> place = view_place(options);
  if (!place) return place.error();
  Result<HttpSocket> socket = open_http_socket(place->address);
  if (!socket) return socket.error();
  view::Access::Rules rules{
      .password = place->password, .port = socket->port, .hosts = view::HostRule(g_get_host_name(), options.hosts)};
  auto observer = std::make_unique<ViewObserver>(*std::move(socket), std::move(rules));
  // A port chosen by the system is shown even with --quiet.
  if (!quiet || place->address.port == 0) std::cerr << "live page: " << observer->url() << "/\n";
  return std::unique_ptr<Observer>(std::move(observer));
}

}  // namespace bcp::cli::run
