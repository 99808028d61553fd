// SPDX-License-Identifier: LGPL-2.1-or-later
//
// bcptagger and presence: the decision rule, the context words, and feedback.

#include "tagger_prior_support.hpp"

namespace bcp::test {
namespace {

// The bundled model: 50 labels, and its own context words.
Tagger mini(const std::string& properties = "") {
  return Tagger("decision=presence smoothing=0 " + properties, "../../../models/mini");
}

const GstBcpResult* result_of(const gst::BufferPtr& buffer) {
  return gst_buffer_get_bcp_meta(buffer.get())->result;
}

double probability(const gst::BufferPtr& buffer, const char* label) {
  const GstBcpResult* result = result_of(buffer);
  const gint index = gst_bcp_labels_find(gst_bcp_result_get_labels(result), label);
  EXPECT_GE(index, 0) << label;
  return gst_bcp_result_get_probability(result, static_cast<guint>(index));
}

bool feedback(const Tagger& tagger, const char* label, bool present, GstClockTime pts) {
  gboolean done = FALSE;
  g_signal_emit_by_name(tagger.element(), "feedback", label, static_cast<gboolean>(present), static_cast<guint64>(pts),
                        &done);
  return done;
}

TEST(BcpTaggerPresence, IsTheDefaultAndAnnouncesItsRule) {
  Tagger tagger = mini();
  tagger.caps(rgb_caps());
  const auto buffer = tagger.push(frame(kRed));
  const GstBcpResult* result = result_of(buffer);
  EXPECT_EQ(gst_bcp_result_get_decision(result), GST_BCP_DECISION_PRESENCE);
  EXPECT_EQ(gst_bcp_result_get_threshold(result), 0.5);
  EXPECT_TRUE(gst_bcp_result_is_calibrated(result));
  EXPECT_EQ(tagger.stat<std::string>("decision"), "presence");
  EXPECT_EQ(tagger.stat<double>("threshold"), 0.5);
  EXPECT_EQ(tagger.stat<double>("threshold-off"), 0.4);
  // Each label has its own probability: they do not sum to 1.
  guint size = 0;
  const gdouble* probabilities = gst_bcp_result_get_values(result, GST_BCP_SCORE_FIELD_PROBABILITY, &size);
  const gdouble* softmax = gst_bcp_result_get_values(result, GST_BCP_SCORE_FIELD_SOFTMAX, nullptr);
  const gdouble* priors = gst_bcp_result_get_values(result, GST_BCP_SCORE_FIELD_PRIOR, nullptr);
  double shares = 0, different = 0;
  for (guint k = 0; k < size; ++k) {
    shares += softmax[k];
    different += std::abs(probabilities[k] - softmax[k]);
    EXPECT_GT(priors[k], 0);
    EXPECT_LT(priors[k], 1);
  }
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_GT(different, 0.1);
}

TEST(BcpTaggerPresence, CountsTheContextWordsOfTheModelThatAreNotLabels) {
  Tagger tagger = mini("labels=cat,dog,car");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  EXPECT_EQ(tagger.stat<unsigned>("context-words"), 106u) << "110, without the labels and a word near one";
  EXPECT_TRUE(warnings(tagger).empty());
}

TEST(BcpTaggerPresence, ShowsNothingWithTooFewWordsAndReportsTheReasonOnce) {
  const Pipeline p =
      pipeline("videotestsrc num-buffers=5 pattern=red ! bcptagger name=t post-messages=results model=" + kBundles +
               "toy ! fakesink");
  const auto bus = listen(p.get());
  gst_element_set_state(p.get(), GST_STATE_PLAYING);
  std::vector<std::string> posted;
  int results = 0;
  while (const gst::MessagePtr message{gst_bus_timed_pop(bus.get(), 30 * GST_SECOND)}) {
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS) break;
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_WARNING) {
      GError* error = nullptr;
      gst_message_parse_warning(message.get(), &error, nullptr);
      posted.emplace_back(error->message);
      g_error_free(error);
    }
    const GstStructure* structure = gst_message_get_structure(message.get());
    if (structure && gst_structure_has_name(structure, "bcp-result")) {
      EXPECT_EQ(gst_value_array_get_size(gst_structure_get_value(structure, "labels")), 0u);
      ++results;
    }
  }
  gst_element_set_state(p.get(), GST_STATE_NULL);
  EXPECT_EQ(results, 5);
  ASSERT_EQ(posted.size(), 1u);
  EXPECT_CONTAINS(posted[0], "no label will be shown");
  EXPECT_CONTAINS(posted[0], "decision=softmax");
}

TEST(BcpTaggerPresence, SoftmaxIsTheDefaultOfThePaperPreset) {
  Tagger paper("preset=paper", "../../../models/mini");
  g_object_set(paper.element(), "decision", 0, nullptr);
  paper.caps(rgb_caps());
  EXPECT_EQ(gst_bcp_result_get_decision(result_of(paper.push(frame(kRed)))), GST_BCP_DECISION_PRESENCE);
  const gst::ElementPtr fresh(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("bcptagger", nullptr))));
  gint rule = -1;
  g_object_get(fresh.get(), "decision", &rule, nullptr);
  EXPECT_EQ(rule, 0);
  gst_util_set_object_arg(G_OBJECT(fresh.get()), "preset", "paper");
  g_object_get(fresh.get(), "decision", &rule, nullptr);
  EXPECT_EQ(rule, 1);
}

TEST(BcpTaggerPresence, FollowsThresholdsAndStrengthWhilePlaying) {
  Tagger tagger = mini();
  tagger.caps(rgb_caps());
  const double before = probability(tagger.push(frame(kRed)), "person");
  g_object_set(tagger.element(), "threshold", 0.0, nullptr);
  const auto all = tagger.push(frame(kRed, kFrame));
  for (guint k = 0; k < 50; ++k) EXPECT_TRUE(gst_bcp_result_is_shown(result_of(all), k));
  EXPECT_EQ(tagger.stat<double>("threshold"), 0);
  g_object_set(tagger.element(), "threshold", -1.0, "prior-strength", 1.0, nullptr);
  EXPECT_GT(probability(tagger.push(frame(kRed, 2 * kFrame)), "person"), before) << "the table expects persons";
  EXPECT_EQ(tagger.stat<double>("threshold"), 0.5);
}

TEST(BcpTaggerPresence, ShowsALabelAfterItsMinimumDuration) {
  Tagger tagger = mini("threshold=0.0 min-duration=100000000");
  tagger.caps(rgb_caps());
  const auto shows = [&](GstClockTime pts) {
    return gst_bcp_result_is_shown(result_of(tagger.push(frame(kRed, pts))), 0);
  };
  EXPECT_FALSE(shows(0));
  EXPECT_FALSE(shows(60 * GST_MSECOND));
  EXPECT_TRUE(shows(120 * GST_MSECOND));
}

TEST(BcpTaggerPresence, PutsTheProbabilityInEvents) {
  Tagger tagger = mini("post-messages=events threshold=0.0");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  const auto on = tagger.await("bcp-event");
  ASSERT_TRUE(on);
  EXPECT_STREQ(gst_structure_get_string(on.get(), "event"), "label-on");
  EXPECT_TRUE(gst_structure_has_field(on.get(), "probability"));
}

TEST(BcpTaggerFeedback, MovesTheLabelAtTheNextFrameAndIsCounted) {
  Tagger tagger = mini();
  tagger.caps(rgb_caps());
  const double before = probability(tagger.push(frame(kRed, 7 * kFrame)), "cat");
  EXPECT_TRUE(feedback(tagger, "cat", true, 7 * kFrame));
  const double after = probability(tagger.push(frame(kRed, 8 * kFrame)), "cat");
  EXPECT_GT(after, before);
  EXPECT_TRUE(feedback(tagger, "cat", false, GST_CLOCK_TIME_NONE));
  EXPECT_TRUE(feedback(tagger, "cat", false, 7 * kFrame));
  EXPECT_LT(probability(tagger.push(frame(kRed, 9 * kFrame)), "cat"), after);
  EXPECT_EQ(tagger.stat<std::uint64_t>("taught"), 3u);
  EXPECT_TRUE(emit(tagger, "reset-prior"));
  EXPECT_DOUBLE_EQ(probability(tagger.push(frame(kRed, 10 * kFrame)), "cat"), before);
}

TEST(BcpTaggerFeedback, IsRefusedWithAWarningForAnUnknownLabelOrFrame) {
  Tagger tagger = mini();
  tagger.caps(rgb_caps());
  EXPECT_FALSE(feedback(tagger, "cat", true, GST_CLOCK_TIME_NONE)) << "no frame yet";
  tagger.push(frame(kRed, kFrame));
  EXPECT_FALSE(feedback(tagger, "unicorn", true, kFrame));
  EXPECT_FALSE(feedback(tagger, "cat", true, 12345));
  EXPECT_FALSE(feedback(tagger, nullptr, true, kFrame));
  const auto posted = warnings(tagger);
  ASSERT_EQ(posted.size(), 4u);
  EXPECT_CONTAINS(posted[0], "not among the last 600 results");
  EXPECT_CONTAINS(posted[1], "\"unicorn\" is not one of the labels");
  EXPECT_CONTAINS(posted[2], "not among the last 600 results");
  const gst::ElementPtr stopped(GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("bcptagger", nullptr))));
  gboolean done = TRUE;
  g_signal_emit_by_name(stopped.get(), "feedback", "cat", TRUE, static_cast<guint64>(0), &done);
  EXPECT_FALSE(done);
}

TEST(BcpTaggerFeedback, IsSavedInThePriorFile) {
  const Folder folder;
  const std::string path = folder.file("a.prior");
  double taught = 0;
  {
    Tagger tagger = mini("prior-file=" + path);
    tagger.caps(rgb_caps());
    tagger.push(frame(kRed, kFrame));
    ASSERT_TRUE(feedback(tagger, "cat", true, kFrame));
    taught = probability(tagger.push(frame(kRed, 2 * kFrame)), "cat");
  }
  EXPECT_EQ(load(path).taught.statements(), 1u);
  Tagger again = mini("prior-file=" + path);
  again.caps(rgb_caps());
  EXPECT_NEAR(probability(again.push(frame(kRed, kFrame)), "cat"), taught, 1e-9);
}

TEST(BcpTaggerFeedback, OfOneElementIsUsedByItsGroup) {
  Tagger one = mini("prior-group=teachers"), other = mini("prior-group=teachers");
  one.caps(rgb_caps());
  other.caps(rgb_caps());
  const double before = probability(other.push(frame(kRed)), "cat");
  one.push(frame(kRed));
  ASSERT_TRUE(feedback(one, "cat", true, GST_CLOCK_TIME_NONE));
  EXPECT_GT(probability(other.push(frame(kRed, kFrame)), "cat"), before);
}

TEST(BcpTaggerContext, EncodesTheWordsWithTheTextTower) {
  Tagger tagger("decision=presence labels=red,blue", "toy-words");
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  EXPECT_GE(tagger.stat<unsigned>("context-words"), 30u);
  tagger.change("context-words", "", kRed, kFrame);
  EXPECT_EQ(tagger.stat<unsigned>("context-words"), 0u);
}

TEST(BcpTaggerContext, ThatCannotBeReadIsAnErrorAtStartAndAWarningLater) {
  const Folder folder;
  std::ofstream(folder.file("twice.txt")) << "street\nstreet\n";
  std::ofstream(folder.file("table.json"))
      << (R"({"version": 1, "pictures": 10, "labels": ["a"], "count": [-1], "together": [[-1]]})");
  const auto errors = [&](const std::string& property) {
    const auto faults = run(pipeline("videotestsrc num-buffers=1 ! bcptagger " + property + " ! fakesink"));
    return faults.empty() ? std::string() : faults[0].text;
  };
  EXPECT_CONTAINS(errors("context-words=/none/words.txt"), "/none/words.txt");
  EXPECT_CONTAINS(errors("context-words=" + folder.file("twice.txt")), "\"street\" is given twice");
  EXPECT_CONTAINS(errors("prior-table=" + folder.file("table.json")), "the count of \"a\" must be from 0");
  EXPECT_CONTAINS(errors("prior-table=/none/table.json"), "/none/table.json");

  Tagger tagger = mini();
  tagger.caps(rgb_caps());
  tagger.push(frame(kRed));
  const auto buffer = tagger.change("prior-table", "/none/table.json", kRed, kFrame);
  EXPECT_NE(gst_buffer_get_bcp_meta(buffer.get()), nullptr) << "frames go on";
  ASSERT_FALSE(warnings(tagger).empty());
}

}  // namespace
}  // namespace bcp::test
