// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What nodes send to Redis: few commands, on their own key and the index, and never one that looks for keys.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "base/file.hpp"
#include "fleet_support.hpp"

namespace bcp::fleet {
namespace {

using test::Camera;
using test::eventually;
using test::Redis;
using test::rounds;

// All that a node needs. docs/fleet.md has the same list for ACLs.
const std::set<std::string> kCommands = {"time", "hgetall", "hset", "hdel", "getrange", "set", "expire"};
const std::vector<std::string> kAclCommands = {"-@all",     "+time", "+hgetall", "+hset",   "+hdel",
                                               "+getrange", "+set",  "+expire",  "+select", "+asking"};

// The commands that Redis gets, as redis-cli prints them.
class Monitor {
 public:
  explicit Monitor(const Redis& redis) : redis_(redis), file_(folder_ / "commands") {
    id_ = ::fork();
    if (id_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (!::freopen(file_.c_str(), "w", stdout)) ::_exit(126);
      const std::string port = std::to_string(redis.port());
      ::execlp("redis-cli", "redis-cli", "-p", port.c_str(), "monitor", nullptr);
      ::_exit(127);
    }
    EXPECT_TRUE(eventually([&] { return text().find("OK") != std::string::npos; }));
  }
  ~Monitor() {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }
  // Its words: the client, the command and the arguments.
  struct Line {
    std::string client, command, key, field;
  };
  std::vector<Line> lines() {
    redis_.call({"ECHO", "the end"});
    EXPECT_TRUE(eventually([&] { return text().find("\"the end\"") != std::string::npos; }));
    std::vector<Line> all;
    std::istringstream in(text());
    for (std::string line; std::getline(in, line) && line.find("the end") == std::string::npos;) {
      std::istringstream words(line);
      std::string time, database;
      Line each;
      if (!(words >> time >> database >> each.client >> each.command)) continue;
      words >> each.key >> each.field;
      for (std::string* word : {&each.command, &each.key, &each.field}) std::erase(*word, '"');
      for (char& c : each.command) c = static_cast<char>(std::tolower(c));
      all.push_back(each);
    }
    return all;
  }

 private:
  std::string text() const {
    const Result<std::string> all = read_file(file_, std::size_t{64} << 20);
    return all ? *all : "";
  }
  const Redis& redis_;
  const test::TemporaryDirectory folder_;
  const std::string file_;
  pid_t id_ = 0;
};

TEST(FleetWire, WritesToItsOwnKeyAndFieldAndLooksForNoKeys) {
  const Redis redis;
  Monitor monitor(redis);
  Camera a, b, c;
  Camera* all[] = {&a, &b, &c};
  const char* ids[] = {"a", "b", "c"};
  for (unsigned i = 0; i < 3; ++i) all[i]->start(redis.address(), ids[i]);
  for (unsigned i = 0; i < 4; ++i) {
    for (Camera* each : all) each->learn(5, i);
    rounds({&a, &b, &c}, 1);
  }
  for (Camera* each : all) EXPECT_TRUE(each->node->round(true));
  std::map<std::string, std::set<std::string>> keys, fields;  // written, by client
  for (const auto& [client, command, key, field] : monitor.lines()) {
    EXPECT_TRUE(kCommands.contains(command)) << command;
    if (command == "set" || command == "expire") keys[client].insert(key);
    if (command == "hset" || command == "hdel") fields[client].insert(field);
  }
  ASSERT_EQ(keys.size(), 3U);
  std::set<std::string> owners;
  for (const auto& [client, written] : keys) {
    ASSERT_EQ(written.size(), 1U);
    ASSERT_EQ(fields[client].size(), 1U);
    EXPECT_EQ(*written.begin(), node_key("cams", *fields[client].begin()));
    owners.insert(*written.begin());
  }
  EXPECT_EQ(owners.size(), 3U);
}

// A round without news: two small commands.
TEST(FleetWire, SaysLittleWhileNothingIsLearnt) {
  const Redis redis;
  Camera a, b;
  a.learn(50, 1);
  b.learn(50, 2);
  Address patient = redis.address();
  patient.interval = std::chrono::minutes(10);  // no heartbeat comes between, however slow the machine is
  a.start(patient, "a");
  b.start(patient, "b");
  rounds({&a, &b}, 3);
  const Traffic before = a.node->traffic();
  rounds({&a}, 2);
  EXPECT_EQ(a.node->traffic().operations - before.operations, 4U);
  EXPECT_LT(a.node->traffic().sent - before.sent, 200U);
  EXPECT_LT(a.node->traffic().received - before.received, 600U);
}

// Newer states of known nodes are read in turn, a part in each round; nodes that are new are read at once.
TEST(FleetWire, LimitsWhatALargeFleetReadsAgain) {
  const Redis redis;
  test::Labels labels;
  for (int k = 0; k < 120; ++k) labels.push_back("label " + std::to_string(k));
  Camera reader("model", labels);
  std::vector<std::unique_ptr<Camera>> cameras;
  std::vector<Camera*> all;
  for (unsigned i = 0; i < 12; ++i) {
    all.push_back(cameras.emplace_back(std::make_unique<Camera>("model", labels)).get());
    all.back()->learn(5, i);
    all.back()->start(redis.address(), "n" + std::to_string(i));
  }
  rounds(all, 1);
  reader.start(redis.address(), "reader");
  rounds({&reader}, 1);
  EXPECT_NEAR(reader.learnt->samples(), 60, 1e-4);  // all at once
  for (unsigned i = 0; i < 12; ++i) all[i]->learn(5, 100 + i);
  rounds(all, 1);
  const std::uint64_t before = reader.node->traffic().received;
  rounds({&reader}, 1);
  EXPECT_LT(reader.learnt->samples(), 119);
  EXPECT_LT(reader.node->traffic().received - before, 60'000U);  // 12 values have 240 kB
  for (int i = 0; i < 12; ++i) rounds({&reader}, 1);
  EXPECT_NEAR(reader.learnt->samples(), 120, 1e-4);
}

// A longer pause would outlast a flood of garbage, and the node's own entry.
TEST(FleetWire, PausesForAMinuteAtMost) {
  const Redis redis;
  Camera a;
  a.learn(5, 1);
  a.start(redis.address(), "a");
  rounds({&a}, 1);
  EXPECT_EQ(a.node->pause(), redis.address().interval);
  std::vector<std::string> flood = {"HSET", index_key("cams")};
  for (int i = 0; i < 400; ++i) flood.insert(flood.end(), {"garbage " + std::to_string(i), std::string(20'000, 'x')});
  ASSERT_EQ(redis.call(flood).number, 400);
  rounds({&a}, 1);
  EXPECT_EQ(a.node->pause(), std::chrono::minutes(1));  // 8 MB at 32 KiB a second would be four
  redis.call({"DEL", index_key("cams")});
  rounds({&a}, 1);
  EXPECT_EQ(a.node->pause(), redis.address().interval);
}

TEST(FleetWire, NeedsOnlyTheseRightsInRedis) {
  const Redis redis;
  const auto allow = [&](const std::string& user, const std::vector<std::string>& keys) {
    std::vector<std::string> words = {"ACL", "SETUSER", user, "on", ">secret-" + user, "resetkeys", "resetchannels"};
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), kAclCommands.begin(), kAclCommands.end());
    const Reply reply = redis.call(words);
    EXPECT_FALSE(reply.is_error()) << reply.text;
    Address address = redis.address();
    address.user = user;
    address.password = "secret-" + user;
    return address;
  };
  Camera a, b, wrong;
  for (Camera* each : {&a, &b, &wrong}) each->learn(10, 1);
  // One of all keys of the group, one that can write only its own.
  a.start(allow("fleet", {"~bcp:cams:*"}), "a");
  b.start(allow("camera-b", {"%R~bcp:cams:*", "%RW~bcp:cams:index", "%RW~bcp:cams:node:b"}), "b");
  rounds({&a, &b}, 3);
  EXPECT_NEAR(a.learnt->samples(), 20, 1e-4);
  EXPECT_NEAR(b.learnt->samples(), 20, 1e-4);
  EXPECT_TRUE(a.faults.empty() && b.faults.empty());
  // The same user as another node: it is read, and writes nothing.
  wrong.start(b.node->address(), "x");
  rounds({&wrong});
  EXPECT_NEAR(wrong.learnt->samples(), 30, 1e-4);
  ASSERT_FALSE(wrong.faults.empty());
  EXPECT_NE(wrong.faults[0].second.find("does not allow this user"), std::string::npos) << wrong.faults[0].second;
  EXPECT_EQ(redis.call({"EXISTS", node_key("cams", "x")}).number, 0);
}

TEST(FleetWire, ExplainsAServerThatRefusesToTalk) {
  const Redis redis;
  Stop never;
  Client first(redis.address(), never), second(redis.address(), never);
  ASSERT_TRUE(first.call("", {"CONFIG", "SET", "maxclients", "1"}));
  const auto time = second.time();
  ASSERT_FALSE(time);
  EXPECT_NE(time.error().message.find("has too many clients: raise its maxclients"), std::string::npos)
      << time.error().message;
  // Only other machines get this answer.
  EXPECT_NE(explain("DENIED Redis is running in protected mode because").find("set a password in Redis"),
            std::string::npos);
}

// What is said about a server that answers this to everything.
std::string said_about(const std::string& answer) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::listen(fd, 1), 0);
  socklen_t size = sizeof(address);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  std::thread server([&] {
    const int client = ::accept(fd, nullptr, nullptr);
    char request[256];  // read, or closing would reset the connection
    EXPECT_GT(::read(client, request, sizeof request), 0);
    EXPECT_EQ(::write(client, answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
    ::close(client);
  });
  Stop never;
  Address to;
  to.host = "127.0.0.1";
  to.port = ntohs(address.sin_port);
  Client client(to, never);
  const auto time = client.time();
  server.join();
  ::close(fd);
  return time ? "" : time.error().message;
}

TEST(FleetWire, ExplainsAServerThatIsNotRedis) {
  const std::string said = said_about("HTTP/1.1 400 Bad Request\r\n\r\n");
  EXPECT_NE(said.find("does not speak the protocol of Redis"), std::string::npos) << said;
}

TEST(FleetWire, ShowsNoControlCharactersOfAServer) {
  for (const char* answer : {"-MOVED 1 \x1b[2Jhost:1\r\n", "-ERR \x1b[2J\r\n"}) {
    const std::string said = said_about(answer);
    EXPECT_NE(said.find("answered"), std::string::npos) << said;
    EXPECT_EQ(said.find('\x1b'), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace bcp::fleet
