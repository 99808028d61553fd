// SPDX-License-Identifier: LGPL-2.1-or-later
// What a service manager receives, by the protocol of sd_notify(3).
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>

#include "common/temporary.hpp"
#include "gst-bcp/run/service_watch.hpp"

namespace bcp::cli::run {
namespace {

using test::EnvironmentVariable;

// The manager's end of the socket.
class Manager {
 public:
  explicit Manager(const std::string& name) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), size), 0) << std::strerror(errno);
  }
  Manager(const Manager&) = delete;
  ~Manager() { ::close(fd_); }

  // The next datagram; empty: none.
  std::string next() const {
    std::array<char, 1024> bytes{};
    const ssize_t count = ::recv(fd_, bytes.data(), bytes.size(), 0);
    return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : "";
  }

 private:
  int fd_;
};

TEST(RunService, SendsEachStateAsADatagram) {
  const test::TemporaryDirectory folder;
  const Manager manager(folder / "notify");
  const EnvironmentVariable socket("NOTIFY_SOCKET", folder / "notify"), none("WATCHDOG_USEC", "");
  Service service;
  ASSERT_TRUE(service.exists());
  EXPECT_FALSE(service.interval());
  service.ready();
  EXPECT_EQ(manager.next(), "READY=1");
  service.reloading();
  const std::string reloading = manager.next();
  EXPECT_TRUE(reloading.starts_with("RELOADING=1\nMONOTONIC_USEC=")) << reloading;
  EXPECT_GT(std::stoll(reloading.substr(reloading.rfind('=') + 1)), 0);
  service.status("2 inputs");
  service.status("2 inputs");
  service.status("1 input");
  EXPECT_EQ(manager.next(), "STATUS=2 inputs");
  EXPECT_EQ(manager.next(), "STATUS=1 input") << "a status that has not changed was sent again";
  service.alive();
  EXPECT_EQ(manager.next(), "WATCHDOG=1");
  service.stopping();
  EXPECT_EQ(manager.next(), "STOPPING=1");
}

TEST(RunService, FindsAnAbstractSocket) {
  const std::string name = "@bcp-test-" + std::to_string(::getpid());
  const Manager manager(name);
  const EnvironmentVariable socket("NOTIFY_SOCKET", name);
  Service().ready();
  EXPECT_EQ(manager.next(), "READY=1");
}

TEST(RunService, SendsNothingWithoutAManager) {
  for (const char* path : {"", "relative", "vsock:2:1"}) {
    const EnvironmentVariable socket("NOTIFY_SOCKET", path);
    Service service;
    EXPECT_FALSE(service.exists()) << path;
    service.ready();
  }
  const EnvironmentVariable socket("NOTIFY_SOCKET", "/" + std::string(200, 'x'));
  EXPECT_FALSE(Service().exists());
}

TEST(RunService, NeverWaitsForAManagerThatDoesNotRead) {
  const test::TemporaryDirectory folder;
  const Manager manager(folder / "notify");
  const EnvironmentVariable socket("NOTIFY_SOCKET", folder / "notify");
  Service service;
  for (int i = 0; i < 10000; ++i) service.alive();
}

TEST(RunService, IsWatchedAtAThirdOfTheTimeIfItIsTheWatchedProcess) {
  const EnvironmentVariable socket("NOTIFY_SOCKET", "/nowhere"), time("WATCHDOG_USEC", "3000000");
  {
    const EnvironmentVariable mine("WATCHDOG_PID", std::to_string(::getpid()));
    ASSERT_TRUE(Service().interval());
    EXPECT_EQ(Service().interval()->count(), 1000);
  }
  const EnvironmentVariable other("WATCHDOG_PID", std::to_string(::getpid() + 1));
  EXPECT_FALSE(Service().interval());
}

TEST(RunPulse, FindsAnInputThatIsConnectedAndDeliversNothing) {
  Pulse pulse;
  const Pulse::Clock::time_point start{};
  const auto at = [&](int seconds) { return start + std::chrono::seconds(seconds); };
  pulse.note("door", true, 10, at(0));
  pulse.note("yard", true, 5, at(0));
  pulse.note("door", true, 11, at(50));
  pulse.note("yard", true, 5, at(50));
  EXPECT_EQ(pulse.stuck(at(60)), "");
  EXPECT_EQ(pulse.stuck(at(61)), "yard");
  // A lost camera is being reconnected.
  pulse.note("yard", false, 5, at(61));
  EXPECT_EQ(pulse.stuck(at(100)), "");
  pulse.forget("door");
  EXPECT_EQ(pulse.stuck(at(119)), "");
  pulse.note("yard", true, 5, at(119));
  EXPECT_EQ(pulse.stuck(at(122)), "yard");
}

TEST(RunServiceWatch, ReportsTheInputsAndGivesSignsOfLife) {
  const test::TemporaryDirectory folder;
  const Manager manager(folder / "notify");
  const EnvironmentVariable socket("NOTIFY_SOCKET", folder / "notify"), time("WATCHDOG_USEC", "30000"),
      mine("WATCHDOG_PID", std::to_string(::getpid()));
  ServiceWatch watch;
  watch.ready();
  EXPECT_EQ(manager.next(), "READY=1");
  EXPECT_EQ(manager.next(), "WATCHDOG=1");
  Standing there;
  there.running = true;
  Standing lost = there;
  lost.outage = 3;
  watch.note("door", there, false);
  watch.note("yard", lost, false);
  watch.report();
  EXPECT_EQ(manager.next(), "STATUS=2 inputs, 1 not connected");
  watch.forget("yard");
  watch.report();
  EXPECT_EQ(manager.next(), "STATUS=1 input");
  while (manager.next() != "WATCHDOG=1") g_main_context_iteration(nullptr, TRUE);
}

}  // namespace
}  // namespace bcp::cli::run
