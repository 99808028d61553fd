// SPDX-License-Identifier: LGPL-2.1-or-later
//
// `correction`: what there is to choose from, and a change while frames flow.

#include "adapt/correction.hpp"
#include "tagger_prior_support.hpp"

namespace bcp::test {
namespace {

const GstBcpResult* result_of(const gst::BufferPtr& buffer) {
  const GstBcpMeta* meta = gst_buffer_get_bcp_meta(buffer.get());
  return meta ? meta->result : nullptr;
}

bool is_corrected(const gst::BufferPtr& buffer) {
  for (const auto& [label, correction] : corrections(buffer.get())) {
    if (correction != 0) return true;
  }
  return false;
}

void choose(Tagger& tagger, const char* correction) {
  gst_util_set_object_arg(G_OBJECT(tagger.element()), "correction", correction);
}

TEST(BcpTaggerCorrection, OffersEveryOneThereIs) {
  Tagger tagger("");
  const GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(tagger.element()), "correction");
  const auto* values = static_cast<const GEnumClass*>(g_type_class_peek(spec->value_type));
  ASSERT_EQ(values->n_values, adapt::corrections().size());
  for (const adapt::CorrectionInfo& info : adapt::corrections()) {
    const GEnumValue* value = g_enum_get_value(const_cast<GEnumClass*>(values), static_cast<gint>(info.correction));
    ASSERT_NE(value, nullptr);
    EXPECT_STREQ(value->value_nick, info.nick);
    EXPECT_STREQ(value->value_name, info.summary);
  }
}

TEST(BcpTaggerCorrection, APeerCorrectsFromItsFirstFrameOnAndHasNoAnchor) {
  Tagger tagger("preset=paper correction=tda");
  tagger.caps(rgb_caps());
  const auto out = tagger.push(frame(kRed));
  ASSERT_NE(result_of(out), nullptr);
  EXPECT_GT(corrections(out.get())["red"], 1.5) << "the frame it is sure of, seen once";
  EXPECT_EQ(gst_bcp_result_get_anchor(result_of(out)), -1);
  EXPECT_EQ(samples(out.get()), 1);
  EXPECT_EQ(best(out.get()), "red");
}

TEST(BcpTaggerCorrection, ChangesAtTheNextFrameWhilePlaying) {
  Tagger tagger("preset=paper");
  tagger.caps(rgb_caps());
  GstClockTime pts = 0;
  const auto push = [&](Colour colour) { return tagger.push(frame(colour, pts += kFrame)); };
  push(kYellow);
  push(kRed);
  const auto by_bcp = corrections(push(kYellow).get());
  for (const adapt::CorrectionInfo& info : adapt::corrections()) {
    if (!info.wants_embeddings) continue;
    choose(tagger, info.nick);
    push(kYellow);
    const auto out = push(kRed);
    EXPECT_TRUE(is_corrected(out)) << info.nick;
    EXPECT_NE(corrections(out.get()), by_bcp) << info.nick;
    EXPECT_EQ(gst_bcp_result_get_anchor(result_of(out)), -1) << info.nick;
    EXPECT_LE(samples(out.get()), 2) << info.nick;
  }
  choose(tagger, "none");
  EXPECT_FALSE(is_corrected(push(kYellow)));
  choose(tagger, "bcp");
  const auto again = push(kYellow);
  EXPECT_TRUE(is_corrected(again));
  EXPECT_GT(samples(again.get()), 4) << "BCP has learnt all the while";
  EXPECT_TRUE(tagger.faults().empty());
}

TEST(BcpTaggerCorrection, APeerForgetsWithResetPrior) {
  Tagger tagger("preset=paper correction=tda");
  tagger.caps(rgb_caps());
  tagger.push(frame(kYellow));
  EXPECT_EQ(samples(tagger.push(frame(kRed, kFrame)).get()), 2);
  EXPECT_TRUE(emit(tagger, "reset-prior"));
  EXPECT_EQ(samples(tagger.push(frame(kRed, 2 * kFrame)).get()), 1);
}

}  // namespace
}  // namespace bcp::test
