// SPDX-License-Identifier: LGPL-2.1-or-later
// A real broker, a subscriber, and a bcppublish that is connected to it.

#pragma once

#include <arpa/inet.h>
#include <mosquitto.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"

namespace bcp::test {

// The timeout of every wait here; a timeout is a failure. Long enough for slow machines.
constexpr auto kLongEnough = std::chrono::seconds(60);

inline sockaddr_in local(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// A bound port of this machine, so that no other process takes it. Not one of the ephemeral ports: a client that
// connects to a closed ephemeral port may connect to itself.
class Port {
 public:
  explicit Port(bool listening = false) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    std::random_device random;
    sockaddr_in address{};
    do {
      number_ = std::uniform_int_distribution<int>(10'000, 32'000)(random);
      address = local(number_);
    } while (::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0);
    if (listening) ::listen(fd_, 8);
  }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  ~Port() { ::close(fd_); }
  int number() const { return number_; }

 private:
  int fd_;
  int number_ = 0;
};

inline int free_port() {
  return Port().number();
}

// A child process that ends with the test.
class Process {
 public:
  explicit Process(std::vector<std::string> command, const std::string& log = "/dev/null") {
    std::vector<char*> arguments;
    for (std::string& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    id_ = ::fork();
    if (id_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (std::freopen(log.c_str(), "a", stdout)) ::dup2(STDOUT_FILENO, STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() { kill(); }

  void signal(int number) const { ::kill(id_, number); }
  bool runs() const { return ::waitpid(id_, nullptr, WNOHANG) == 0; }
  void kill() {
    if (id_ <= 0) return;
    signal(SIGKILL);
    ::waitpid(std::exchange(id_, 0), nullptr, 0);
  }

 private:
  pid_t id_ = 0;
};

// mosquitto with its own folder and port.
class Broker {
 public:
  static bool installed() { return ::access(kProgram, X_OK) == 0; }

  // `settings` are lines for mosquitto.conf, after its listener.
  explicit Broker(const std::string& settings = "allow_anonymous true\n", int port = free_port())
      : port_(port), settings_(settings) {
    start();
  }

  void start() {
    write_file(folder_.file("conf"), "listener " + std::to_string(port_) +
                                         " 127.0.0.1\nuser root\nlog_dest stderr\nlog_type all\n" + settings_);
    process_ =
        std::make_unique<Process>(std::vector<std::string>{kProgram, "-c", folder_.file("conf")}, folder_.file("log"));
    const auto end = std::chrono::steady_clock::now() + kLongEnough;
    while (!listens()) {
      if (std::chrono::steady_clock::now() > end || !process_->runs()) {
        FAIL() << "mosquitto does not start: " << contents(folder_.file("log"));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void kill() { process_->kill(); }
  void signal(int number) { process_->signal(number); }

  int port() const { return port_; }
  std::string address(const std::string& credentials = "") const {
    return "mqtt://" + credentials + "127.0.0.1:" + std::to_string(port_);
  }
  std::string log() const { return contents(folder_.file("log")); }
  // The number of messages received under `topic`, over all restarts.
  std::size_t received(const std::string& topic) const {
    const std::string all = log();
    std::size_t count = 0;
    for (std::size_t at = 0; (at = all.find("Received PUBLISH from ", at)) != all.npos; ++at) {
      const std::string line = all.substr(at, all.find('\n', at) - at);
      count += line.find("'" + topic + "'") != line.npos ? 1U : 0U;
    }
    return count;
  }

 private:
  static constexpr char kProgram[] = "/usr/sbin/mosquitto";

  bool listens() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = local(port_);
    const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    ::close(fd);
    return connected;
  }

  const int port_;
  const std::string settings_;
  Folder folder_;
  std::unique_ptr<Process> process_;
};

struct Received {
  std::string topic, payload;
  bool retained = false;
};

// Subscribes to everything, with libmosquitto. A persistent broker keeps messages for it while it is disconnected.
class Subscriber {
 public:
  explicit Subscriber(int port, const char* user = nullptr, const char* password = nullptr) {
    mosquitto_lib_init();
    static std::atomic<int> count{0};
    const std::string id = "subscriber-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
    client_ = mosquitto_new(id.c_str(), false, this);
    if (user) mosquitto_username_pw_set(client_, user, password);
    mosquitto_threaded_set(client_, true);
    mosquitto_connect_callback_set(client_, [](mosquitto* m, void*, int code) {
      if (code == 0) mosquitto_subscribe(m, nullptr, "#", 1);
    });
    mosquitto_subscribe_callback_set(client_, [](mosquitto*, void* self, int, int, const int*) {
      Subscriber& s = *static_cast<Subscriber*>(self);
      const std::lock_guard lock(s.mutex_);
      s.subscribed_ = true;
      s.changed_.notify_all();
    });
    mosquitto_message_callback_set(client_, [](mosquitto*, void* self, const mosquitto_message* m) {
      Subscriber& s = *static_cast<Subscriber*>(self);
      const std::lock_guard lock(s.mutex_);
      const std::string payload(static_cast<const char*>(m->payload), static_cast<std::size_t>(m->payloadlen));
      s.all_.push_back({m->topic, payload, m->retain});
      s.changed_.notify_all();
    });
    EXPECT_EQ(mosquitto_connect(client_, "127.0.0.1", port, 60), MOSQ_ERR_SUCCESS);
    thread_ = std::thread([this] {
      while (!over_) {
        if (mosquitto_loop(client_, 50, 1) == MOSQ_ERR_SUCCESS) continue;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (!over_) mosquitto_reconnect(client_);
      }
    });
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kLongEnough, [this] { return subscribed_; }));
  }
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;
  ~Subscriber() {
    over_ = true;
    thread_.join();
    mosquitto_destroy(client_);
    mosquitto_lib_cleanup();
  }

  void publish(const char* topic, const char* payload, bool retain = false) {
    mosquitto_publish(client_, nullptr, topic, static_cast<int>(std::strlen(payload)), payload, 1, retain);
  }

  std::vector<Received> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

  // Payloads received under this topic, in order.
  std::vector<std::string> under(const std::string& topic) const {
    const std::lock_guard lock(mutex_);
    return under_locked(topic);
  }

  // Waits for at least `count` payloads under this topic and returns them; a timeout is a failure.
  std::vector<std::string> wait_for(const std::string& topic, std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kLongEnough, [&] { return under_locked(topic).size() >= count; }))
        << under_locked(topic).size() << " of " << count << " under " << topic;
    return under_locked(topic);
  }
  // Waits until the last line under this topic has the time `pts`. Returns all lines.
  std::vector<std::string> wait_for_time(const std::string& topic, double pts) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kLongEnough, [&] {
      const auto lines = under_locked(topic);
      return !lines.empty() && nlohmann::json::parse(lines.back())["pts"] == pts;
    })) << topic;
    return under_locked(topic);
  }
  // Waits until the last payload under this topic is `payload`.
  bool wait_until(const std::string& topic, const std::string& payload) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kLongEnough, [&] {
      const auto payloads = under_locked(topic);
      return !payloads.empty() && payloads.back() == payload;
    });
  }

 private:
  std::vector<std::string> under_locked(const std::string& topic) const {
    std::vector<std::string> payloads;
    for (const Received& r : all_) {
      if (r.topic == topic) payloads.push_back(r.payload);
    }
    return payloads;
  }

  mosquitto* client_ = nullptr;
  std::atomic<bool> over_{false};
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool subscribed_ = false;
  std::vector<Received> all_;
};

// A bcppublish in a harness, set up as in a gst-launch line, with its bus.
struct MqttHarness {
  explicit MqttHarness(const std::string& properties) {
    // The bus is set first: a harness starts the element at once, and a broker may answer at once.
    element.reset(
        GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(("bcppublish name=pub " + properties).c_str(), nullptr))));
    bus = listen(element.get());
    h.reset(gst_harness_new_with_element(element.get(), "sink", "src"));
    gst_harness_set_src_caps_str(h.get(), "video/x-raw,format=GRAY8,width=4,height=4,framerate=25/1");
  }

  MqttHarness(const MqttHarness&) = delete;
  MqttHarness& operator=(const MqttHarness&) = delete;
  // Messages left on the bus hold a reference to the element, which holds a reference to the bus.
  ~MqttHarness() {
    stop();
    gst_bus_set_flushing(bus.get(), TRUE);
  }

  GstFlowReturn push(const gst::BcpResultPtr& result, GstClockTime pts = 0) {
    GstBuffer* buffer = gst_harness_create_buffer(h.get(), 16);
    GST_BUFFER_PTS(buffer) = pts;
    attach(buffer, result);
    return gst_harness_push(h.get(), buffer);
  }
  void push_streets(GstClockTime first, GstClockTime count) {
    for (GstClockTime i = first; i < first + count; ++i) {
      EXPECT_EQ(push(street(i * GST_SECOND), i * GST_SECOND), GST_FLOW_OK);
    }
  }
  void stop() { gst_element_set_state(element.get(), GST_STATE_NULL); }

  guint64 stat(const char* name) const { return count_in_stats(element.get(), name); }
  bool connected() const {
    GstStructure* stats = nullptr;
    g_object_get(element.get(), "stats", &stats, nullptr);
    const gst::StructurePtr owner(stats);
    gboolean value = FALSE;
    gst_structure_get_boolean(stats, "mqtt-connected", &value);
    return value;
  }
  // Waits until a field of `stats` is `value`.
  bool wait_stat(const char* name, guint64 value) const {
    const auto end = std::chrono::steady_clock::now() + kLongEnough;
    while (stat(name) != value) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  // Waits for the next message of this type.
  Message wait_message(GstMessageType type) {
    const gst::MessagePtr message(gst_bus_timed_pop_filtered(bus.get(), 60 * GST_SECOND, type));
    EXPECT_TRUE(message);
    return message ? parse(message.get()) : Message();
  }

  Harness h;
  gst::ElementPtr element;
  gst::BusPtr bus;
};

inline std::vector<double> times(const std::vector<std::string>& lines) {
  std::vector<double> all;
  for (const std::string& line : lines) all.push_back(nlohmann::json::parse(line)["pts"]);
  return all;
}

// Without duplicates: a broker that was killed sends again what its subscriber already had.
inline std::vector<double> first_of_each(const std::vector<double>& times) {
  std::vector<double> firsts;
  for (const double time : times) {
    if (std::find(firsts.begin(), firsts.end(), time) == firsts.end()) firsts.push_back(time);
  }
  return firsts;
}

inline std::vector<double> counted(double first, int count) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) all.push_back(first + i);
  return all;
}

#define NEED_A_BROKER() \
  if (!Broker::installed()) GTEST_SKIP() << "mosquitto is not installed"

}  // namespace bcp::test
