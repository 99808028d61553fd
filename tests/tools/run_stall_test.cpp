// SPDX-License-Identifier: LGPL-2.1-or-later
// When an input counts as stalled.
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "gst-bcp/run/pipeline/stall.hpp"
#include "gst-bcp/run/plan/recipe.hpp"

namespace bcp::cli::run {
namespace {

constexpr unsigned kLongest = 3;

// Pictures go from an appsrc through the watched elements.
class RunStall : public testing::Test {
 protected:
  RunStall() {
    gst_init(nullptr, nullptr);
    pipeline_.reset(GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(
        "appsrc name=in format=time caps=video/x-raw ! capsfilter name=pictures ! queue name=waiting ! "
        "identity name=after ! fakesink sync=false async=false",
        nullptr))));
    watch_ = std::make_unique<StallWatch>(pipeline_.get(), kLongest);
    gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  }
  ~RunStall() override { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

  gst::ElementPtr child(const char* name) {
    return gst::ElementPtr(gst_bin_get_by_name(GST_BIN(pipeline_.get()), name));
  }

  // A picture, past the inlet when it returns.
  void push() {
    passed_ = 0;
    const gst::ElementPtr inlet = child(kVideoInlet);
    const gst::PadPtr pad(gst_element_get_static_pad(inlet.get(), "src"));
    const gulong probe = gst_pad_add_probe(
        pad.get(), GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad*, GstPadProbeInfo*, gpointer passed) {
          ++*static_cast<std::atomic<int>*>(passed);
          return GST_PAD_PROBE_OK;
        },
        &passed_, nullptr);
    gst_app_src_push_buffer(GST_APP_SRC(child(kSource).get()), gst_buffer_new_allocate(nullptr, 4, nullptr));
    for (int i = 0; i < 5000 && passed_ == 0; ++i) g_usleep(1000);
    ASSERT_GT(passed_, 0);
    gst_pad_remove_probe(pad.get(), probe);
  }
  void wait_for_level(guint wanted) {
    guint level = wanted + 1;
    for (int i = 0; i < 5000 && level != wanted; ++i) {
      g_object_get(child(kWaitingQueue).get(), "current-level-buffers", &level, nullptr);
      g_usleep(1000);
    }
    ASSERT_EQ(level, wanted);
  }
  // How many ticks it takes; no more than `most`.
  unsigned ticks_until_stalled(unsigned most) {
    for (unsigned i = 1; i <= most; ++i)
      if (watch_->tick()) return i;
    return most + 1;
  }

  gst::ElementPtr pipeline_;
  std::unique_ptr<StallWatch> watch_;
  std::atomic<int> passed_{0};
};

TEST_F(RunStall, IsReportedWhenNothingEverComes) {
  // The events that begin a stream come when appsrc's thread has started, at any tick or before the first.
  const unsigned ticks = ticks_until_stalled(20);
  EXPECT_GE(ticks, kLongest);
  EXPECT_LE(ticks, 20u);
}

TEST_F(RunStall, IsCountedFromTheLastPicture) {
  push();
  wait_for_level(0);
  EXPECT_EQ(ticks_until_stalled(10), kLongest + 1);
  push();
  wait_for_level(0);
  EXPECT_FALSE(watch_->tick());
  EXPECT_EQ(ticks_until_stalled(10), kLongest);
}

TEST_F(RunStall, IsNotReportedWhilePicturesWait) {
  push();
  wait_for_level(0);
  const gst::ElementPtr after = child("after");
  const gst::PadPtr pad(gst_element_get_static_pad(after.get(), "sink"));
  const gulong block = gst_pad_add_probe(
      pad.get(), GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM,
      [](GstPad*, GstPadProbeInfo*, gpointer) { return GST_PAD_PROBE_OK; }, nullptr, nullptr);
  push();
  push();
  wait_for_level(1);
  EXPECT_EQ(ticks_until_stalled(10), 11U);
  gst_pad_remove_probe(pad.get(), block);
  wait_for_level(0);
  EXPECT_EQ(ticks_until_stalled(10), kLongest);
}

TEST_F(RunStall, IsNotReportedAfterTheEnd) {
  push();
  gst_app_src_end_of_stream(GST_APP_SRC(child(kSource).get()));
  const gst::BusPtr bus(gst_element_get_bus(pipeline_.get()));
  const gst::MessagePtr end(gst_bus_timed_pop_filtered(bus.get(), 10 * GST_SECOND, GST_MESSAGE_EOS));
  ASSERT_TRUE(end);
  EXPECT_EQ(ticks_until_stalled(10), 11U);
}

}  // namespace
}  // namespace bcp::cli::run
