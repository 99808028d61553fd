// SPDX-License-Identifier: LGPL-2.1-or-later

#include "mqtt/mqtt_client.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "mqtt/topics.hpp"

namespace bcp::mqtt {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr auto kFirstPause = milliseconds(1'000);
constexpr auto kLongestPause = milliseconds(30'000);
// After a connection that lasted this long, faults are reported again.
constexpr auto kLasting = std::chrono::seconds(10);
// Added to the timeout of finish(), for the thread to end.
constexpr auto kGrace = milliseconds(200);

// The pauses between reconnects: doubled each time, with a random part so that clients do not reconnect all at once.
class Pauses {
 public:
  milliseconds next() {
    const auto base = std::exchange(pause_, std::min(2 * pause_, kLongestPause));
    std::uniform_real_distribution<double> spread(0.75, 1.25);
    return milliseconds(static_cast<milliseconds::rep>(spread(random_) * static_cast<double>(base.count())));
  }
  void reset() { pause_ = kFirstPause; }

 private:
  milliseconds pause_ = kFirstPause;
  std::minstd_rand random_{std::random_device()()};
};

// Leaves signals to the application's threads. SIGPIPE must be blocked: OpenSSL would raise it.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

class MqttClient::Worker {
  // Retained messages of an earlier run: to be deleted, or to be switched off.
  struct Leftovers {
    std::string filter;
    bool remove;
  };

 public:
  Worker(MqttOptions options, std::size_t room, DropPolicy policy, MqttListener listener)
      : options_(std::move(options)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        listener_(std::move(listener)),
        outbox_(room, policy) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { ::close(wake_); }

  // The thread function.
  void run() noexcept;
  // Call it instead of run() if the thread was never started: counts queued messages as dropped.
  void end() noexcept;

  // Returns fn(outbox), called with the lock held, and wakes the thread.
  template <typename Fn>
  auto with_outbox(Fn&& fn) {
    const std::lock_guard lock(mutex_);
    wake();
    return fn(outbox_);
  }

  void recall_later(std::string filter, bool remove) {
    const std::lock_guard lock(mutex_);
    leftovers_.push_back({std::move(filter), remove});
    wake();
  }

  // False if the thread did not end in time.
  bool finish(milliseconds patience);
  MqttCounts counts() const;

 private:
  Status connect_and_serve();
  void lose_connection(Clock::time_point begun) noexcept;
  Status serve(MqttSession& session);
  void send(MqttSession& session);
  void recall(MqttSession& session, std::size_t& asked);
  void clear(const MqttMessage& leftover);
  void greet();
  void report(const Error& error) noexcept;
  void pause(milliseconds time);
  bool done() const;
  bool stopping() const;
  milliseconds time_left() const;
  void wake();
  void clear_wake();

  const MqttOptions options_;
  const int wake_;  // an eventfd that wakes the thread

  // Used only by the thread.
  MqttListener listener_;
  std::set<std::string> reported_;  // error texts since the last lasting connection
  Pauses pauses_;

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  // Guarded by mutex_.
  Outbox outbox_;
  std::vector<Leftovers> leftovers_;
  bool stopping_ = false, has_ended_ = false;
  Clock::time_point deadline_;
  bool connected_ = false;
  std::uint64_t connections_ = 0;
  std::uint64_t left_behind_ = 0;
};

void MqttClient::Worker::run() noexcept {
  block_signals();
  pthread_setname_np(pthread_self(), "bcp-mqtt");
  // After finish() there is one more attempt: the stream may have ended before this thread has started, or the broker
  // may be available again.
  for (bool last = false; !last && !done();) {
    last = stopping();
    const auto begun = Clock::now();
    const Status served = connect_and_serve();
    if (served) break;
    lose_connection(begun);
    if (last) break;
    report(served.error());
    pause(pauses_.next());
  }
  end();
}

void MqttClient::Worker::end() noexcept {
  listener_ = {};  // breaks a reference cycle: its owner may hold this client for the counts
  const std::lock_guard lock(mutex_);
  connected_ = false;
  left_behind_ = outbox_.queued();
  has_ended_ = true;
  ended_.notify_all();
}

void MqttClient::Worker::lose_connection(Clock::time_point begun) noexcept try {
  const std::lock_guard lock(mutex_);
  if (std::exchange(connected_, false) && Clock::now() - begun > kLasting) reported_.clear();
  outbox_.connection_lost();
} catch (...) {
  // Out of memory: some states may not be sent again to the next connection. No message is lost.
}

// Connects, then serve(). An exception is returned as an error: the connection is closed, and unacknowledged messages
// are sent again.
Status MqttClient::Worker::connect_and_serve() {
  try {
    Result<std::unique_ptr<MqttSession>> session = MqttSession::open(options_);
    return session ? serve(**session) : session.error();
  } catch (const std::exception& fault) {
    return Error{ErrorCode::kRuntime, std::string("unexpected error: ") + fault.what()};
  } catch (...) {
    return Error{ErrorCode::kRuntime, "unexpected error of unknown type"};
  }
}

// Runs until the connection is lost (an error), all messages are sent after finish(), or its timeout has passed.
Status MqttClient::Worker::serve(MqttSession& session) {
  bool greeted = false, taking_leave = false;
  std::size_t asked = 0;
  while (time_left() > milliseconds(0)) {
    if (!session.connected()) {
      if (done()) return ok();
    } else {
      if (!std::exchange(greeted, true)) greet();
      if (done()) {
        if (std::exchange(taking_leave, true)) break;
        with_outbox([this](Outbox& outbox) { outbox.set_state(options_.status_topic, kOffline); });
      }
      recall(session, asked);
      send(session);
    }
    if (const Status alive = session.wait(wake_, time_left()); !alive) return alive;
    clear_wake();
    const std::vector<int> acknowledged = session.acknowledged();
    const std::vector<MqttMessage> recalled = session.recalled();
    const bool reborn = session.reborn();
    for (const MqttMessage& command : session.commands())
      if (listener_.command) listener_.command(command);
    const std::lock_guard lock(mutex_);
    for (const int id : acknowledged) outbox_.acknowledge(id);
    for (const MqttMessage& state : recalled) clear(state);
    if (reborn) outbox_.repeat_states();
  }
  if (!session.connected()) return ok();
  if (!taking_leave) (void)session.publish({options_.status_topic, kOffline, true});
  session.disconnect();
  return ok();
}

void MqttClient::Worker::greet() {
  bool again = false;
  {
    const std::lock_guard lock(mutex_);
    connected_ = true;
    again = connections_++ > 0;
    outbox_.set_state(options_.status_topic, kOnline);
  }
  pauses_.reset();
  if (listener_.connected) listener_.connected(again);
}

// Requests the retained states of the filters in leftovers_, except the first `asked`, which were requested before.
void MqttClient::Worker::recall(MqttSession& session, std::size_t& asked) {
  std::vector<std::string> filters;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = asked; i < leftovers_.size(); ++i) filters.push_back(leftovers_[i].filter);
  }
  asked += filters.size();
  for (const std::string& filter : filters) session.recall(filter);
}

// A retained message of an earlier run. REQUIRES: the lock is held.
void MqttClient::Worker::clear(const MqttMessage& leftover) {
  if (outbox_.has_state(leftover.topic) || leftover.payload.empty()) return;
  for (const Leftovers& kind : leftovers_) {
    if (!topic_matches(kind.filter, leftover.topic)) continue;
    if (kind.remove) return outbox_.set_state(leftover.topic, "");
    if (leftover.payload == kOn) return outbox_.set_state(leftover.topic, kOff);
  }
}

// Sends as many messages as may be unacknowledged at a time.
void MqttClient::Worker::send(MqttSession& session) {
  while (true) {
    std::optional<MqttMessage> message;
    {
      const std::lock_guard lock(mutex_);
      message = outbox_.take();
    }
    if (!message) return;
    const Result<int> id = session.publish(*message);  // with no lock held: it writes to a socket
    const std::lock_guard lock(mutex_);
    id ? outbox_.sent(*id) : outbox_.refuse();
  }
}

void MqttClient::Worker::report(const Error& error) noexcept try {
  const bool again = !reported_.insert(error.message).second;
  if (!listener_.trouble) return;
  listener_.trouble({error.code, "No connection to the MQTT broker at " + options_.address.place() + ": " +
                                     error.message + ". Reconnecting; results are queued and the video continues."},
                    again);
} catch (...) {
  // Reporting has failed; run() connects again anyway.
}

// Waits for `time`, or until finish() is called.
void MqttClient::Worker::pause(milliseconds time) {
  const auto end = Clock::now() + time;
  while (!stopping()) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    if (left <= milliseconds(0)) return;
    pollfd fd{wake_, POLLIN, 0};
    ::poll(&fd, 1, static_cast<int>(left.count()));
    clear_wake();
  }
}

// finish() was called, and the outbox is empty.
bool MqttClient::Worker::done() const {
  const std::lock_guard lock(mutex_);
  return stopping_ && outbox_.empty();
}

bool MqttClient::Worker::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

milliseconds MqttClient::Worker::time_left() const {
  const std::lock_guard lock(mutex_);
  if (!stopping_) return kLongestPause;
  return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(deadline_ - Clock::now()));
}

bool MqttClient::Worker::finish(milliseconds patience) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  deadline_ = Clock::now() + patience;
  wake();
  return ended_.wait_until(lock, deadline_ + kGrace, [this] { return has_ended_; });
}

MqttCounts MqttClient::Worker::counts() const {
  const std::lock_guard lock(mutex_);
  return {.connected = connected_,
          .published = outbox_.delivered(),
          .queued = has_ended_ ? 0 : outbox_.queued(),
          .dropped = outbox_.dropped() + left_behind_,
          .reconnects = connections_ > 0 ? connections_ - 1 : 0};
}

void MqttClient::Worker::wake() {
  const std::uint64_t one = 1;
  // Fails only if the counter is full; wake_ is readable then.
  [[maybe_unused]] const ssize_t n = ::write(wake_, &one, sizeof(one));
}

void MqttClient::Worker::clear_wake() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t n = ::read(wake_, &count, sizeof(count));
}

MqttClient::MqttClient(MqttOptions options, std::size_t room, DropPolicy policy, MqttListener listener)
    : worker_(std::make_shared<Worker>(std::move(options), room, policy, std::move(listener))) {}

Status MqttClient::start() {
  if (thread_.joinable()) return ok();
  try {
    thread_ = std::thread([worker = worker_] { worker->run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kRuntime, std::string("cannot start a thread for MQTT (") + error.what() +
                                          "): end other programs, or raise the thread limit (ulimit -u)"};
  }
  return ok();
}

MqttClient::~MqttClient() {
  finish(milliseconds(0));
}

bool MqttClient::publish(MqttMessage message) {
  return worker_->with_outbox([&](Outbox& outbox) { return outbox.push(std::move(message)); });
}

void MqttClient::set_state(const std::string& topic, std::string payload) {
  worker_->with_outbox([&](Outbox& outbox) { outbox.set_state(topic, std::move(payload)); });
}

void MqttClient::switch_off(std::string filter) {
  worker_->recall_later(std::move(filter), false);
}

void MqttClient::delete_others(std::string filter) {
  worker_->recall_later(std::move(filter), true);
}

void MqttClient::finish(milliseconds patience) {
  if (std::exchange(finished_, true)) return;
  if (!thread_.joinable()) return worker_->end();
  // A name lookup that hangs cannot be cancelled. The detached thread ends when it returns, and uses nothing of this.
  worker_->finish(patience) ? thread_.join() : thread_.detach();
}

MqttCounts MqttClient::counts() const {
  return worker_->counts();
}

}  // namespace bcp::mqtt
