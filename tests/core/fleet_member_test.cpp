// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A process as a member of a fleet: its id, what it reports, and that it ends before it starts again.

#include "fleet/member.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/utf8.hpp"
#include "fleet/fault_reports.hpp"
#include "fleet_support.hpp"

namespace bcp::fleet {
namespace {

using namespace std::chrono_literals;
using test::Camera;
using test::eventually;
using test::Redis;
using test::rounds;
using test::stored;

TEST(FleetReports, AFaultThatReturnsAndStaysIsReportedLater) {
  FaultReports reports;
  const auto start = FaultReports::Clock::now();
  EXPECT_FALSE(reports.end(Fault::kReach));
  EXPECT_TRUE(reports.begin(Fault::kReach, start));
  EXPECT_FALSE(reports.begin(Fault::kReach, start + 5s));
  EXPECT_FALSE(reports.begin(Fault::kReach, start + 24h));  // the same one
  EXPECT_TRUE(reports.end(Fault::kReach));
  EXPECT_FALSE(reports.end(Fault::kReach));
  EXPECT_TRUE(reports.begin(Fault::kReach, start + 25h));
  EXPECT_TRUE(reports.end(Fault::kReach));
  // It returns within a minute, and then stays.
  EXPECT_FALSE(reports.begin(Fault::kReach, start + 25h + 10s));
  EXPECT_FALSE(reports.begin(Fault::kReach, start + 25h + 59s));
  EXPECT_TRUE(reports.begin(Fault::kReach, start + 25h + 61s));
  EXPECT_TRUE(reports.end(Fault::kReach));
  // Values have no end.
  EXPECT_TRUE(reports.begin(Fault::kValue, start));
  EXPECT_FALSE(reports.begin(Fault::kValue, start + 59min));
  EXPECT_TRUE(reports.begin(Fault::kValue, start + 61min));
  EXPECT_FALSE(reports.end(Fault::kValue));
}

// Others ignore an id that is not UTF-8, or too long.
TEST(FleetMember, HasAnIdThatIsText) {
  const std::string plain = default_node("front door");
  EXPECT_TRUE(plain.ends_with("/front-door")) << plain;
  std::string umlauts;
  for (int i = 0; i < 100; ++i) {
    umlauts += "\xC3\xBC";
    for (const std::string& source : {umlauts, "x" + umlauts, umlauts + "\xFF"}) {
      const std::string id = default_node(source);
      EXPECT_EQ(utf8::valid_prefix(id), id.size()) << id;
      EXPECT_LE(id.size(), 120U);
      EXPECT_GT(id.size(), 2U);
    }
  }
}

// Redis is paused, so that the goodbye takes a second. A new member before its end would see its id in use, and take
// another: what the group has learnt would count twice.
TEST(FleetMember, EndsBeforeItsGroupJoinsAgain) {
  const Redis redis;
  const auto group = *prior::PriorGroup::join("returns", "model");
  Camera camera;
  camera.group = group;
  camera.learnt->leave();
  camera.learnt = group->learnt(test::kThings);
  camera.learnt->join();
  camera.learn(10, 1);
  const Address address = redis.address();
  std::shared_ptr<Member> member = *Member::join(group, address, "a");
  ASSERT_TRUE(eventually([&] { return member->condition().node == "a"; }));
  redis.signal(SIGSTOP);
  const std::weak_ptr<Member> ending = member;
  std::thread end([&] { member.reset(); });
  ASSERT_TRUE(eventually([&] { return ending.expired(); }));
  const std::shared_ptr<Member> next = *Member::join(group, address, "a");
  EXPECT_TRUE(Machine::here().hold(address.shown() + " a").has_value());
  end.join();
  redis.signal(SIGCONT);
  EXPECT_TRUE(eventually([&] { return next->condition().node == "a"; })) << next->condition().node;
}

// The first round, which reports a fault once, may end before anyone listens.
TEST(FleetMember, ReportsWhatHappenedBeforeAnyoneListened) {
  struct Listening final : Member::Listener {
    void fleet_warning(const Error& error) noexcept override { warnings.push_back(error.message); }
    void fleet_info(const std::string&) noexcept override {}
    void fleet_changed(const Condition&) noexcept override {}
    std::vector<std::string> warnings;
  } first, second;
  const Redis redis({}, "right");
  Address address = redis.address();
  address.password = "wrong";
  const auto member = *Member::join(*prior::PriorGroup::join("early", "model"), address, "a");
  ASSERT_TRUE(eventually([&] { return member->condition().traffic.operations > 0; }));  // the round is over
  member->attach(first);
  member->attach(second);
  member->detach(first);
  member->detach(second);
  ASSERT_EQ(first.warnings.size(), 1U);
  EXPECT_NE(first.warnings[0].find("refused the user or the password"), std::string::npos) << first.warnings[0];
  EXPECT_TRUE(second.warnings.empty());
}

// A process that was killed between writing its value and its entry: the value is newer than the entry says.
TEST(FleetMember, ReadsAValueThatIsNewerThanItsEntryOnce) {
  const Redis redis;
  Camera a, b;
  a.learn(10, 1);
  b.learn(10, 2);
  Address patient = redis.address();
  patient.interval = 10min;
  a.start(patient, "a");
  b.start(patient, "b");
  rounds({&a, &b});
  const Reply entry = redis.call({"HGET", index_key("cams"), "b"});
  b.learn(10, 3);
  rounds({&b}, 1);
  ASSERT_NE(redis.call({"HGET", index_key("cams"), "b"}).text, entry.text);
  b.node.reset();
  redis.call({"HSET", index_key("cams"), "b", entry.text});
  redis.call({"HSET", index_key("cams"), "a", to_text({{std::string(32, 'f'), 1}, 0, 1, true})});
  Camera late;
  late.learn(1, 4);
  late.start(patient, "late");
  rounds({&late}, 2);
  EXPECT_NEAR(late.learnt->samples(), 21, 1e-4);
  const std::uint64_t before = late.node->traffic().operations;
  rounds({&late}, 3);
  EXPECT_EQ(late.node->traffic().operations - before, 6U);  // TIME and HGETALL
}

// A server behind a slow line takes 64 KiB in 50 ms: in all longer than anyone waits for an answer.
TEST(FleetConnection, WaitsForALargeValueOnASlowLine) {
  const std::string value(std::size_t{4} << 20, 'x');
  const std::string head = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$" + std::to_string(value.size()) + "\r\n";
  const std::size_t all = head.size() + value.size() + 2;
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int little = 64 << 10;
  ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(fd, 1), 0);
  socklen_t size = sizeof(address);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  std::thread server([&] {
    const int client = ::accept(fd, nullptr, nullptr);
    std::vector<char> piece(64 << 10);
    for (std::size_t got = 0; got < all;) {
      std::this_thread::sleep_for(50ms);
      const ssize_t count = ::read(client, piece.data(), piece.size());
      if (count <= 0) break;
      got += static_cast<std::size_t>(count);
    }
    const std::string answer = "+OK\r\n";
    [[maybe_unused]] const ssize_t written = ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
    ::close(client);
  });
  Stop never;
  Traffic traffic;
  Address to;
  to.host = "127.0.0.1";
  to.port = ntohs(address.sin_port);
  const auto connection = Connection::open(to, {to.host, to.port}, never, traffic);
  ASSERT_TRUE(connection) << connection.error().message;
  const auto begun = std::chrono::steady_clock::now();
  const auto reply = (*connection)->call({"SET", "k", value});
  server.join();
  ::close(fd);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->text, "OK");
  EXPECT_GT(std::chrono::steady_clock::now() - begun, Connection::kPatience);
}

}  // namespace
}  // namespace bcp::fleet
