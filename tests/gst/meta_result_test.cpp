// SPDX-License-Identifier: LGPL-2.1-or-later

#include <cmath>
#include <utility>

#include "support.hpp"

namespace bcp::test {
namespace {

using gst::BcpLabelsPtr;
using gst::BcpResultBuilderPtr;
using gst::BcpResultPtr;

TEST(BcpLabels, FindsEachNameAndNoOther) {
  std::vector<std::string> names;
  std::vector<const char*> pointers;
  for (int i = 0; i < 1000; ++i) names.push_back("label " + std::to_string(i));
  for (const auto& name : names) pointers.push_back(name.c_str());
  const BcpLabelsPtr labels(gst_bcp_labels_new(pointers.data(), 1000));
  for (guint i = 0; i < 1000; ++i) {
    EXPECT_EQ(gst_bcp_labels_find(labels.get(), names[i].c_str()), static_cast<gint>(i));
    EXPECT_STREQ(gst_bcp_labels_get_name(labels.get(), i), names[i].c_str());
  }
  EXPECT_EQ(gst_bcp_labels_find(labels.get(), "label"), -1);
  EXPECT_EQ(gst_bcp_labels_find(labels.get(), ""), -1);
}

TEST(BcpLabels, KeepsItsOwnCopyOfTheNames) {
  std::string name = "car";
  const char* names[] = {name.c_str()};
  const BcpLabelsPtr labels(gst_bcp_labels_new(names, 1));
  name[0] = 'b';
  EXPECT_STREQ(gst_bcp_labels_get_name(labels.get(), 0), "car");
  EXPECT_EQ(gst_bcp_labels_find(labels.get(), "car"), 0);
}

TEST(BcpLabels, FindsTheFirstOfTwoEqualNames) {
  const char* names[] = {"a", "b", "a"};
  const BcpLabelsPtr labels(gst_bcp_labels_new(names, 3));
  EXPECT_EQ(gst_bcp_labels_find(labels.get(), "a"), 0);
  EXPECT_STREQ(gst_bcp_labels_get_name(labels.get(), 2), "a");
}

TEST(BcpLabels, MayBeEmpty) {
  const BcpLabelsPtr labels(gst_bcp_labels_new(nullptr, 0));
  EXPECT_EQ(gst_bcp_labels_get_size(labels.get()), 0U);
  EXPECT_EQ(gst_bcp_labels_find(labels.get(), "a"), -1);
}

// Each is wrong in its own way: a lone byte, an overlong form, a surrogate, an end in the middle, past U+10FFFF.
constexpr const char* kNotUtf8[] = {"caf\xe9", "\xc0\xaf", "\xed\xa0\x80", "na\xc3", "\xf4\x90\x80\x80"};

TEST(BcpLabels, RefuseNamesThatAreNotUtf8) {
  const gint colour = 0xe69f00;
  for (const char* wrong : kNotUtf8) {
    const char* names[] = {"car", wrong};
    EXPECT_EQ(gst_bcp_labels_new(names, 2), nullptr) << wrong;
    EXPECT_EQ(gst_bcp_labels_new_with_colors(&wrong, &colour, 1), nullptr) << wrong;
  }
  const char* names[] = {"na\xc3\xafve", "\xe7\x8c\xab", "\xf0\x9f\x90\x88", ""};
  const BcpLabelsPtr labels(gst_bcp_labels_new(names, 4));
  ASSERT_TRUE(labels);
  EXPECT_EQ(gst_bcp_labels_find(labels.get(), names[2]), 2);
}

TEST(BcpResult, KeepsCopiesOfAllData) {
  const BcpResultPtr result = street(40 * GST_MSECOND, "cam", 7);
  const GstBcpResult* r = result.get();
  EXPECT_EQ(gst_bcp_labels_get_size(gst_bcp_result_get_labels(r)), 3U);
  EXPECT_EQ(gst_bcp_result_get_correction(r, 2), -1.25);
  EXPECT_EQ(gst_bcp_result_get_probability(r, 1), 0.9);
  EXPECT_EQ(gst_bcp_result_get_zero_shot(r, 1), 27.125);
  EXPECT_EQ(gst_bcp_result_get_logit(r, 2), 23.75);
  EXPECT_EQ(gst_bcp_result_get_zero_shot_softmax(r, 2), 0.24);
  EXPECT_TRUE(gst_bcp_result_is_shown(r, 1));
  EXPECT_FALSE(gst_bcp_result_is_shown(r, 2));
  EXPECT_TRUE(gst_bcp_result_is_shown_zero_shot(r, 2));
  EXPECT_EQ(gst_bcp_result_get_flags(r, 0), GST_BCP_SCORE_NONE);
  EXPECT_STREQ(gst_bcp_result_get_source_id(r), "cam");
  EXPECT_EQ(gst_bcp_result_get_pts(r), 40 * GST_MSECOND);
  EXPECT_EQ(gst_bcp_result_get_region_id(r), 7);
  EXPECT_EQ(gst_bcp_result_get_anchor(r), 1);
  EXPECT_EQ(gst_bcp_result_get_anchor_probability(r), 0.75);
  EXPECT_EQ(gst_bcp_result_get_samples(r), 412);
  guint size = 0;
  const gfloat* embedding = gst_bcp_result_get_embedding(r, &size);
  ASSERT_EQ(size, 2U);
  EXPECT_EQ(embedding[1], 0.8F);
}

TEST(BcpResult, KeepsThePresenceOfLabelsAndItsReasons) {
  const BcpResultPtr result = street_by_presence();
  const GstBcpResult* r = result.get();
  EXPECT_EQ(gst_bcp_result_get_probability(r, 2), 0.625);
  EXPECT_EQ(gst_bcp_result_get_softmax(r, 2), 0.171875);
  EXPECT_EQ(gst_bcp_result_get_zero_shot_softmax(r, 2), 0.1875);
  EXPECT_EQ(gst_bcp_result_get_prior(r, 2), 0.25);
  EXPECT_EQ(gst_bcp_result_get_evidence(r, 0), -3.5);
  EXPECT_EQ(gst_bcp_result_get_decision(r), GST_BCP_DECISION_PRESENCE);
  EXPECT_EQ(gst_bcp_result_get_threshold(r), 0.5);
  EXPECT_TRUE(gst_bcp_result_is_calibrated(r));
  EXPECT_FALSE(gst_bcp_result_is_calibrated(street_by_presence(0, false).get()));
  EXPECT_STREQ(gst_bcp_result_get_context(r),
               "str\xc3\xa9"
               "et");
  EXPECT_EQ(gst_bcp_result_get_context_weight(r), 0.375);
}

TEST(BcpResult, ReturnsTheValuesOfAllLabelsAtOnce) {
  const BcpResultPtr result = street();
  guint size = 0;
  const gdouble* corrections = gst_bcp_result_get_values(result.get(), GST_BCP_SCORE_FIELD_CORRECTION, &size);
  EXPECT_EQ(std::vector<gdouble>(corrections, corrections + size), (std::vector<gdouble>{-0.5, 0, -1.25}));
  const gdouble* probabilities = gst_bcp_result_get_values(result.get(), GST_BCP_SCORE_FIELD_PROBABILITY, nullptr);
  EXPECT_EQ(probabilities[2], gst_bcp_result_get_probability(result.get(), 2));
}

// ---- The builder ---------------------------------------------------------------------------------------------------

// Messages that GLib logs in its lifetime, which would otherwise be printed.
class Logged {
 public:
  Logged() {
    before_ = g_log_set_default_handler(
        [](const gchar* domain, GLogLevelFlags level, const gchar* text, gpointer self) {
          if (level & G_LOG_LEVEL_CRITICAL)
            static_cast<Logged*>(self)->all_.push_back(std::string(domain) + ": " + text);
        },
        this);
  }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;
  ~Logged() { g_log_set_default_handler(before_, nullptr); }

  // Whether exactly one critical message came since the last call, by the library, with `part` in it.
  testing::AssertionResult says(const std::string& part) {
    const std::vector<std::string> all = std::exchange(all_, {});
    if (all.size() == 1 && all[0].find("GStreamer-Bcp: ") == 0 && all[0].find(part) != std::string::npos) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << all.size() << " messages: " << testing::PrintToString(all);
  }
  bool nothing() const { return all_.empty(); }

 private:
  GLogFunc before_;
  std::vector<std::string> all_;
};

BcpLabelsPtr two_labels() {
  const char* names[] = {"car", "dog"};
  return BcpLabelsPtr(gst_bcp_labels_new(names, 2));
}

TEST(BcpResultBuilder, MakesAResultOfDefaultsWhenNothingIsSet) {
  const BcpLabelsPtr labels = two_labels();
  const BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels.get()));
  const BcpResultPtr result(gst_bcp_result_builder_end(builder.get()));
  guint size = 9;
  EXPECT_EQ(gst_bcp_result_get_labels(result.get()), labels.get());
  EXPECT_EQ(gst_bcp_result_get_source_id(result.get()), nullptr);
  EXPECT_EQ(gst_bcp_result_get_embedding(result.get(), &size), nullptr);
  EXPECT_EQ(size, 0U);
  EXPECT_EQ(gst_bcp_result_get_pts(result.get()), GST_CLOCK_TIME_NONE);
  EXPECT_EQ(gst_bcp_result_get_region_id(result.get()), -1);
  EXPECT_EQ(gst_bcp_result_get_anchor(result.get()), -1);
  EXPECT_EQ(gst_bcp_result_get_samples(result.get()), 0);
  EXPECT_EQ(gst_bcp_result_get_decision(result.get()), GST_BCP_DECISION_SOFTMAX);
  EXPECT_TRUE(std::isnan(gst_bcp_result_get_threshold(result.get())));
  EXPECT_FALSE(gst_bcp_result_is_calibrated(result.get()));
  EXPECT_EQ(gst_bcp_result_get_context(result.get()), nullptr);
  EXPECT_EQ(gst_bcp_result_get_context_weight(result.get()), 0);
  for (guint k = 0; k < 2; ++k) {
    EXPECT_EQ(gst_bcp_result_get_softmax(result.get(), k), 0);
    EXPECT_TRUE(std::isnan(gst_bcp_result_get_prior(result.get(), k)));
    EXPECT_TRUE(std::isnan(gst_bcp_result_get_evidence(result.get(), k)));
    EXPECT_EQ(gst_bcp_result_get_probability(result.get(), k), 0);
    EXPECT_EQ(gst_bcp_result_get_flags(result.get(), k), GST_BCP_SCORE_NONE);
  }
}

TEST(BcpResultBuilder, SetsOneFieldWithoutTouchingTheOthers) {
  const BcpLabelsPtr labels = two_labels();
  constexpr GstBcpScoreField kFields[] = {GST_BCP_SCORE_FIELD_ZERO_SHOT,   GST_BCP_SCORE_FIELD_CORRECTION,
                                          GST_BCP_SCORE_FIELD_LOGIT,       GST_BCP_SCORE_FIELD_ZERO_SHOT_SOFTMAX,
                                          GST_BCP_SCORE_FIELD_PROBABILITY, GST_BCP_SCORE_FIELD_SOFTMAX,
                                          GST_BCP_SCORE_FIELD_PRIOR,       GST_BCP_SCORE_FIELD_EVIDENCE};
  for (const GstBcpScoreField set : kFields) {
    const BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels.get()));
    const gdouble values[] = {0.25, 0.5};
    gst_bcp_result_builder_set_values(builder.get(), set, values, 2);
    gst_bcp_result_builder_set_value(builder.get(), set, 1, 0.75);
    const BcpResultPtr result(gst_bcp_result_builder_end(builder.get()));
    for (const GstBcpScoreField field : kFields) {
      const gdouble* all = gst_bcp_result_get_values(result.get(), field, nullptr);
      if (field != set && field >= GST_BCP_SCORE_FIELD_PRIOR) {
        EXPECT_TRUE(std::isnan(all[0]) && std::isnan(all[1])) << set << field;
        continue;
      }
      EXPECT_EQ(all[0], field == set ? 0.25 : 0) << set << field;
      EXPECT_EQ(all[1], field == set ? 0.75 : 0) << set << field;
    }
    EXPECT_EQ(gst_bcp_result_get_flags(result.get(), 0), GST_BCP_SCORE_NONE);
  }
}

TEST(BcpResultBuilder, LivesAsLongAsItIsReferencedAndNeedNotBeEnded) {
  BcpLabelsPtr labels = two_labels();
  BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels.get()));
  labels.reset();  // the builder has its own reference
  const BcpResultBuilderPtr second(gst_bcp_result_builder_ref(builder.get()));
  builder.reset();
  EXPECT_TRUE(gst_bcp_result_builder_set_source_id(second.get(), "cam"));
  const gfloat embedding[] = {1, 2, 3};
  gst_bcp_result_builder_set_embedding(second.get(), embedding, 3);
  gst_bcp_result_builder_set_embedding(second.get(), embedding, 1);  // the last one counts
}

TEST(BcpResultBuilder, RefusesASourceIdThatIsNotUtf8) {
  const BcpLabelsPtr labels = two_labels();
  const BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels.get()));
  const Logged logged;
  EXPECT_TRUE(gst_bcp_result_builder_set_source_id(builder.get(), "c\xc3\xa4m"));
  for (const char* wrong : kNotUtf8) {
    EXPECT_FALSE(gst_bcp_result_builder_set_source_id(builder.get(), wrong)) << wrong;
  }
  EXPECT_TRUE(logged.nothing()) << "invalid input is not a programming error";
  const BcpResultPtr result(gst_bcp_result_builder_end(builder.get()));
  EXPECT_STREQ(gst_bcp_result_get_source_id(result.get()), "c\xc3\xa4m") << "the one before stays";
}

TEST(BcpResultBuilder, RefusesAContextWordThatIsNotUtf8) {
  const BcpLabelsPtr labels = two_labels();
  const BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels.get()));
  const Logged logged;
  EXPECT_TRUE(gst_bcp_result_builder_set_context(builder.get(), "caf\xc3\xa9", 0.25));
  for (const char* wrong : kNotUtf8) {
    EXPECT_FALSE(gst_bcp_result_builder_set_context(builder.get(), wrong, 0.5)) << wrong;
  }
  EXPECT_TRUE(logged.nothing()) << "invalid input is not a programming error";
  const BcpResultPtr result(gst_bcp_result_builder_end(builder.get()));
  EXPECT_STREQ(gst_bcp_result_get_context(result.get()), "caf\xc3\xa9") << "the one before stays";
  EXPECT_EQ(gst_bcp_result_get_context_weight(result.get()), 0.25);
}

TEST(BcpResultBuilder, RemovesAContextWordWithItsWeight) {
  const BcpLabelsPtr labels = two_labels();
  const BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels.get()));
  EXPECT_TRUE(gst_bcp_result_builder_set_context(builder.get(), "street", 0.25));
  EXPECT_TRUE(gst_bcp_result_builder_set_context(builder.get(), nullptr, 0.5));
  const BcpResultPtr result(gst_bcp_result_builder_end(builder.get()));
  EXPECT_EQ(gst_bcp_result_get_context(result.get()), nullptr);
  EXPECT_EQ(gst_bcp_result_get_context_weight(result.get()), 0);
}

TEST(BcpResultBuilder, RefusesDataThatDoesNotFitTheLabels) {
  const BcpLabelsPtr labels = two_labels();
  const BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels.get()));
  const gdouble values[] = {1, 2, 3};
  const gfloat embedding[] = {1};
  Logged logged;
  gst_bcp_result_builder_set_values(builder.get(), GST_BCP_SCORE_FIELD_LOGIT, values, 3);
  EXPECT_TRUE(logged.says("size =="));
  gst_bcp_result_builder_set_values(builder.get(), GST_BCP_SCORE_FIELD_LOGIT, values, 1);
  EXPECT_TRUE(logged.says("size =="));
  gst_bcp_result_builder_set_values(builder.get(), GST_BCP_SCORE_FIELD_LOGIT, nullptr, 2);
  EXPECT_TRUE(logged.says("values != NULL"));
  gst_bcp_result_builder_set_value(builder.get(), GST_BCP_SCORE_FIELD_LOGIT, 2, 1);
  EXPECT_TRUE(logged.says("index"));
  gst_bcp_result_builder_set_flags(builder.get(), 2, GST_BCP_SCORE_SHOWN);
  EXPECT_TRUE(logged.says("index"));
  gst_bcp_result_builder_set_anchor(builder.get(), 2, 0.5);
  EXPECT_TRUE(logged.says("anchor"));
  gst_bcp_result_builder_set_anchor(builder.get(), -2, 0.5);
  EXPECT_TRUE(logged.says("anchor"));
  gst_bcp_result_builder_set_embedding(builder.get(), nullptr, 2);
  EXPECT_TRUE(logged.says("embedding"));
  gst_bcp_result_builder_set_embedding(builder.get(), embedding, 0);
  const BcpResultPtr result(gst_bcp_result_builder_end(builder.get()));
  EXPECT_EQ(gst_bcp_result_get_logit(result.get(), 0), 0);
  EXPECT_EQ(gst_bcp_result_get_flags(result.get(), 0), GST_BCP_SCORE_NONE);
  EXPECT_EQ(gst_bcp_result_get_anchor(result.get()), -1);
  EXPECT_EQ(gst_bcp_result_get_anchor_probability(result.get()), 0);
  EXPECT_TRUE(logged.nothing());
  EXPECT_EQ(gst_bcp_result_get_logit(result.get(), 2), 0);
  EXPECT_TRUE(logged.says("index"));
  EXPECT_EQ(gst_bcp_result_get_flags(result.get(), 2), GST_BCP_SCORE_NONE);
  EXPECT_TRUE(logged.says("index"));
}

TEST(BcpResultBuilder, DoesNothingAfterItsEndOrWithoutLabels) {
  const BcpLabelsPtr labels = two_labels();
  const BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels.get()));
  const BcpResultPtr result(gst_bcp_result_builder_end(builder.get()));
  GstBcpResultBuilder* const ended = builder.get();
  const gdouble values[] = {1, 2};
  const gfloat embedding[] = {1};
  Logged logged;
  const auto is_refused = [&logged] { return logged.says("IS_BUILDING"); };
  gst_bcp_result_builder_set_values(ended, GST_BCP_SCORE_FIELD_LOGIT, values, 2);
  EXPECT_TRUE(is_refused());
  gst_bcp_result_builder_set_value(ended, GST_BCP_SCORE_FIELD_LOGIT, 0, 1);
  EXPECT_TRUE(is_refused());
  gst_bcp_result_builder_set_flags(ended, 0, GST_BCP_SCORE_SHOWN);
  EXPECT_TRUE(is_refused());
  EXPECT_FALSE(gst_bcp_result_builder_set_source_id(ended, "cam"));
  EXPECT_TRUE(is_refused());
  gst_bcp_result_builder_set_decision(ended, GST_BCP_DECISION_PRESENCE, 0.5, TRUE);
  EXPECT_TRUE(is_refused());
  EXPECT_FALSE(gst_bcp_result_builder_set_context(ended, "street", 0.5));
  EXPECT_TRUE(is_refused());
  gst_bcp_result_builder_set_pts(ended, 1);
  EXPECT_TRUE(is_refused());
  gst_bcp_result_builder_set_region_id(ended, 1);
  EXPECT_TRUE(is_refused());
  gst_bcp_result_builder_set_anchor(ended, 0, 1);
  EXPECT_TRUE(is_refused());
  gst_bcp_result_builder_set_samples(ended, 1);
  EXPECT_TRUE(is_refused());
  gst_bcp_result_builder_set_embedding(ended, embedding, 1);
  EXPECT_TRUE(is_refused());
  EXPECT_EQ(gst_bcp_result_builder_end(ended), nullptr);
  EXPECT_TRUE(is_refused());
  EXPECT_EQ(gst_bcp_result_get_logit(result.get(), 1), 0);
  EXPECT_EQ(gst_bcp_result_builder_new(nullptr), nullptr);
  EXPECT_TRUE(logged.says("labels"));
}

}  // namespace
}  // namespace bcp::test
