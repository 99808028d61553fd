// SPDX-License-Identifier: LGPL-2.1-or-later
// bcptagger in a live pipeline while the worker of its model is busy with another stream.

#include <atomic>
#include <thread>

#include "async_support.hpp"
#include "gate.hpp"

namespace bcp::test {
namespace {

// Two streams of one model; the worker is blocked in a frame of the first while the second continues.
struct BesideABusyStream : testing::Test {
  BesideABusyStream() {
    busy.caps(rgb_caps());
    tagger.caps(rgb_caps());
    busy.push(gate.frame(kBlue, 0));
    gate.await_reader();
  }

  Gate gate;
  Tagger busy{"mode=async model-instance-id=busy"}, tagger{"mode=async model-instance-id=busy post-messages=results"};
};

TEST_F(BesideABusyStream, TheNewestFrameIsScored) {
  const Colour colours[] = {kRed, kRed, kRed, kGreen};
  for (int i = 0; i < 4; ++i) tagger.push(frame(colours[i], at(i)));
  gate.open();
  await_scored(tagger, 1);
  const auto out = tagger.push(frame(kRed, at(4)));
  EXPECT_EQ(best(out.get()), "green");
  EXPECT_EQ(gst_bcp_result_get_pts(meta_of(out)->result), at(3));
}

TEST_F(BesideABusyStream, NoMoreThanOneFrameIsHeld) {
  std::atomic<int> alive = 0;
  for (int i = 0; i < 10; ++i) {
    gst::BufferPtr buffer = frame(kRed, at(i));
    ++alive;
    gst_mini_object_weak_ref(
        GST_MINI_OBJECT(buffer.get()), [](gpointer count, GstMiniObject*) { --*static_cast<std::atomic<int>*>(count); },
        &alive);
    tagger.push(std::move(buffer));
    EXPECT_EQ(alive, 1);
  }
  gate.open();
  await_scored(tagger, 1);
  EXPECT_EQ(alive, 0);
}

TEST_F(BesideABusyStream, AFlushReleasesTheQueuedFrame) {
  tagger.push(frame(kRed, 0));
  flush(tagger);
  tagger.push(frame(kGreen, at(1)));
  gate.open();
  await_scored(tagger, 1);
  EXPECT_EQ(best(tagger.push(frame(kGreen, at(2))).get()), "green");
}

TEST_F(BesideABusyStream, AFrameOfASmallPoolIsCopied) {
  GstBufferPool* pool = gst_buffer_pool_new();
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst::CapsPtr caps(gst_caps_from_string(rgb_caps().c_str()));
  gst_buffer_pool_config_set_params(config, caps.get(), 64 * 48 * 3, 2, 2);
  gst_buffer_pool_set_config(pool, config);
  gst_buffer_pool_set_active(pool, TRUE);
  for (int i = 0; i < 6; ++i) {
    GstBuffer* buffers[2] = {};
    GstBufferPoolAcquireParams params{};
    params.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT;
    for (GstBuffer*& buffer : buffers) ASSERT_EQ(gst_buffer_pool_acquire_buffer(pool, &buffer, &params), GST_FLOW_OK);
    gst_buffer_unref(buffers[1]);
    gst_buffer_memset(buffers[0], 0, 255, 64 * 48 * 3);
    GST_BUFFER_PTS(buffers[0]) = at(i);
    tagger.push(gst::BufferPtr(buffers[0]));
  }
  gate.open();
  await_scored(tagger, 1);
  EXPECT_EQ(gst_bcp_result_get_pts(meta_of(tagger.push(frame(kRed, at(6))))->result), 0u);  // one copy, of the first
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}

TEST_F(BesideABusyStream, AStreamThatEndsWithoutAResultWaitsForOne) {
  tagger.push(frame(kRed, 0));
  std::thread opener([this] {
    g_usleep(20'000);
    gate.open();
  });
  tagger.event(gst_event_new_eos());
  EXPECT_EQ(tagger.stat<int>("scored"), 1);
  opener.join();
}

}  // namespace
}  // namespace bcp::test
