// SPDX-License-Identifier: LGPL-2.1-or-later
// An ImageWorker whose encoder batches across streams, as on CUDA.
#include <gtest/gtest.h>

#include "clip/image_worker.hpp"
#include "clip_worker_clients.hpp"

namespace bcp::clip {
namespace {

using namespace std::chrono_literals;
using test::Gate;
using test::GreyStream;
using test::Joined;
using test::Journal;
using test::toy;

// A worker that waits this long to fill a batch; a bundle whose tower gives NaN for a white picture.
struct Batches {
  explicit Batches(Batching::Duration patience, const std::string& bundle = "toy-nan-when-bright")
      : model(toy(bundle)), encoder(model->encoder(), Batching{true, patience}), worker(encoder) {}

  // A turn together with a client that leaves afterwards: then a and b are active streams, and the worker sleeps. Six
  // letters. REQUIRES: a and b have joined, and there were no offers.
  void make_active() {
    GreyStream last(journal, 'z');
    ASSERT_TRUE(worker.join(last));
    {
      const Gate gate(worker);
      for (GreyStream* each : {&a, &b, &last}) worker.offer(*each);
    }
    EXPECT_EQ(journal.wait(6), "ABZabz");
    worker.leave(last);
  }

  const std::shared_ptr<Model> model;
  SharedEncoder encoder;
  ImageWorker worker;
  Journal journal;
  GreyStream a{journal, 'a'}, b{journal, 'b'}, c{journal, 'c'};
};

constexpr auto kForEver = 24h;  // longer than any test may take

TEST(WorkerBatch, EncodesSimultaneousTurnsInOneRun) {
  Batches some(0ms);
  const Joined joined(some.worker, {&some.a, &some.b, &some.c});
  {
    const Gate gate(some.worker);
    for (GreyStream* each : {&some.b, &some.a, &some.c}) some.worker.offer(*each);
  }
  EXPECT_EQ(some.journal.wait(6), "ABCabc");
  EXPECT_EQ(some.encoder.runs(), 1u);
  EXPECT_EQ(some.a.embeddings(), some.c.embeddings());
}

TEST(WorkerBatch, RunsOneByOneIfTheTowerTakesNoBatches) {
  Batches some(kForEver, "toy-fixed");
  const Joined joined(some.worker, {&some.a, &some.b, &some.c});
  for (std::size_t round = 0; round < 2; ++round) {  // in the second all are known to be active
    {
      const Gate gate(some.worker);
      for (GreyStream* each : {&some.b, &some.a, &some.c}) some.worker.offer(*each);
    }
    EXPECT_EQ(some.journal.wait(6 * round + 6).substr(6 * round), "AaBbCc");
  }
  some.worker.offer(some.a);
  EXPECT_EQ(some.journal.wait(14).substr(12), "Aa");
}

TEST(WorkerBatch, SplitsTooManyRequestsAndKeepsTheirOrder) {
  Batches some(0ms);
  GreyStream many(some.journal, 'm', 12), few(some.journal, 'f', 4), regions(some.journal, 'r', 20);
  const Joined joined(some.worker, {&many, &some.a, &some.b, &few, &regions});
  std::size_t before = 0;
  for (const std::string order : {"", "MABmabFf", "Rr"}) {
    {
      const Gate gate(some.worker);
      if (order != "Rr")
        for (GreyStream* each : {&many, &some.a, &some.b, &few}) some.worker.offer(*each);
      some.worker.offer(regions);
    }
    // At first the number of pictures of a stream is unknown.
    const std::size_t length = order == "Rr" ? 2 : 10;
    const std::string text = some.journal.wait(before + length).substr(before);
    before += length;
    EXPECT_EQ(text.substr(0, order.size()), order);
  }
  EXPECT_EQ(many.faults + few.faults + regions.faults, 0);
}

TEST(WorkerBatch, ReportsAnErrorOnlyToItsOwnStream) {
  Batches some(0ms);
  GreyStream white(some.journal, 'w', 1, 1.0f);
  const Joined joined(some.worker, {&some.a, &white, &some.b});
  {
    const Gate gate(some.worker);
    for (GreyStream* each : {&some.a, &white, &some.b}) some.worker.offer(*each);
  }
  EXPECT_EQ(some.journal.wait(6), "AWBawb");
  EXPECT_EQ(white.faults, 1);
  EXPECT_EQ(some.a.faults + some.b.faults, 0);
  EXPECT_EQ(some.a.embeddings(), some.b.embeddings());
}

TEST(WorkerBatch, SkipsAStreamWithNothingToEncode) {
  Batches some(0ms);
  some.b.has_none = true;
  const Joined joined(some.worker, {&some.a, &some.b, &some.c});
  {
    const Gate gate(some.worker);
    for (GreyStream* each : {&some.a, &some.b, &some.c}) some.worker.offer(*each);
  }
  EXPECT_EQ(some.journal.wait(5), "ABCac");
  EXPECT_EQ(some.b.turns, 0);
}

TEST(WorkerBatch, WaitsForAnActiveStreamThatIsAboutToOffer) {
  // A client that has not offered for a second is not waited for, so retry on a machine that stalled.
  bool together = false;
  for (int attempt = 0; attempt < 20 && !together; ++attempt) {
    Batches some(kForEver);
    const Joined joined(some.worker, {&some.a, &some.b});
    some.make_active();
    some.worker.offer(some.a);
    some.worker.offer(some.b);
    together = some.journal.wait(10).substr(6) == "ABab";
  }
  EXPECT_TRUE(together);
}

TEST(WorkerBatch, WaitsNoLongerThanItsPatience) {
  Batches some(1ms);
  const Joined joined(some.worker, {&some.a, &some.b});
  some.make_active();
  some.worker.offer(some.a);  // and b, which is expected to offer, never does
  EXPECT_EQ(some.journal.wait(8).substr(6), "Aa");
}

TEST(WorkerBatch, DoesNotWaitForAStreamThatNeverOffered) {
  Batches some(kForEver);
  const Joined joined(some.worker, {&some.a, &some.b});
  some.worker.offer(some.a);
  EXPECT_EQ(some.journal.wait(2), "Aa");
}

TEST(WorkerBatch, DoesNotWaitForAStreamThatHasLeft) {
  Batches some(kForEver);
  const Joined joined(some.worker, {&some.a});
  ASSERT_TRUE(some.worker.join(some.b));
  some.make_active();
  some.worker.offer(some.a);
  some.worker.leave(some.b);
  EXPECT_EQ(some.journal.wait(8).substr(6), "Aa");
}

TEST(WorkerBatch, LetsAWaitingStreamLeave) {
  Batches some(kForEver);
  ASSERT_TRUE(some.worker.join(some.a));
  const Joined joined(some.worker, {&some.b});
  some.make_active();
  some.worker.offer(some.a);
  some.worker.leave(some.a);
  some.worker.offer(some.b);
  const std::string text = some.journal.wait(8);
  EXPECT_EQ(text.substr(text.size() - 2), "Bb");
}

TEST(WorkerBatch, WaitsAtMostOncePerOffer) {
  Batches some(kForEver);
  const Joined joined(some.worker, {&some.a, &some.b});
  Gate gate(some.worker);
  some.worker.offer(some.a);
  some.worker.offer(some.b);
  gate.open();
  EXPECT_EQ(some.journal.wait(4), "ABab") << "the gate's stream is active, and has not offered";
}

}  // namespace
}  // namespace bcp::clip
