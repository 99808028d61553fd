// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/worker.hpp"

#include <glib.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace bcp::cli {
namespace {

using namespace std::chrono_literals;

// Runs the default main loop until `done`; the test runner ends a test that waits for ever.
template <typename Condition>
void iterate_until(Condition done) {
  while (!done()) g_main_context_iteration(nullptr, TRUE);
}

TEST(Worker, DoesItsWorkInOrderBesideTheMainThreadAndReportsToIt) {
  Worker worker;
  std::vector<std::string> reported;
  const std::thread::id here = std::this_thread::get_id();
  for (const char* name : {"first", "second", "third"})
    worker.add(
        [here, name](const std::stop_token&) -> Status {
          EXPECT_NE(std::this_thread::get_id(), here);
          return Error{ErrorCode::kRuntime, name};
        },
        [&, here](const Status& status) {
          EXPECT_EQ(std::this_thread::get_id(), here);
          reported.push_back(status.error().message);
        });
  iterate_until([&] { return reported.size() == 3; });
  EXPECT_EQ(reported, (std::vector<std::string>{"first", "second", "third"}));
}

TEST(Worker, AsksWorkInProgressAndWaitingToStop) {
  Worker worker;
  std::atomic<bool> begun = false;
  int reported = 0;
  const Worker::Work work = [&begun](const std::stop_token& stop) {
    begun = true;
    while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
    return ok();
  };
  for (int i = 0; i < 2; ++i) worker.add(work, [&](const Status&) { ++reported; });
  while (!begun) std::this_thread::sleep_for(1ms);
  worker.stop();
  iterate_until([&] { return reported == 2; });
}

TEST(Worker, ReportsNothingOnceItIsGone) {
  auto worker = std::make_unique<Worker>();
  std::atomic<int> begun = 0;
  bool reported = false;
  const Worker::Done report = [&reported](const Status&) { reported = true; };
  worker->add([&begun](const std::stop_token&) { return ++begun, ok(); }, report);
  while (begun < 1) std::this_thread::sleep_for(1ms);
  worker->add(
      [&begun](const std::stop_token& stop) {
        ++begun;
        while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
        return ok();
      },
      report);
  while (begun < 2) std::this_thread::sleep_for(1ms);  // the report of the first is on its way
  worker.reset();
  while (g_main_context_iteration(nullptr, FALSE)) {
  }
  EXPECT_FALSE(reported);
}

}  // namespace
}  // namespace bcp::cli
