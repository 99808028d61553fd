// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/resolve.hpp"

#include <netdb.h>
#include <sys/socket.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace bcp::fleet {
namespace {

struct Answer {
  int fault = 0;
  std::vector<std::string> numbers = {};
};

Answer look_up(const std::string& host, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  Answer answer;
  answer.fault = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (answer.fault != 0) return answer;
  for (const addrinfo* each = found; each; each = each->ai_next) {
    char text[NI_MAXHOST] = "";
    answer.fault = getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    if (answer.fault == 0) answer.numbers.emplace_back(text);
  }
  freeaddrinfo(found);
  if (!answer.numbers.empty()) answer.fault = 0;
  return answer;
}

struct Pending {
  std::mutex mutex;
  std::condition_variable done;
  std::optional<Answer> answer;
};

}  // namespace

Result<std::vector<std::string>> resolve(const std::string& host, std::chrono::steady_clock::time_point deadline,
                                         const Stop& stop) {
  if (Answer number = look_up(host, AI_NUMERICHOST); number.fault == 0) return number.numbers;
  const auto pending = std::make_shared<Pending>();
  std::thread([pending, host] {
    Answer answer = look_up(host, AI_ADDRCONFIG);
    const std::lock_guard lock(pending->mutex);
    pending->answer = std::move(answer);
    pending->done.notify_one();
  }).detach();
  std::unique_lock lock(pending->mutex);
  while (!pending->answer && !stop.is_raised() && std::chrono::steady_clock::now() < deadline)
    pending->done.wait_for(lock, std::chrono::milliseconds(50));
  if (!pending->answer)
    return Error{ErrorCode::kRuntime, "the host name " + host + " was not resolved in time: check the name server"};
  if (pending->answer->fault != 0) {
    return Error{ErrorCode::kNotFound, "the host name " + host + " cannot be resolved (" +
                                           gai_strerror(pending->answer->fault) + "): check the address"};
  }
  return pending->answer->numbers;
}

}  // namespace bcp::fleet
