// SPDX-License-Identifier: LGPL-2.1-or-later
// The labels of the last hour: which are kept, and for how long.

#include "tagger/recent_labels.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "support/stats_metrics.hpp"

namespace bcp::tagger {
namespace {

using Clock = RecentLabels::Clock;
const Clock::time_point kStart{std::chrono::hours(1)};

gst::BcpLabelsPtr make_labels(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("label " + std::to_string(i));
  std::vector<const gchar*> texts;
  for (const std::string& name : names) texts.push_back(name.c_str());
  return gst::BcpLabelsPtr(gst_bcp_labels_new(texts.data(), static_cast<guint>(texts.size())));
}

struct Seen {
  bool shown;
  double probability;
};

// A stream of results over one list of labels.
class Stream {
 public:
  explicit Stream(std::size_t count) : labels_(make_labels(count)), values_(count, 0.25) {}

  void result(std::vector<std::uint32_t> shown, Clock::time_point now = kStart) {
    for (const std::uint32_t label : shown) values_[label] = std::max(values_[label], 0.75);
    const gst::BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels_.get()));
    gst_bcp_result_builder_set_values(builder.get(), GST_BCP_SCORE_FIELD_PROBABILITY, values_.data(),
                                      static_cast<guint>(values_.size()));
    const gst::BcpResultPtr result(gst_bcp_result_builder_end(builder.get()));
    recent.update(result.get(), shown, now);
    for (const std::uint32_t label : shown) values_[label] = 0.25;
  }
  void set(std::uint32_t label, double probability) { values_[label] = probability; }
  void relabel(std::size_t count) {
    labels_ = make_labels(count);
    values_.assign(count, 0.25);
  }

  std::map<std::string, Seen> read(Clock::time_point now = kStart) const {
    GValue array = G_VALUE_INIT;
    recent.to_array(array, now);
    std::map<std::string, Seen> all;
    for (guint i = 0; i < gst_value_array_get_size(&array); ++i) {
      const GstStructure* label = gst_value_get_structure(gst_value_array_get_value(&array, i));
      gboolean shown = FALSE;
      double probability = 0;
      EXPECT_TRUE(gst_structure_get_boolean(label, "shown", &shown));
      EXPECT_TRUE(gst_structure_get_double(label, "probability", &probability));
      all[gst_structure_get_string(label, "name")] = {shown != FALSE, probability};
    }
    g_value_unset(&array);
    return all;
  }

  RecentLabels recent;

 private:
  gst::BcpLabelsPtr labels_;
  std::vector<double> values_;
};

TEST(RecentLabels, AreThoseThatWereShown) {
  Stream stream(10);
  EXPECT_TRUE(stream.read().empty());
  stream.result({3, 7});
  stream.result({7});
  const auto seen = stream.read();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_FALSE(seen.at("label 3").shown);
  EXPECT_EQ(seen.at("label 3").probability, 0.25);
  EXPECT_TRUE(seen.at("label 7").shown);
  EXPECT_EQ(seen.at("label 7").probability, 0.75);
}

TEST(RecentLabels, AreForgottenAnHourAfterTheyWereShown) {
  Stream stream(10);
  stream.result({1, 2}, kStart);
  stream.result({2}, kStart + std::chrono::minutes(50));
  stream.result({}, kStart + std::chrono::minutes(59));
  EXPECT_EQ(stream.read(kStart + std::chrono::minutes(60)).size(), 2U);
  const auto later = stream.read(kStart + std::chrono::minutes(61));
  ASSERT_EQ(later.size(), 1U);
  EXPECT_TRUE(later.contains("label 2"));
}

// A picture that does not change is not scored, and its labels stay shown.
TEST(RecentLabels, StayWhileTheyAreShown) {
  Stream stream(10);
  stream.result({1}, kStart);
  EXPECT_TRUE(stream.read(kStart + std::chrono::hours(5)).at("label 1").shown);
}

TEST(RecentLabels, AreAtMostAHundredAndThoseShownLast) {
  Stream stream(300);
  for (std::uint32_t label = 0; label < 300; ++label) stream.result({label});
  const auto seen = stream.read();
  EXPECT_EQ(seen.size(), RecentLabels::kMost);
  EXPECT_FALSE(seen.contains("label 199"));
  EXPECT_TRUE(seen.contains("label 200"));
  EXPECT_TRUE(seen.at("label 299").shown);
}

TEST(RecentLabels, AreTheLikeliestWhereMoreThanAHundredAreShownAtOnce) {
  Stream stream(300);
  std::vector<std::uint32_t> all(300);
  for (std::uint32_t label = 0; label < 300; ++label) all[label] = label;
  for (std::uint32_t label = 150; label < 250; ++label) stream.set(label, 0.9);
  stream.result(all);
  const auto seen = stream.read();
  ASSERT_EQ(seen.size(), RecentLabels::kMost);
  EXPECT_TRUE(seen.contains("label 150"));
  EXPECT_TRUE(seen.contains("label 249"));
}

TEST(RecentLabels, AreNotShownWhenTheStreamHasEnded) {
  Stream stream(10);
  stream.result({1});
  stream.recent.end();
  EXPECT_FALSE(stream.read().at("label 1").shown);
}

TEST(RecentLabels, BeginAnewWithOtherLabels) {
  Stream stream(10);
  stream.result({1, 9});
  stream.relabel(5);
  stream.result({2});
  const auto seen = stream.read();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_TRUE(seen.contains("label 2"));
}

TEST(StatsMetrics, EscapeTheNamesOfLabels) {
  const char* const names[] = {"a \"dog\"", "back\\slash", "two\nlines", "two\nlines"};
  const gst::BcpLabelsPtr labels(gst_bcp_labels_new(names, 4));
  const gst::BcpResultBuilderPtr builder(gst_bcp_result_builder_new(labels.get()));
  const double values[] = {0.5, 0.5, 0.5, 0.5};
  gst_bcp_result_builder_set_values(builder.get(), GST_BCP_SCORE_FIELD_PROBABILITY, values, 4);
  const gst::BcpResultPtr result(gst_bcp_result_builder_end(builder.get()));
  RecentLabels recent;
  recent.update(result.get(), std::vector<std::uint32_t>{0, 1, 2, 3}, kStart);
  const gst::StructurePtr stats(gst_structure_new_empty("bcp-stats"));
  GValue array = G_VALUE_INIT;
  recent.to_array(array, kStart);
  gst_structure_take_value(stats.get(), "recent-labels", &array);
  prometheus::Exposition exposition;
  gst::add_stats(exposition, "door", stats.get());
  const std::string text = exposition.text();
  EXPECT_NE(text.find("bcp_label_shown{source=\"door\",label=\"a \\\"dog\\\"\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("bcp_label_probability{source=\"door\",label=\"back\\\\slash\"} 0.5\n"), std::string::npos)
      << text;
  const std::string twice = "bcp_label_shown{source=\"door\",label=\"two\\nlines\"} 1\n";
  EXPECT_NE(text.find(twice), std::string::npos) << text;
  EXPECT_EQ(text.find(twice), text.rfind(twice)) << "a series twice";
}

}  // namespace
}  // namespace bcp::tagger
