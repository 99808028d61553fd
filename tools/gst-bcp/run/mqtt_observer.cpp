// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/mqtt_observer.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gst-bcp/common/worker.hpp"
#include "gst-bcp/run/broker/camera.hpp"
#include "gst-bcp/run/pipeline/controls.hpp"
#include "gst-bcp/run/pipeline/frame_tap.hpp"
#include "gst-bcp/run/pipeline/job.hpp"
#include "gst-bcp/run/pipeline/jpeg.hpp"
#include "gst-bcp/run/plan/recipe.hpp"

namespace bcp::cli::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostMessages = 1000;            // messages, while the broker is away
constexpr std::chrono::seconds kLastWords{2};          // for sending what is queued, at the end
constexpr std::chrono::seconds kBetweenPictures{1};    // of one camera
constexpr std::size_t kMostPictureBytes = 256 * 1024;  // larger ones are encoded again, with a lower quality
constexpr std::size_t kMostCommands = 100;             // that wait for the main thread
constexpr std::string_view kRefused = "(the old labels stay in use)";  // what bcptagger says of labels

// What the client's thread has to say to the main thread.
class Inbox {
 public:
  struct Contents {
    std::vector<std::string> remarks;
    std::vector<mqtt::MqttMessage> commands;
  };

  void add_remark(std::string sentence) {
    const std::lock_guard lock(mutex_);
    contents_.remarks.push_back(std::move(sentence));
  }
  void add_command(const mqtt::MqttMessage& command) {
    const std::lock_guard lock(mutex_);
    if (contents_.commands.size() < kMostCommands) contents_.commands.push_back(command);
  }
  Contents take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(contents_, {});
  }

 private:
  std::mutex mutex_;
  Contents contents_;
};

// The client's texts end with a full stop; those of this program do not.
std::string without_stop(std::string text) {
  while (text.ends_with('.')) text.pop_back();
  return text;
}

mqtt::MqttListener listener_for(const std::shared_ptr<Inbox>& inbox, const std::string& place) {
  return {.connected =
              [inbox, place](bool again) {
                if (again) inbox->add_remark("the MQTT broker at " + place + " is back");
              },
          .trouble =
              [inbox](const Error& error, bool again) {
                if (!again) inbox->add_remark(without_stop(error.message));
              },
          .command = [inbox](const mqtt::MqttMessage& command) { inbox->add_command(command); }};
}

Result<std::string> small_jpeg(GstSample* frame) {
  Result<std::string> jpeg = std::string();
  for (const int quality : {80, 50, 25}) {
    jpeg = encode_jpeg(frame, {.longest_side = 640, .quality = quality});
    if (!jpeg || jpeg->size() <= kMostPictureBytes) break;
  }
  return jpeg;
}

class MqttObserver final : public Observer {
 public:
  MqttObserver(MqttOptions options, const mqtt::MqttOptions& connection)
      : options_(std::move(options)),
        client_(connection, kMostMessages, mqtt::DropPolicy::kOldest,
                listener_for(inbox_, connection.address.place())) {}
  ~MqttObserver() override {
    followed_.clear();
    client_.finish(kLastWords);
  }

  Status start() { return client_.start(); }

  void on_begin(Job& job) override {
    const Task& task = job.task();
    if (task.input.kind == InputKind::kPictures || !task.mqtt_rules.send) return;
    const std::size_t id = ++last_id_;
    followed_.try_emplace(&job, id, BrokerCamera(client_, options_, task.mqtt_rules, task.recipe.source_id));
  }

  void on_play(Job& job) override {
    Followed* followed = find(job);
    const gst::ElementPtr tagger = job.child(kTagger);
    if (followed && tagger && followed->camera.sends_images()) followed->tap = std::make_unique<FrameTap>(tagger.get());
  }

  void on_seen(Job& job, const Seen& seen) override {
    Followed* followed = find(job);
    if (!followed) return;
    followed->camera.set_there(true);
    if (!followed->camera.has_labels()) followed->camera.set_labels(labels_in_use(job));
    if (!followed->camera.see(seen) || !followed->camera.sends_images()) return;
    followed->wants_picture = true;
    take_picture(*followed);
  }

  void on_labels(Job& job) override {
    if (Followed* followed = find(job)) followed->camera.set_labels(labels_in_use(job));
  }

  void on_source(Job& job, bool is_there, const std::string&) override {
    if (Followed* followed = find(job)) followed->camera.set_there(is_there);
  }

  void on_remark(Job& job, const std::string& sentence) override {
    Followed* followed = find(job);
    if (followed && sentence.find(kRefused) != std::string::npos) followed->camera.refuse_labels(sentence);
  }

  void on_close(Job& job) override {
    Followed* followed = find(job);
    if (!followed) return;
    followed->camera.set_there(false);
    followed_.erase(&job);
  }

  void on_tick(const Say& say) override {
    Inbox::Contents news = inbox_->take();
    for (const std::string& sentence : news.remarks) say(sentence);
    for (const mqtt::MqttMessage& command : news.commands) obey(command, say);
    for (auto& [job, followed] : followed_) take_picture(followed);
    report_drops(say);
  }

 private:
  struct Followed {
    Followed(std::size_t number, BrokerCamera made) : id(number), camera(std::move(made)) {}

    std::size_t id;  // of this job, in this run
    BrokerCamera camera;
    std::unique_ptr<FrameTap> tap;  // with --mqtt-images
    bool wants_picture = false, makes_picture = false;
    Clock::time_point next_picture;
  };

  Followed* find(Job& job) {
    const auto found = followed_.find(&job);
    return found == followed_.end() ? nullptr : &found->second;
  }

  // New labels for a camera.
  void obey(const mqtt::MqttMessage& command, const Say& say) {
    const auto found = std::find_if(followed_.begin(), followed_.end(), [&command](const auto& each) {
      return each.second.camera.topics().labels_command == command.topic && each.second.camera.is_controlled();
    });
    if (found == followed_.end()) return;  // of another run
    Job& job = *found->first;
    Status done = ok();
    if (command.payload.ends_with(mqtt::kCutMark))
      done = Error{ErrorCode::kInvalid,
                   "the list ends in " + std::string(mqtt::kCutMark) + ", because it is too long for Home Assistant"};
    if (done) done = set_labels(job, command.payload);
    if (done) return;  // on_labels() follows, or on_remark()
    const std::string sentence = "new labels from the broker were not accepted: " + without_stop(done.error().message);
    found->second.camera.refuse_labels(sentence);  // without the address of the camera
    say(job.name() + ": " + sentence);
  }

  // A frame for the newest event. It is encoded on another thread.
  void take_picture(Followed& followed) {
    if (!followed.wants_picture || followed.makes_picture || !followed.tap || Clock::now() < followed.next_picture)
      return;
    followed.wants_picture = false;
    followed.makes_picture = followed.tap->next([this, id = followed.id](gst::SamplePtr frame) {
      const std::shared_ptr<GstSample> shared(frame.release(), gst::Unref());
      const auto jpeg = std::make_shared<std::string>();
      worker_.add(
          [shared, jpeg](const std::stop_token&) -> Status {
            Result<std::string> made = small_jpeg(shared.get());
            if (!made) return made.error();
            *jpeg = *std::move(made);
            return ok();
          },
          [this, id, jpeg](const Status& done) { send_picture(id, done, *jpeg); });
    });
  }

  void send_picture(std::size_t id, const Status& done, const std::string& jpeg) {
    for (auto& [job, followed] : followed_) {
      if (followed.id != id) continue;
      followed.makes_picture = false;
      followed.next_picture = Clock::now() + kBetweenPictures;
      if (done) followed.camera.set_image(jpeg);
      if (!done && !std::exchange(reported_picture_, true)) inbox_->add_remark(done.error().message);
    }
  }

  void report_drops(const Say& say) {
    if (reported_drops_ || client_.counts().dropped == 0) return;
    reported_drops_ = true;
    say("the MQTT broker is unreachable or too slow: the oldest of " + std::to_string(kMostMessages) +
        " waiting events are dropped from now on; the video continues");
  }

  const MqttOptions options_;
  const std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  mqtt::MqttClient client_;
  std::size_t last_id_ = 0;
  std::map<Job*, Followed> followed_;
  bool reported_drops_ = false, reported_picture_ = false;
  Worker worker_;  // last: its work ends before the other members are destroyed
};

}  // namespace

Result<std::unique_ptr<Observer>> follow_with_mqtt(const MqttOptions& options) {
  Result<mqtt::MqttOptions> connection = mqtt_connection(options);
  if (!connection) return connection.error();
  auto observer = std::make_unique<MqttObserver>(options, *connection);
  if (Status started = observer->start(); !started) return started.error();
  return std::unique_ptr<Observer>(std::move(observer));
}

}  // namespace bcp::cli::run
