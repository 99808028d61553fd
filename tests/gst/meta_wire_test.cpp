// SPDX-License-Identifier: LGPL-2.1-or-later

#include "wire.h"

#include <algorithm>
#include <cmath>

#include "support.hpp"

namespace bcp::test {
namespace {

using gst::BcpLabelsPtr;
using gst::BcpResultPtr;
using gst::BufferPtr;

std::vector<guint8> wire(const BcpResultPtr& result, bool held, GstClockTime age) {
  gsize size = 0;
  guint8* bytes = gst_bcp_wire_write(result.get(), held, age, &size);
  std::vector<guint8> all(bytes, bytes + size);
  g_free(bytes);
  return all;
}

BcpResultPtr unwire(const std::vector<guint8>& bytes, guint version = GST_BCP_WIRE_VERSION) {
  gboolean held;
  GstClockTime age;
  return BcpResultPtr(gst_bcp_wire_read(bytes.data(), bytes.size(), version, &held, &age));
}

TEST(BcpWire, ReadsBackWhatWasWritten) {
  const std::vector<guint8> bytes = wire(street(40 * GST_MSECOND, "c\xc3\xa4m", 7), true, 99);
  gboolean held = FALSE;
  GstClockTime age = 0;
  const BcpResultPtr back(gst_bcp_wire_read(bytes.data(), bytes.size(), 3, &held, &age));
  ASSERT_TRUE(back);
  EXPECT_TRUE(held);
  EXPECT_EQ(age, 99U);
  EXPECT_STREQ(gst_bcp_result_get_source_id(back.get()), "c\xc3\xa4m");
  EXPECT_EQ(gst_bcp_result_get_pts(back.get()), 40 * GST_MSECOND);
  EXPECT_EQ(gst_bcp_result_get_region_id(back.get()), 7);
  const BcpResultPtr sent = street();
  for (guint k = 0; k < 3; ++k) {
    EXPECT_STREQ(gst_bcp_labels_get_name(gst_bcp_result_get_labels(back.get()), k),
                 gst_bcp_labels_get_name(gst_bcp_result_get_labels(sent.get()), k));
    EXPECT_EQ(gst_bcp_result_get_zero_shot(back.get(), k), gst_bcp_result_get_zero_shot(sent.get(), k));
    EXPECT_EQ(gst_bcp_result_get_correction(back.get(), k), gst_bcp_result_get_correction(sent.get(), k));
    EXPECT_EQ(gst_bcp_result_get_logit(back.get(), k), gst_bcp_result_get_logit(sent.get(), k));
    EXPECT_EQ(gst_bcp_result_get_probability(back.get(), k), gst_bcp_result_get_probability(sent.get(), k));
    EXPECT_EQ(gst_bcp_result_get_flags(back.get(), k), gst_bcp_result_get_flags(sent.get(), k));
  }
  EXPECT_EQ(wire(back, true, 99), bytes);
}

// As street(), with a colour for one label.
BcpResultPtr coloured() {
  const char* names[] = {"boat", "car", "tree"};
  const gint colours[] = {-1, 0xe69f00, -1};
  const BcpLabelsPtr labels(gst_bcp_labels_new_with_colors(names, colours, 3));
  const Score scores[] = {{12.5, -0.5, 12.0, 0.01, 0.005}, {27.125, 0, 27.125, 0.75, 0.9, GST_BCP_SCORE_SHOWN}, {}};
  return make_result(labels.get(), scores, {.anchor = 1});
}

TEST(BcpWire, CarriesColours) {
  const std::vector<guint8> bytes = wire(coloured(), false, 0);
  const BcpResultPtr back = unwire(bytes);
  ASSERT_TRUE(back);
  const GstBcpLabels* labels = gst_bcp_result_get_labels(back.get());
  EXPECT_EQ(gst_bcp_labels_get_color(labels, 0), -1);
  EXPECT_EQ(gst_bcp_labels_get_color(labels, 1), 0xe69f00);
  EXPECT_EQ(wire(back, false, 0), bytes);
  EXPECT_FALSE(unwire(bytes, 1)) << "it is not of that version";
  EXPECT_FALSE(unwire(bytes, 2)) << "it is not of that version";
}

TEST(BcpWire, CarriesThePresenceOfLabelsAndItsReasons) {
  const std::vector<guint8> bytes = wire(street_by_presence(5), false, 0);
  const BcpResultPtr back = unwire(bytes), sent = street_by_presence(5);
  ASSERT_TRUE(back);
  EXPECT_EQ(gst_bcp_result_get_decision(back.get()), GST_BCP_DECISION_PRESENCE);
  EXPECT_EQ(gst_bcp_result_get_threshold(back.get()), 0.5);
  EXPECT_TRUE(gst_bcp_result_is_calibrated(back.get()));
  EXPECT_STREQ(gst_bcp_result_get_context(back.get()), gst_bcp_result_get_context(sent.get()));
  EXPECT_EQ(gst_bcp_result_get_context_weight(back.get()), 0.375);
  for (guint k = 0; k < 3; ++k) {
    EXPECT_EQ(gst_bcp_result_get_probability(back.get(), k), gst_bcp_result_get_probability(sent.get(), k));
    EXPECT_EQ(gst_bcp_result_get_softmax(back.get(), k), gst_bcp_result_get_softmax(sent.get(), k));
    EXPECT_EQ(gst_bcp_result_get_prior(back.get(), k), gst_bcp_result_get_prior(sent.get(), k));
    EXPECT_EQ(gst_bcp_result_get_evidence(back.get(), k), gst_bcp_result_get_evidence(sent.get(), k));
  }
  EXPECT_EQ(wire(back, false, 0), bytes);
  EXPECT_FALSE(gst_bcp_result_is_calibrated(unwire(wire(street_by_presence(5, false), false, 0)).get()));
}

TEST(BcpWire, RefusesADecisionItDoesNotKnow) {
  std::vector<guint8> bytes = wire(street(), false, 0);
  // From the end: the weight, no context word, the threshold, calibrated, the decision.
  guint8& decision = bytes[bytes.size() - 8 - 1 - 8 - 1 - 1];
  ASSERT_EQ(decision, 0);
  decision = 1;
  EXPECT_EQ(gst_bcp_result_get_decision(unwire(bytes).get()), GST_BCP_DECISION_PRESENCE);
  decision = 2;
  EXPECT_FALSE(unwire(bytes));
}

#if GST_CHECK_VERSION(1, 24, 0)
TEST(BcpWire, CarriesAMetaToAnotherProcess) {
  const BufferPtr from(gst_buffer_new()), to(gst_buffer_new());
  attach(from.get(), street(7), true);
  GByteArray* bytes = g_byte_array_new();
  EXPECT_TRUE(gst_meta_serialize_simple(&gst_buffer_get_bcp_meta(from.get())->meta, bytes));
  guint32 consumed = 0;
  EXPECT_TRUE(gst_meta_deserialize(to.get(), bytes->data, bytes->len, &consumed));
  EXPECT_EQ(consumed, bytes->len);
  g_byte_array_unref(bytes);
  const GstBcpMeta* meta = gst_buffer_get_bcp_meta(to.get());
  ASSERT_TRUE(meta);
  EXPECT_TRUE(meta->held);
  EXPECT_EQ(gst_bcp_result_get_pts(meta->result), 7U);
}
#endif

TEST(BcpWire, KeepsAResultWithNothingInIt) {
  const BcpLabelsPtr labels(gst_bcp_labels_new(nullptr, 0));
  const BcpResultPtr back = unwire(wire(make_result(labels.get(), {}), false, GST_CLOCK_TIME_NONE));
  ASSERT_TRUE(back);
  EXPECT_EQ(gst_bcp_result_get_source_id(back.get()), nullptr);
  EXPECT_EQ(gst_bcp_result_get_pts(back.get()), GST_CLOCK_TIME_NONE);
}

TEST(BcpWire, RefusesDataCutShortAtEveryByte) {
  for (const BcpResultPtr& result : {street(), street_by_presence(), coloured()}) {
    const std::vector<guint8> bytes = wire(result, false, 0);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(unwire({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
    }
  }
}

TEST(BcpWire, RefusesUnknownData) {
  std::vector<guint8> bytes = wire(street(), false, 0);
  EXPECT_FALSE(unwire(bytes, 0));
  EXPECT_FALSE(unwire(bytes, GST_BCP_WIRE_VERSION + 1));
  bytes.push_back(0);
  EXPECT_FALSE(unwire(bytes)) << "something after the end";
}

// The bytes of `result` with the text `from` in them replaced by `to`, of the same length.
std::vector<guint8> with_text(const BcpResultPtr& result, const std::string& from, const std::string& to) {
  std::vector<guint8> bytes = wire(result, false, 0);
  const auto at = std::search(bytes.begin(), bytes.end(), from.begin(), from.end());
  EXPECT_NE(at, bytes.end());
  EXPECT_EQ(from.size(), to.size());
  std::copy(to.begin(), to.end(), at);
  return bytes;
}

TEST(BcpWire, RefusesTextThatIsNotUtf8) {
  for (const std::string wrong : {"c\xe9r", "\xc0\xaf.", "\xed\xa0\x80", "ca\xc3"}) {
    EXPECT_FALSE(unwire(with_text(street(), "car", wrong))) << "the name of a label: " << wrong;
    EXPECT_FALSE(unwire(with_text(street(), "cam", wrong))) << "the source id: " << wrong;
    EXPECT_FALSE(unwire(with_text(street_by_presence(), "str", wrong))) << "the context word: " << wrong;
  }
  EXPECT_FALSE(unwire(with_text(street(), "car", std::string("c\0r", 3))));
  const BcpResultPtr back = unwire(with_text(street(), "car", "\xe7\x8c\xab"));
  ASSERT_TRUE(back);
  EXPECT_EQ(gst_bcp_labels_find(gst_bcp_result_get_labels(back.get()), "\xe7\x8c\xab"), 1);
}

// As version 1 was first written: what reads it must go on doing so, whatever becomes of the library.
TEST(BcpWire, ReadsTheBytesOfTheFirstVersions) {
  std::vector<guint8> first = {1,                                                    // held
                               5,    0,   0,   0,   0, 0,   0,    0,                 // age
                               7,    0,   0,   0,   0, 0,   0,    0,                 // pts
                               0xff, 255, 255, 255,                                  // region id
                               0,    0,   0,   0,                                    // anchor
                               0,    0,   0,   0,   0, 0,   0xe8, 0x3f,              // its probability
                               0,    0,   0,   0,   0, 0,   0x00, 0x40,              // samples
                               1,    3,   0,   0,   0, 'c', 'a',  'm',               // source id
                               1,    0,   0,   0,   0, 0,   0x80, 0x3f,              // embedding
                               1,    0,   0,   0,   3, 0,   0,    0,                 // one label, its name's length
                               'c',  'a', 'r', 0,   0, 0,   0,    0,    0, 8, 0x40,  // zero-shot 3
                               0,    0,   0,   0,   0, 0,   0xf0, 0x3f,              // correction 1
                               0,    0,   0,   0,   0, 0,   0x10, 0x40,              // logit 4
                               0,    0,   0,   0,   0, 0,   0xd0, 0x3f,              // zero-shot probability 0.25
                               0,    0,   0,   0,   0, 0,   0xe0, 0x3f,              // probability 0.5
                               0xff, 0,   0,   0};                                   // flags, some of which are unknown
  gboolean held = FALSE;
  GstClockTime age = 0;
  const BcpResultPtr back(gst_bcp_wire_read(first.data(), first.size(), 1, &held, &age));
  ASSERT_TRUE(back);
  EXPECT_TRUE(held);
  EXPECT_EQ(age, 5U);
  EXPECT_EQ(gst_bcp_result_get_pts(back.get()), 7U);
  EXPECT_EQ(gst_bcp_result_get_anchor(back.get()), 0);
  EXPECT_EQ(gst_bcp_result_get_anchor_probability(back.get()), 0.75);
  EXPECT_EQ(gst_bcp_result_get_samples(back.get()), 2);
  EXPECT_STREQ(gst_bcp_result_get_source_id(back.get()), "cam");
  guint size = 0;
  EXPECT_EQ(gst_bcp_result_get_embedding(back.get(), &size)[0], 1);
  EXPECT_EQ(size, 1U);
  EXPECT_EQ(gst_bcp_labels_find(gst_bcp_result_get_labels(back.get()), "car"), 0);
  EXPECT_EQ(gst_bcp_result_get_zero_shot(back.get(), 0), 3);
  EXPECT_EQ(gst_bcp_result_get_correction(back.get(), 0), 1);
  EXPECT_EQ(gst_bcp_result_get_logit(back.get(), 0), 4);
  EXPECT_EQ(gst_bcp_result_get_zero_shot_softmax(back.get(), 0), 0.25);
  EXPECT_EQ(gst_bcp_result_get_probability(back.get(), 0), 0.5);
  EXPECT_EQ(gst_bcp_result_get_flags(back.get(), 0), GST_BCP_SCORE_SHOWN | GST_BCP_SCORE_SHOWN_ZERO_SHOT);
  EXPECT_EQ(gst_bcp_result_get_decision(back.get()), GST_BCP_DECISION_SOFTMAX);
  EXPECT_EQ(gst_bcp_result_get_softmax(back.get(), 0), 0.5);
  EXPECT_TRUE(std::isnan(gst_bcp_result_get_prior(back.get(), 0)));
  EXPECT_TRUE(std::isnan(gst_bcp_result_get_evidence(back.get(), 0)));
  EXPECT_TRUE(std::isnan(gst_bcp_result_get_threshold(back.get())));
  EXPECT_FALSE(gst_bcp_result_is_calibrated(back.get()));
  EXPECT_EQ(gst_bcp_result_get_context(back.get()), nullptr);

  std::vector<guint8> second = first;
  second.insert(second.end(), {0, 0x9f, 0xe6, 0});  // its colour
  const BcpResultPtr orange = unwire(second, 2);
  ASSERT_TRUE(orange);
  EXPECT_EQ(gst_bcp_labels_get_color(gst_bcp_result_get_labels(orange.get()), 0), 0xe69f00);
  EXPECT_EQ(gst_bcp_result_get_softmax(orange.get(), 0), 0.5);
  EXPECT_FALSE(unwire(second, 1));
  EXPECT_FALSE(unwire(first, 2));
}

TEST(BcpWire, SurvivesEveryWrongByte) {
  const std::vector<guint8> bytes = wire(street_by_presence(), false, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const guint8 wrong : std::initializer_list<guint8>{0x00, 0x7f, 0x80, 0xff}) {
      std::vector<guint8> damaged = bytes;
      damaged[i] = wrong;
      const BcpResultPtr back = unwire(damaged);  // may be a result with other numbers; must not read astray
      if (back) {
        EXPECT_LT(gst_bcp_result_get_anchor(back.get()), 3);
      }
    }
  }
}

}  // namespace
}  // namespace bcp::test
