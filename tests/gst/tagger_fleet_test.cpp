// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A bcptagger as a node of a fleet in Redis, beside a node of another machine.

#include <csignal>

#include "common/redis.hpp"
#include "fleet/index.hpp"
#include "fleet/status.hpp"
#include "tagger_prior_support.hpp"

namespace bcp::test {
namespace {

const std::string kSecret = "sEcrEt-4711";

std::string in_fleet(const Redis& redis, const std::string& more = "") {
  return "preset=paper prior-group=" + redis.url() + "?interval=1 " + more;
}

bool is_connected(const Tagger& tagger) {
  GstStructure* stats = nullptr;
  g_object_get(tagger.element(), "stats", &stats, nullptr);
  gboolean connected = FALSE;
  EXPECT_TRUE(gst_structure_get_boolean(stats, "fleet-connected", &connected));
  gst_structure_free(stats);
  return connected;
}

template <typename IsTrue>
bool in_time(IsTrue&& is_true) {
  const gint64 until = g_get_monotonic_time() + 60 * G_TIME_SPAN_SECOND;
  while (!is_true()) {
    if (g_get_monotonic_time() > until) return false;
    g_usleep(20'000);
  }
  return true;
}

TEST(BcpTaggerFleet, StartsWithWhatAnotherProcessHasLearnt) {
  const Redis redis({}, kSecret);
  Tagger alone("preset=paper");
  teach(alone);
  const auto expected = alone.push(frame(kYellow, GST_SECOND));
  {
    Tagger first(in_fleet(redis, "source-id=first"));
    teach(first);
    EXPECT_TRUE(in_time([&] { return is_connected(first); }));
  }  // ends, and leaves its contribution behind
  const auto status = fleet::read_status(redis.address());
  ASSERT_TRUE(status);
  ASSERT_EQ(status->nodes.size(), 1u);
  EXPECT_TRUE(status->nodes[0].left);
  EXPECT_EQ(status->nodes[0].samples, std::size(kLesson));

  Tagger second(in_fleet(redis, "source-id=second"));
  second.caps(rgb_caps());
  EXPECT_TRUE(in_time([&] { return second.stat<double>("fleet-samples") > 0; }));
  const auto frame_of_second = second.push(frame(kYellow));
  EXPECT_EQ(samples(frame_of_second.get()), std::size(kLesson));
  const auto corrected = corrections(frame_of_second.get()), wanted = corrections(expected.get());
  for (const auto& [label, value] : wanted) EXPECT_NEAR(corrected.at(label), value, 1e-6) << label;
  EXPECT_NE(corrected.at("red"), 0);
  EXPECT_EQ(second.stat<int>("fleet-nodes"), 1);
  EXPECT_TRUE(warnings(second).empty());
}

TEST(BcpTaggerFleet, GoesOnWithoutRedisAndShowsNoPassword) {
  Redis redis({}, kSecret);
  Tagger tagger(in_fleet(redis));
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  EXPECT_TRUE(in_time([&] { return is_connected(tagger); }));
  redis.signal(SIGSTOP);
  EXPECT_TRUE(in_time([&] { return !is_connected(tagger); }));
  for (GstClockTime i = 1; i <= 50; ++i) EXPECT_TRUE(tagger.push(frame(i % 2 ? kGreen : kRed, i * kFrame)));
  EXPECT_EQ(tagger.stat<int>("scored"), 51);
  redis.kill();
  for (GstClockTime i = 51; i <= 60; ++i) EXPECT_TRUE(tagger.push(frame(i % 2 ? kGreen : kRed, i * kFrame)));
  EXPECT_EQ(tagger.stat<int>("scored"), 61);

  const std::vector<std::string> said = warnings(tagger);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_CONTAINS(said[0], "does not answer");
  EXPECT_EQ(said[0].find(kSecret), std::string::npos);
  gchar* group = nullptr;
  GstStructure* stats = nullptr;
  g_object_get(tagger.element(), "prior-group", &group, "stats", &stats, nullptr);
  const gst::CharPtr text(gst_structure_to_string(stats));
  EXPECT_STREQ(group, ("redis://:***@127.0.0.1:" + std::to_string(redis.port()) + "/0/cams?interval=1").c_str());
  EXPECT_EQ(std::string(text.get()).find(kSecret), std::string::npos);
  gst_structure_free(stats);
  g_free(group);
}

TEST(BcpTaggerFleet, RefusesInvalidAddressesAtStart) {
  for (const std::string wrong : {"redis://u:sEcrEt-4711@/0/g", "redis://u:sEcrEt-4711@h:0/0/g"}) {
    const std::string error = start_error("prior-group=" + wrong);
    EXPECT_CONTAINS(error, "prior-group=redis://u:***@");
    EXPECT_EQ(error.find(kSecret), std::string::npos);
  }
}

}  // namespace
}  // namespace bcp::test
