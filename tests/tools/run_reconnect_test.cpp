// SPDX-License-Identifier: LGPL-2.1-or-later
// When a camera counts as lost, and when it is tried again.
#include <gtest/gtest.h>

#include <optional>

#include "gst-bcp/run/camera/reconnect.hpp"

namespace bcp::cli::run {
namespace {

using namespace std::chrono_literals;
using Step = Reconnect::Step;

// A Reconnect and a simulated clock.
struct Camera {
  explicit Camera(Reconnect::Rules rules = {}) : clockwork(rules, now) {}

  // Lets time pass in steps of a tenth of a second, until a step is due or `longest` is over.
  Step wait(Reconnect::Duration longest) {
    for (const Reconnect::Time end = now + longest; now < end;) {
      now += 100ms;
      if (const Step step = clockwork.tick(now); step != Step::kNone) return step;
    }
    return Step::kNone;
  }
  void stream(int frames, Reconnect::Duration interval) {
    for (int i = 0; i < frames; ++i) {
      now += interval;
      clockwork.frame(now);
    }
  }
  // The seconds until the next connection, and opens it.
  double reopen() {
    const Reconnect::Time start = now;
    EXPECT_EQ(wait(60s), Step::kOpen);
    clockwork.opened(now);
    return std::chrono::duration<double>(now - start).count();
  }

  Reconnect::Time now{1000s};
  Reconnect clockwork;
};

TEST(Reconnect, GivesUpACameraThatWasNeverThere) {
  Camera camera;
  EXPECT_EQ(camera.clockwork.failed(camera.now), Step::kGiveUp);
  EXPECT_EQ(camera.wait(60s), Step::kNone);
}

TEST(Reconnect, GivesAFirstConnectionFifteenSeconds) {
  Camera camera;
  EXPECT_EQ(camera.wait(14s), Step::kNone);
  EXPECT_EQ(camera.wait(2s), Step::kGiveUp);
}

TEST(Reconnect, WaitsForACameraThatIsUnreachableAtStart) {
  Camera camera({.wait = true});
  EXPECT_EQ(camera.clockwork.failed(camera.now), Step::kRetry);
  camera.reopen();
  EXPECT_EQ(camera.clockwork.frame(camera.now), camera.now - Reconnect::Time(1000s));
  EXPECT_TRUE(camera.clockwork.is_streaming());
}

TEST(Reconnect, TreatsSilenceAsALoss) {
  Camera camera;
  camera.stream(10, 100ms);
  EXPECT_EQ(camera.wait(2900ms), Step::kNone);
  EXPECT_EQ(camera.wait(300ms), Step::kRetry);
}

TEST(Reconnect, WaitsLongerForACameraOfFewFrames) {
  Camera camera;
  camera.stream(5, 2s);
  EXPECT_EQ(camera.wait(7500ms), Step::kNone);
  EXPECT_EQ(camera.wait(1s), Step::kRetry);
}

TEST(Reconnect, WaitsLongerAfterEachFailureButNeverMoreThanTwoSeconds) {
  Camera camera;
  camera.stream(1, 100ms);
  for (const double seconds : {0.5, 1.0, 2.0, 2.0, 2.0}) {
    EXPECT_EQ(camera.clockwork.failed(camera.now), Step::kRetry);
    EXPECT_NEAR(camera.reopen(), seconds, 0.11);
  }
  camera.stream(1, 100ms);
  EXPECT_EQ(camera.clockwork.failed(camera.now), Step::kRetry);
  EXPECT_NEAR(camera.reopen(), 0.5, 0.11) << "a connection that worked does not start again at the beginning";
}

TEST(Reconnect, ClosesAHangingConnectionAndRetriesAtOnce) {
  Camera camera;
  camera.stream(1, 100ms);
  camera.clockwork.failed(camera.now);
  camera.reopen();
  const Reconnect::Time opened = camera.now;
  EXPECT_EQ(camera.wait(60s), Step::kRetry);
  EXPECT_LE(camera.now - opened, 2700ms);
  EXPECT_LE(camera.reopen(), 0.11);
}

TEST(Reconnect, KeepsAConnectionThatDeliversData) {
  Camera camera;
  camera.stream(1, 100ms);
  camera.clockwork.failed(camera.now);
  camera.reopen();
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(camera.wait(2s), Step::kNone);
    camera.clockwork.alive(camera.now);
  }
  EXPECT_EQ(camera.wait(4s), Step::kRetry) << "packets without a picture are waited for without end";
}

TEST(Reconnect, IsBackWithinFiveSecondsInEveryState) {
  Camera camera;
  camera.stream(1, 100ms);
  camera.clockwork.failed(camera.now);
  for (int attempt = 0; attempt < 6; ++attempt) {
    const Reconnect::Time returned = camera.now;  // and the new connection hangs for ever
    camera.reopen();
    EXPECT_EQ(camera.wait(60s), Step::kRetry);
    camera.reopen();
    EXPECT_LT(camera.now - returned, 4800ms) << attempt;
    camera.clockwork.failed(camera.now);
  }
}

TEST(Reconnect, LearnsThatACameraHasAFrameInFiveSeconds) {
  Camera camera;
  camera.clockwork.frame(camera.now);
  EXPECT_EQ(camera.wait(5s), Step::kRetry) << "it is not yet known to be slow";
  camera.reopen();
  for (int frame = 0; frame < 4; ++frame) {
    EXPECT_EQ(camera.wait(5s), Step::kNone) << frame;
    camera.clockwork.frame(camera.now);
  }
  camera.clockwork.failed(camera.now);
  camera.reopen();
  EXPECT_EQ(camera.wait(5s), Step::kNone) << "it is known";
}

TEST(Reconnect, ReportsTheLengthOfTheOutage) {
  Camera camera;
  EXPECT_EQ(camera.clockwork.frame(camera.now), Reconnect::Duration::zero());
  EXPECT_EQ(camera.clockwork.frame(camera.now), std::nullopt);
  camera.clockwork.failed(camera.now);
  const Reconnect::Time lost = camera.now;
  EXPECT_EQ(camera.clockwork.lost_since(), lost);
  camera.reopen();
  camera.clockwork.failed(camera.now);
  camera.reopen();
  EXPECT_EQ(camera.clockwork.frame(camera.now), camera.now - lost);
  EXPECT_EQ(camera.clockwork.lost_since(), std::nullopt);
}

TEST(Reconnect, GivesUpWhenItsTimeIsOver) {
  Camera camera({.retry_for = 10s});
  camera.stream(1, 100ms);
  const Reconnect::Time lost = camera.now;
  camera.clockwork.failed(camera.now);
  Step step = Step::kNone;
  while ((step = camera.wait(60s)) == Step::kOpen) {
    camera.clockwork.opened(camera.now);
    step = camera.clockwork.failed(camera.now);
    if (step == Step::kGiveUp) break;
  }
  EXPECT_EQ(step, Step::kGiveUp);
  EXPECT_GE(camera.now - lost, 10s);
  EXPECT_LE(camera.now - lost, 12s);
}

TEST(Reconnect, NeverRetriesWithARetryTimeOfZero) {
  Camera camera({.retry_for = 0s});
  camera.stream(1, 100ms);
  EXPECT_EQ(camera.clockwork.failed(camera.now), Step::kGiveUp);
}

}  // namespace
}  // namespace bcp::cli::run
