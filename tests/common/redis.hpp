// SPDX-License-Identifier: LGPL-2.1-or-later
// A real Redis server on a free port of this machine, which ends with the test. Benchmarks use it too: no GoogleTest.

#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common/temporary.hpp"
#include "fleet/client.hpp"

namespace bcp::test {

// Not an ephemeral port: a client that connects to a closed ephemeral port may connect to itself. Below 55,536, because
// the bus of a cluster uses the port 10,000 above.
inline int free_redis_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::random_device random;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int port = 0;
  do {
    port = std::uniform_int_distribution<int>(10'000, 32'000)(random);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
  } while (::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0);
  ::close(fd);
  return port;
}

class Redis {
 public:
  explicit Redis(std::vector<std::string> options = {}, const std::string& password = "")
      : options_(std::move(options)), password_(password) {
    // Another process may take the port between the look and the start.
    for (int i = 0; i < 20 && id_ == 0; ++i) {
      port_ = free_redis_port();
      start();
    }
    if (id_ == 0) throw std::runtime_error("redis-server does not start");
  }
  ~Redis() { kill(); }
  Redis(const Redis&) = delete;
  Redis& operator=(const Redis&) = delete;

  // Also after kill(): empty, on the same port.
  void start() {
    const std::string log = folder_ / "log";
    std::vector<std::string> command = {"redis-server",
                                        "--port",
                                        std::to_string(port_),
                                        "--bind",
                                        "127.0.0.1",
                                        "--save",
                                        "",
                                        "--repl-diskless-sync-delay",
                                        "0",
                                        "--appendonly",
                                        "no",
                                        "--logfile",
                                        log,
                                        "--dir",
                                        folder_.path()};
    if (!password_.empty()) command.insert(command.end(), {"--requirepass", password_});
    command.insert(command.end(), options_.begin(), options_.end());
    std::vector<char*> arguments;
    for (std::string& each : command) arguments.push_back(each.data());
    arguments.push_back(nullptr);
    id_ = ::fork();
    if (id_ == 0) {
      // Other threads may run, so nothing here takes a lock or memory.
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    // Whether this one answers, not another on its port.
    const std::string answer = "process_id:" + std::to_string(id_) + "\r";
    for (int i = 0; i < 1200; ++i) {
      fleet::Stop never;
      fleet::Client client(address(), never);
      const auto info = client.call("", {"INFO", "server"});
      if (info && info->text.find(answer) != std::string::npos) return;
      if (::waitpid(id_, nullptr, WNOHANG) == id_) {  // the port is in use
        id_ = 0;
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    kill();
  }
  void kill() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    id_ = 0;
  }
  void signal(int number) const {
    if (id_ > 0) ::kill(id_, number);
  }

  int port() const { return port_; }
  fleet::Address address(const std::string& group = "cams") const {
    fleet::Address address;
    address.host = "127.0.0.1";
    address.port = port_;
    address.group = group;
    address.password = password_;
    address.interval = std::chrono::milliseconds(100);
    return address;
  }
  std::string url(const std::string& group = "cams") const {
    const std::string user = password_.empty() ? "" : ":" + password_ + "@";
    return "redis://" + user + "127.0.0.1:" + std::to_string(port_) + "/0/" + group;
  }
  // A command as another program; the answer of an error is a list with nothing.
  fleet::Reply call(const std::vector<std::string>& words) const {
    fleet::Stop never;
    fleet::Client client(address(), never);
    Result<fleet::Reply> reply = client.call(words.size() > 1 ? words[1] : "", words);
    return reply ? *reply : fleet::Reply{fleet::Reply::Kind::kError, reply.error().message};
  }

 private:
  int port_ = 0;
  const std::vector<std::string> options_;
  const std::string password_;
  TemporaryDirectory folder_;
  pid_t id_ = 0;
};

}  // namespace bcp::test
