// SPDX-License-Identifier: LGPL-2.1-or-later
// What gst-bcp run reads from messages, and its summary.

#include <gst/gst.h>
#include <gtest/gtest.h>

#include "gst-bcp/run/pipeline/seen.hpp"
#include "gst-bcp/run/pipeline/tally.hpp"

namespace bcp::cli::run {
namespace {

// A bcp-result that shows these labels, with a probability of 0.75 each.
std::optional<Seen> seen_in(const std::vector<const char*>& labels, const char* context) {
  GstStructure* structure =
      gst_structure_new("bcp-result", "source-id", G_TYPE_STRING, "cam", "stream-time", GST_TYPE_CLOCK_TIME, GST_SECOND,
                        "context", G_TYPE_STRING, context, nullptr);
  GValue array = G_VALUE_INIT;
  gst_value_array_init(&array, 1);
  for (const char* name : labels) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, GST_TYPE_STRUCTURE);
    g_value_take_boxed(
        &value, gst_structure_new("label", "name", G_TYPE_STRING, name, "probability", G_TYPE_DOUBLE, 0.75, nullptr));
    gst_value_array_append_and_take_value(&array, &value);
  }
  gst_structure_take_value(structure, "labels", &array);
  GstMessage* message = gst_message_new_element(nullptr, structure);
  std::optional<Seen> seen = read_seen(message);
  gst_message_unref(message);
  return seen;
}

class RunSeen : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { gst_init(nullptr, nullptr); }
};

TEST_F(RunSeen, NamesTheContextOfAFrameWithoutLabels) {
  EXPECT_EQ(text_of(*seen_in({}, "street")), "nothing (context: street)");
  EXPECT_EQ(text_of(*seen_in({}, nullptr)), "nothing");
  EXPECT_EQ(text_of(*seen_in({"car"}, "street")), "car 0.75");
}

TEST_F(RunSeen, SumsUpFramesWithoutLabels) {
  Tally tally, other;
  tally.add(*seen_in({}, "street"));
  tally.add(*seen_in({}, "kitchen"));
  other.add(*seen_in({}, "street"));
  other.add(*seen_in({}, nullptr));
  tally.add(other);
  EXPECT_FALSE(tally.has_labels());
  EXPECT_EQ(tally.nothing_seen(), "no label was shown in 4 results; context: street in 50 %");
  tally.add(*seen_in({"car"}, "street"));
  EXPECT_TRUE(tally.has_labels());
  Tally bare;
  bare.add(*seen_in({}, nullptr));
  EXPECT_EQ(bare.nothing_seen(), "no label was shown in 1 result");
}

}  // namespace
}  // namespace bcp::cli::run
