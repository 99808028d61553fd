// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/image_worker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "clip_worker_clients.hpp"

namespace bcp::clip {
namespace {

using namespace std::chrono_literals;
using test::Event;
using test::Gate;
using test::GreyStream;
using test::Joined;
using test::Journal;
using test::toy;

// Threads of this process that belong to a worker.
int workers() {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    count += name == "bcp-images";
  }
  return count;
}

class ImageWorkerTest : public testing::Test {
 protected:
  const std::shared_ptr<Model> model = toy("toy");
  ImageWorker& worker = model->worker();
  Journal journal;
  GreyStream a{journal, 'a'}, b{journal, 'b'}, c{journal, 'c'};
};

TEST_F(ImageWorkerTest, GivesTheEmbeddingsOfTheTower) {
  std::vector<float> expected(test::kToyWidth);
  ASSERT_TRUE(model->images().encode(std::vector<float>(test::kToyPicture, 0.5f), 1, expected));
  {
    const Joined joined(worker, {&a});
    worker.offer(a);
    EXPECT_EQ(journal.wait(2), "Aa");
  }
  EXPECT_EQ(a.embeddings(), expected);
  EXPECT_EQ(a.faults, 0);
}

TEST_F(ImageWorkerTest, ServesTheLongestWaitingStreamFirst) {
  const Joined joined(worker, {&a, &b, &c});
  worker.offer(a);
  journal.wait(2);
  // For any order and number of offers.
  {
    const Gate gate(worker);
    for (GreyStream* each : {&a, &c, &a, &b, &c, &a}) worker.offer(*each);
  }
  EXPECT_EQ(journal.wait(8), "AaBbCcAa");
  {
    const Gate gate(worker);
    worker.offer(c);
    worker.offer(b);
  }
  EXPECT_EQ(journal.wait(12).substr(8), "BbCc");
}

// Cameras often run in step. In the order of offers, a would have a turn for each of its frames, b and c one for every
// other.
TEST_F(ImageWorkerTest, GivesCamerasInStepEqualTurns) {
  const std::vector<GreyStream*> streams{&a, &b, &c};
  constexpr int kTurn = 3, kFrame = 6, kTurns = 200;
  int time = 0;
  Event enough;
  const auto pass = [&] {
    if (time == kTurns * kTurn) return;  // earlier offers are still served
    for (const int end = time + kTurn; time < end; ++time)
      for (int phase = 0; phase < 3; ++phase)
        if (time % kFrame == phase) worker.offer(*streams[static_cast<std::size_t>(phase)]);
    if (time == kTurns * kTurn) enough.set();
  };
  for (GreyStream* each : streams) each->on_done = pass;
  {
    const Joined joined(worker, streams);
    {
      const Gate gate(worker);
      for (GreyStream* each : streams) worker.offer(*each);
    }
    ASSERT_TRUE(enough.wait());
  }
  EXPECT_NEAR(b.turns, a.turns, 2);
  EXPECT_NEAR(c.turns, a.turns, 2);
}

TEST_F(ImageWorkerTest, TreatsAnOfferDuringATurnAsTheNextOne) {
  a.on_prepare = [&] {
    if (a.turns == 0) worker.offer(a);
  };
  const Joined joined(worker, {&a, &b});
  {
    const Gate gate(worker);
    worker.offer(a);
    worker.offer(b);
  }
  EXPECT_EQ(journal.wait(6), "AaBbAa");
}

TEST_F(ImageWorkerTest, ServesAllStreamsWhileOneAlwaysOffers) {
  // a always has an offer; b and c offer sometimes, during its turns.
  int turn = 0, b_offered = 0, c_offered = 0, served = 0;
  Event enough;
  a.on_prepare = [&] {
    worker.offer(a);
    ++turn;
    if (turn % 7 == 0) {
      worker.offer(b);
      b_offered = turn;
    }
    if (turn % 5 == 0) {
      worker.offer(c);
      c_offered = turn;
    }
    if (turn == 140) enough.set();
  };
  const auto check = [&](int offered) {
    EXPECT_EQ(turn, offered) << "a had another turn since the offer";
    ++served;
  };
  b.on_prepare = [&] { check(b_offered); };
  c.on_prepare = [&] { check(c_offered); };
  {
    const Joined joined(worker, {&a, &b, &c});
    worker.offer(a);
    ASSERT_TRUE(enough.wait());
  }
  EXPECT_GE(served, 139 / 7 + 139 / 5);
}

TEST_F(ImageWorkerTest, GivesStreamsWithManyPicturesEqualTurns) {
  GreyStream tiles(journal, 'd', 2), regions(journal, 'e', 17);
  std::vector<GreyStream*> streams{&a, &tiles, &b, &regions, &c};
  Event enough;
  for (GreyStream* each : streams) {
    each->on_done = [&, each] {
      worker.offer(*each);
      if (each->turns == 60) enough.set();
    };
  }
  {
    const Joined joined(worker, streams);
    {
      const Gate gate(worker);
      for (GreyStream* each : streams) worker.offer(*each);
    }
    ASSERT_TRUE(enough.wait());
  }
  const auto [least, most] =
      std::minmax_element(streams.begin(), streams.end(),
                          [](const GreyStream* one, const GreyStream* two) { return one->turns < two->turns; });
  EXPECT_GE((*least)->turns, 59);
  EXPECT_EQ(a.faults + b.faults + c.faults + tiles.faults + regions.faults, 0);
  EXPECT_GE((*most)->turns, 60);
}

TEST_F(ImageWorkerTest, ContinuesWhenAStreamHasNothingToEncode) {
  a.has_none = true;
  const Joined joined(worker, {&a, &b});
  {
    const Gate gate(worker);
    worker.offer(a);
    worker.offer(b);
  }
  EXPECT_EQ(journal.wait(3), "ABb");
  EXPECT_EQ(a.turns, 0);
}

TEST_F(ImageWorkerTest, LetsAStreamLeaveAfterItsTurn) {
  Event entered, opened;
  std::atomic<bool> left = false;
  a.on_prepare = [&] {
    entered.set();
    opened.wait();
  };
  a.on_done = [&] {
    EXPECT_FALSE(left);
    worker.offer(a);  // too late, or dropped
  };
  ASSERT_TRUE(worker.join(a));
  worker.offer(a);
  ASSERT_TRUE(entered.wait());
  std::thread leaver([&] {
    worker.leave(a);
    left = true;
  });
  opened.set();
  leaver.join();
  const int turns = a.turns;
  EXPECT_GE(turns, 1);
  const Joined joined(worker, {&b});
  worker.offer(b);
  journal.wait(2 * static_cast<std::size_t>(turns) + 2);
  EXPECT_EQ(a.turns, turns);
}

TEST_F(ImageWorkerTest, LetsOthersComeAndGoWhileItRuns) {
  const Joined joined(worker, {&c});
  {
    const Gate gate(worker);  // these return during a turn
    ASSERT_TRUE(worker.join(a));
    ASSERT_TRUE(worker.join(b));
    worker.offer(a);
    worker.offer(b);
    worker.offer(c);
    worker.leave(a);
    worker.leave(b);
    ASSERT_TRUE(worker.join(b));
  }
  EXPECT_EQ(journal.wait(2), "Cc");
  worker.leave(b);
}

TEST_F(ImageWorkerTest, HasAThreadOnlyWhileAStreamIsJoined) {
  EXPECT_EQ(workers(), 0);
  for (std::size_t round = 1; round <= 3; ++round) {
    {
      const Joined joined(worker, {&a, &b});
      worker.offer(a);
      journal.wait(2 * round);
      EXPECT_EQ(workers(), 1);
    }
    for (int i = 0; i < 60'000 && workers() > 0; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_EQ(workers(), 0);
  }
}

TEST_F(ImageWorkerTest, TakesStreamsThatComeAndGoFromManyThreads) {
  std::vector<float> expected(test::kToyWidth);
  ASSERT_TRUE(model->images().encode(std::vector<float>(test::kToyPicture, 0.5f), 1, expected));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int round = 0; round < 100; ++round) {
        Journal own;
        GreyStream stream(own, 'a', 1 + thread % 2);
        Event served;
        stream.on_done = [&] {
          served.set();
          worker.offer(stream);
        };
        ASSERT_TRUE(worker.join(stream));
        worker.offer(stream);
        if (round % 3 > 0) {
          EXPECT_TRUE(served.wait());
        }
        worker.leave(stream);
        EXPECT_EQ(stream.faults, 0);
        if (stream.turns > 0) {
          EXPECT_NEAR(stream.embeddings().front(), expected.front(), 1e-5);
        }
      }
    });
  }
  // One that waits for the model itself, which streams may also do.
  std::vector<float> embedding(test::kToyWidth);
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(model->images().encode(std::vector<float>(test::kToyPicture, 0.5f), 1, embedding));
  for (std::thread& each : threads) each.join();
  EXPECT_NEAR(embedding.front(), expected.front(), 1e-5);
}

}  // namespace
}  // namespace bcp::clip
