// SPDX-License-Identifier: LGPL-2.1-or-later
//
// `correction`: its values, and a change while frames flow.

#include "tagger_prior_support.hpp"

namespace bcp::test {
namespace {

bool is_corrected(const gst::BufferPtr& buffer) {
  for (const auto& [label, correction] : corrections(buffer.get())) {
    if (correction != 0) return true;
  }
  return false;
}

void choose(Tagger& tagger, const char* correction) {
  gst_util_set_object_arg(G_OBJECT(tagger.element()), "correction", correction);
}

TEST(BcpTaggerCorrection, OffersPlainClipAndBcp) {
  Tagger tagger("");
  const GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(tagger.element()), "correction");
  const auto* values = static_cast<const GEnumClass*>(g_type_class_peek(spec->value_type));
  ASSERT_EQ(values->n_values, 2u);
  EXPECT_STREQ(values->values[0].value_nick, "none");
  EXPECT_STREQ(values->values[1].value_nick, "bcp");
}

TEST(BcpTaggerCorrection, ChangesAtTheNextFrameWhilePlaying) {
  Tagger tagger("preset=paper");
  tagger.caps(rgb_caps());
  GstClockTime pts = 0;
  const auto push = [&](Colour colour) { return tagger.push(frame(colour, pts += kFrame)); };
  push(kYellow);
  push(kRed);
  EXPECT_TRUE(is_corrected(push(kYellow)));
  choose(tagger, "none");
  EXPECT_FALSE(is_corrected(push(kYellow)));
  choose(tagger, "bcp");
  const auto again = push(kYellow);
  EXPECT_TRUE(is_corrected(again));
  EXPECT_EQ(samples(again.get()), 4) << "BCP learns while it is switched off";
  EXPECT_TRUE(tagger.faults().empty());
}

}  // namespace
}  // namespace bcp::test
