// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/client.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace bcp::fleet {
namespace {

constexpr int kMostHops = 5;
constexpr std::int64_t kLatest = 100'000'000'000;  // seconds since 1970, so that microseconds fit in their type
constexpr std::size_t kMostKnown = 64, kMostFound = 100'000;

// "MOVED 3999 127.0.0.1:6381" and "ASK ...": where to go. An empty host is that of the server which answered.
std::optional<Endpoint> target_in(std::string_view answer, const Endpoint& from) {
  const std::size_t space = answer.rfind(' '), colon = answer.rfind(':');
  if (space == std::string_view::npos || colon == std::string_view::npos || colon < space) return std::nullopt;
  Endpoint to{std::string(answer.substr(space + 1, colon - space - 1)), 0};
  if (to.host.empty() || to.host == "?") to.host = from.host;
  // Hosts are shown to people: garbage must not reach a terminal.
  if (std::any_of(to.host.begin(), to.host.end(), [](unsigned char c) { return c <= ' ' || c > 126; }))
    return std::nullopt;
  const std::string_view port = answer.substr(colon + 1);
  const auto [end, failed] = std::from_chars(port.data(), port.data() + port.size(), to.port);
  if (failed != std::errc() || end != port.data() + port.size() || to.port < 1 || to.port > 65535) return std::nullopt;
  return to;
}

Error answered(const Endpoint& server, const std::string& text) {
  return {ErrorCode::kInvalid, "Redis at " + server.host + ":" + std::to_string(server.port) + " " + explain(text)};
}

}  // namespace

Result<Connection*> Client::connection(const Endpoint& to) {
  std::unique_ptr<Connection>& there = open_[to];
  if (there) return there.get();
  Result<std::unique_ptr<Connection>> opened = Connection::open(address_, to, stop_, traffic_);
  if (!opened) {
    open_.erase(to);
    return opened.error();
  }
  there = *std::move(opened);
  return there.get();
}

void Client::lose(const Endpoint& server) {
  open_.erase(server);
  std::erase_if(found_, [&](const auto& each) { return each.second == server; });
}

Result<Reply> Client::follow(Endpoint to, const std::string& key, const std::vector<std::string>& words) {
  bool asking = false;
  for (int hop = 0; hop < kMostHops; ++hop) {
    const Result<Connection*> there = connection(to);
    if (!there) {
      lose(to);
      return there.error();
    }
    if (asking) {
      if (const Result<Reply> asked = (*there)->call({"ASKING"}); !asked) {
        lose(to);
        return asked.error();
      }
    }
    Result<Reply> reply = (*there)->call(words);
    if (!reply) {
      lose(to);
      return reply;
    }
    const bool moved = reply->is_error("MOVED ");
    asking = reply->is_error("ASK ");
    if (!moved && !asking) {
      if (reply->is_error()) return answered(to, reply->text);
      return reply;
    }
    const std::optional<Endpoint> next = target_in(reply->text, to);
    if (!next) return answered(to, reply->text);
    to = *next;
    if (to != home() && known_.size() < kMostKnown && std::find(known_.begin(), known_.end(), to) == known_.end())
      known_.push_back(to);
    if (moved) {
      if (found_.size() >= kMostFound) found_.clear();
      found_[key] = to;
    }
  }
  return Error{ErrorCode::kRuntime, "the Redis Cluster of " + address_.server() +
                                        " redirects without end: check its configuration (cluster nodes)"};
}

Result<Reply> Client::call(const std::string& key, const std::vector<std::string>& words) {
  std::vector<Endpoint> ways;
  if (const auto found = found_.find(key); found != found_.end()) ways.push_back(found->second);
  ways.push_back(home());
  ways.insert(ways.end(), known_.begin(), known_.end());
  std::optional<Error> first;
  for (const Endpoint& way : ways) {
    const bool was_open = open_.contains(way);
    Result<Reply> reply = follow(way, key, words);
    // A connection that Redis closed while it was idle is not a fault.
    if (!reply && was_open && !open_.contains(way)) reply = follow(way, key, words);
    if (reply || open_.contains(way) || stop_.is_raised()) return reply;  // answered, if only with an error
    if (!first) first = reply.error();
  }
  return *first;
}

Result<std::int64_t> Client::time() {
  const Result<Reply> reply = call("", {"TIME"});
  if (!reply) return reply.error();
  std::int64_t parts[2] = {};
  const Error wrong = answered(home(), "TIME without two numbers");
  if (reply->list.size() != 2) return wrong;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string& text = reply->list[i].text;
    if (std::from_chars(text.data(), text.data() + text.size(), parts[i]).ec != std::errc()) return wrong;
    if (parts[i] < 0 || parts[i] > kLatest) return wrong;
  }
  return parts[0] * 1'000'000 + parts[1];
}

}  // namespace bcp::fleet
