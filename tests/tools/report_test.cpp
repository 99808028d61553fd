// SPDX-License-Identifier: LGPL-2.1-or-later
// The figures of a report, from lines written here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "common/temporary.hpp"
#include "gst-bcp/html/encode.hpp"
#include "gst-bcp/report/changes.hpp"
#include "gst-bcp/report/page.hpp"
#include "gst-bcp/report/prior_matrix.hpp"
#include "gst-bcp/report/timeline.hpp"
#include "report_lines.hpp"

namespace bcp::cli::report {
namespace {

using ReportTimeline = Report;
using ReportChanges = Report;
using ReportPage = Report;

LabelChange change_of(const std::string& name, const Changes& changes, const Results& results) {
  for (const LabelChange& change : changes.labels)
    if (results.labels[change.label] == name) return change;
  throw std::runtime_error("no such label: " + name);
}

TEST_F(ReportTimeline, HasAStepForEachResultWhereThereIsRoom) {
  const Results results = laid_out(line(0, {{"car", 0.5, 0.1}}) + line(1, {{"car", 0.1, 0.5}, {"bus", 0.5, 0.5}}));
  const Timeline timeline = make_timeline(results.streams[0], results.labels.size(), {});
  ASSERT_EQ(timeline.steps.size(), 2u);
  ASSERT_EQ(timeline.cells.size(), 3u);
  EXPECT_EQ(timeline.cells[0].removed, 1);
  EXPECT_EQ(timeline.cells[1].added, 1);
  EXPECT_EQ(timeline.cells[2].kept, 1);
  EXPECT_EQ(timeline.most_results, 1u);
  EXPECT_EQ(timeline.steps[0].changed, 1);
}

TEST_F(ReportTimeline, AddsUpTheReasonsOfPresence) {
  const Results results = laid_out(presence_line(0, {{"car", 0.1, 0.9, 0.5, 3}}, "street") +
                                   presence_line(0.1, {{"car", 0.1, 0.7, 0.25, 1}}, "street") +
                                   presence_line(0.2, {{"car", 0.1, 0.8, 0.75, 2}}, "kitchen"));
  const Timeline timeline = make_timeline(results.streams[0], results.labels.size(), {.steps = 1, .cells = 1});
  ASSERT_EQ(timeline.steps.size(), 1u);
  const Step& step = timeline.steps[0];
  EXPECT_FLOAT_EQ(step.threshold, 0.5f);
  EXPECT_EQ(results.contexts[static_cast<std::size_t>(step.context)], "street");
  EXPECT_EQ(step.explained, 3);
  EXPECT_FLOAT_EQ(step.context_weight, 0.375f);
  ASSERT_EQ(timeline.cells.size(), 1u);
  EXPECT_FLOAT_EQ(timeline.cells[0].prior, 0.5f);
  EXPECT_FLOAT_EQ(timeline.cells[0].evidence, 2);
  EXPECT_FLOAT_EQ(timeline.cells[0].probability, 0.8f);
}

TEST_F(ReportTimeline, AddsUpWithoutLosingAResult) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += line(i * 0.1, {{"car", 0.5, i % 2 ? 0.5 : 0.1}}, i % 3 ? "car" : "bus");
  const Results results = laid_out(text);
  const Timeline timeline = make_timeline(results.streams[0], results.labels.size(), {.steps = 50, .cells = 1000});
  EXPECT_LE(timeline.steps.size(), 51u);
  std::size_t kept = 0, removed = 0, counted = 0;
  for (const Cell& cell : timeline.cells) kept += cell.kept, removed += cell.removed;
  for (const Step& step : timeline.steps) {
    counted += step.results;
    EXPECT_EQ(results.labels[static_cast<std::size_t>(step.anchor)], "car") << "two thirds have it";
  }
  EXPECT_EQ(counted, 1000u);
  EXPECT_EQ(kept, 500u);
  EXPECT_EQ(removed, 500u);
}

TEST_F(ReportTimeline, StaysWithinItsCellsHoweverManyLabels) {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    std::vector<Said> labels;
    for (int k = 0; k < 10; ++k) labels.push_back({"label " + std::to_string((i + k) % 20), 0.5, 0.5});
    text += line(i, labels);
  }
  const Results results = laid_out(text);
  const Timeline timeline = make_timeline(results.streams[0], results.labels.size(), {.steps = 6000, .cells = 2500});
  EXPECT_LE(timeline.cells.size(), 2500u);
  EXPECT_GT(timeline.most_results, 1u);
}

TEST_F(ReportTimeline, DoesNotReachAcrossAGap) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += line(i < 10 ? i * 0.1 : 100 + i * 0.1, {});
  const Results results = laid_out(text);
  const Timeline timeline = make_timeline(results.streams[0], results.labels.size(), {.steps = 2, .cells = 100});
  for (const Step& step : timeline.steps) EXPECT_LT(step.until - step.time, 10);
}

TEST_F(ReportChanges, DistinguishACorrectionWithoutAnAnchorFromNoCorrection) {
  const Results results = laid_out(line(0, {{"bike", 0.9, 0.9}}) + line(1, {{"bike", 0.9, 0.95, 1.5}}) +
                                   line(2, {{"bike", 0.9, 0.9}, {"person", 0.1, 0.3, 3}}, "bike"));
  const Changes changes = find_changes(results.streams[0], results.labels.size());
  EXPECT_EQ(changes.anchored, 1u);
  EXPECT_EQ(changes.unanchored, 1u);
}

TEST_F(ReportChanges, AreCountedByLabelAndAnchor) {
  const Results results = laid_out(line(0, {{"bike", 0.9, 0.9}, {"person", 0.1, 0.3, 1}}, "bike") +
                                   line(1, {{"bike", 0.9, 0.9}, {"person", 0.1, 0.3, 3}}, "bike") +
                                   line(2, {{"car", 0.9, 0.9}, {"person", 0.1, 0.3, 5}}, "car") +
                                   line(3, {{"car", 0.9, 0.9}, {"boat", 0.6, 0.1, -2}}, "car"));
  const Changes changes = find_changes(results.streams[0], results.labels.size());
  EXPECT_EQ(changes.changed, 4u);
  EXPECT_EQ(changes.anchored, 4u);
  const LabelChange person = change_of("person", changes, results);
  EXPECT_EQ(person.added, 3u);
  EXPECT_EQ(person.removed, 0u);
  EXPECT_DOUBLE_EQ(person.correction, 3);
  ASSERT_EQ(person.added_by.size(), 2u);
  EXPECT_EQ(results.labels[static_cast<std::size_t>(person.added_by[0].anchor)], "bike");
  EXPECT_EQ(person.added_by[0].count, 2u);
  EXPECT_DOUBLE_EQ(person.added_by[0].correction, 2);
  EXPECT_DOUBLE_EQ(person.seconds, 3);
  EXPECT_DOUBLE_EQ(person.plain_seconds, 0);
  const LabelChange boat = change_of("boat", changes, results);
  EXPECT_EQ(boat.removed, 1u);
  EXPECT_EQ(boat.sure_removed, 1u) << "plain CLIP gave it 0.6";
  EXPECT_EQ(boat.examples.size(), 1u);
}

TEST_F(ReportChanges, GiveTheReasonsOfPresence) {
  const Results results =
      laid_out(presence_line(0, {{"car", 0.1, 0.75, 0.5, 3}, {"boat", 0.5, 0.125, 0.02, 0.5}}, "street") +
               presence_line(1, {{"car", 0.1, 0.875, 0.25, 1}, {"boat", 0.5, 0.375, 0.06, 0.25}}, "street") +
               presence_line(2, {{"car", 0.5, 0.9, 0.9, 9}}, "", false));
  const Changes changes = find_changes(results.streams[0], results.labels.size());
  EXPECT_EQ(changes.presence, 3u);
  EXPECT_EQ(changes.uncalibrated, 1u);
  EXPECT_EQ(changes.explained, 2u);
  EXPECT_EQ(results.contexts[static_cast<std::size_t>(changes.context)], "street");
  const LabelChange car = change_of("car", changes, results);
  EXPECT_EQ(car.added_why.count, 2u) << "the third result shows it either way";
  EXPECT_DOUBLE_EQ(car.added_why.prior, 0.375);
  EXPECT_DOUBLE_EQ(car.added_why.evidence, 2);
  EXPECT_DOUBLE_EQ(car.added_why.probability, 0.8125);
  EXPECT_EQ(car.removed_why.count, 0u);
  EXPECT_DOUBLE_EQ(car.prior, 0.375);
  const LabelChange boat = change_of("boat", changes, results);
  EXPECT_EQ(boat.removed_why.count, 2u);
  EXPECT_EQ(boat.removed_why.context_count, 2u);
  const Results old = laid_out(line(0, {{"car", 0.1, 0.5, 1}}));
  const LabelChange before = find_changes(old.streams[0], old.labels.size()).labels.at(0);
  EXPECT_EQ(before.added_why.count, 0u) << "version 1 gives no reason";
  EXPECT_TRUE(std::isnan(before.prior));
}

TEST_F(ReportChanges, CountFlickerBeforeAndAfter) {
  // Before: on off on off. After: on all the time.
  const Results results = laid_out(line(0, {{"car", 0.5, 0.5}}) + line(1, {{"car", 0.1, 0.5}}) +
                                   line(2, {{"car", 0.5, 0.5}}) + line(3, {{"car", 0.1, 0.5}}));
  const Changes changes = find_changes(results.streams[0], results.labels.size());
  EXPECT_EQ(changes.plain_switches, 3u);
  EXPECT_EQ(changes.switches, 0u);
  EXPECT_DOUBLE_EQ(changes.watched, 4);
}

TEST_F(ReportChanges, CountASwitchOffWhereTheLineDoesNotNameTheLabel) {
  const Results results = laid_out(line(0, {{"car", 0.5, 0.5}}) + line(1, {}) + line(2, {{"car", 0.5, 0.5}}));
  const Changes changes = find_changes(results.streams[0], results.labels.size());
  EXPECT_EQ(changes.plain_switches, 2u);
  EXPECT_EQ(changes.switches, 2u);
}

TEST_F(ReportChanges, CountNoSwitchAcrossAGap) {
  const Results results = laid_out(line(0, {{"car", 0.5, 0.5}}) + line(1, {{"car", 0.5, 0.5}}) + line(100, {}) +
                                   line(101, {}) + line(200, {{"car", 0.5, 0.5}}));
  const Changes changes = find_changes(results.streams[0], results.labels.size());
  EXPECT_EQ(changes.switches, 0u);
}

TEST_F(ReportChanges, CountResultsWithoutLabelsAndChangesOnFewSamples) {
  const Results results = laid_out(line(0, {{"car", 0.5, 0.1}}, "car", 3) + line(1, {{"car", 0.5, 0.1}}, "car", 50) +
                                   line(2, {{"car", 0.5, 0.5}}, "car", 3));
  const Changes changes = find_changes(results.streams[0], results.labels.size());
  EXPECT_EQ(changes.emptied, 2u);
  EXPECT_EQ(changes.unsettled, 1u);
}

TEST_F(ReportChanges, FindAGapInALabel) {
  const Said kept{"person", 0.5, 0.5}, removed{"person", 0.3, 0.1}, strong{"person", 0.4, 0.1};
  const Results results =
      laid_out(line(0, {removed}) + line(0.5, {removed}) + line(1.25, {kept}) + line(1.75, {strong}) +
               line(2.5, {removed}) + line(3, {{"chair", 0.5, 0.5}}) + line(3.5, {removed}));
  const Oddity torn = change_of("person", find_changes(results.streams[0], results.labels.size()), results).torn;
  EXPECT_EQ(torn.count, 2u) << "0.5 and 1.75 are near 1.25, the others are not";
  EXPECT_EQ(torn.moment, 3u) << "there plain CLIP gave it most";
}

TEST_F(ReportChanges, FindNoGapWhereTimeJumps) {
  const Said kept{"person", 0.5, 0.5}, removed{"person", 0.3, 0.1};
  const Results results = laid_out(line(0, {kept}) + line(0.5, {kept}) + line(0, {removed}) + line(0.5, {removed}) +
                                   line(60, {kept}) + line(60.5, {}));
  EXPECT_EQ(change_of("person", find_changes(results.streams[0], results.labels.size()), results).torn.count, 0u);
}

TEST_F(ReportChanges, FindALabelThatFlashes) {
  const Said added{"couch", 0.1, 0.3}, kept{"couch", 0.5, 0.5};
  const Results flash = laid_out(line(0, {}) + line(0.1, {added}) + line(0.2, {}) + line(0.3, {added}) +
                                 line(0.4, {added}) + line(0.5, {}) + line(0.6, {kept}) + line(0.7, {}));
  const Oddity flashed = change_of("couch", find_changes(flash.streams[0], flash.labels.size()), flash).flashed;
  EXPECT_EQ(flashed.count, 1u) << "two in a row do not count, nor labels that plain CLIP shows";
  EXPECT_EQ(flashed.moment, 1u);
  const Results slow = laid_out(line(0, {}) + line(10, {added}) + line(20, {}));
  EXPECT_EQ(change_of("couch", find_changes(slow.streams[0], slow.labels.size()), slow).flashed.count, 0u)
      << "ten seconds are not a flash";
}

TEST_F(ReportChanges, GiveTheLargestExamplesApartInTime) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += line(i, {{"car", 0.1, 0.3 + (i == 500 ? 0.4 : 0)}});
  const Results results = laid_out(text);
  const Changes changes = find_changes(results.streams[0], results.labels.size());
  const auto& examples = change_of("car", changes, results).examples;
  ASSERT_EQ(examples.size(), 6u);
  bool has_largest = false;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    has_largest = has_largest || examples[i].moment == 500;
    EXPECT_GE(examples[i].moment, i == 0 ? 0 : examples[i - 1].moment + 20);
  }
  EXPECT_TRUE(has_largest);
}

TEST_F(ReportChanges, GiveExamplesOfBothKinds) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += line(i, {i % 100 ? Said{"car", 0.9, 0.1} : Said{"car", 0.1, 0.3}});
  const Results results = laid_out(text);
  const Changes changes = find_changes(results.streams[0], results.labels.size());
  std::size_t added = 0;
  for (const Example& example : change_of("car", changes, results).examples) added += example.score.added();
  EXPECT_EQ(added, 3u);
}

// Labels a and b always together, c alone.
prior::Snapshot learnt() {
  adapt::Cooccurrence seen(3);
  const std::vector<double> together = {0.5, 0.5, 0}, alone = {0, 0, 1};
  for (int i = 0; i < 10; ++i) seen.learn(i % 2 ? together : alone, 1);
  return {.model = "", .labels = {"a", "b", "c"}, .seen = seen};
}

TEST(ReportPrior, ListsWhatOccursTogether) {
  const Prior prior(learnt());
  EXPECT_NEAR(prior.pmi("b", "a"), std::log(0.5 / 0.25), 1e-9);
  EXPECT_TRUE(std::isnan(prior.pmi("c", "a")));
  EXPECT_TRUE(std::isnan(prior.pmi("b", "unheard of")));
}

TEST(ReportPrior, IsAMatrixWithAnEmptyDiagonal) {
  const PriorMatrix matrix = Prior(learnt()).matrix({}, 100);
  ASSERT_EQ(matrix.names, (std::vector<std::string>{"c", "a", "b"})) << "most frequent first";
  EXPECT_FLOAT_EQ(matrix.frequency[0], 0.5f);
  EXPECT_FLOAT_EQ(matrix.conditional[1 * 3 + 2], 0.5f);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(matrix.conditional[i * 3 + i], 0);
  ASSERT_EQ(matrix.likeness.size(), 3u);
  const auto place = [&](std::uint16_t label) {
    return std::find(matrix.likeness.begin(), matrix.likeness.end(), label) - matrix.likeness.begin();
  };
  EXPECT_EQ(std::abs(place(1) - place(2)), 1) << "a and b are alike";
}

TEST(ReportPrior, KeepsTheLabelsThatAreAskedForWhenItIsCut) {
  EXPECT_EQ(Prior(learnt()).matrix({"b"}, 2).names, (std::vector<std::string>{"c", "b"}));
}

TEST_F(ReportPage, CarriesWhatItWasAskedTo) {
  ASSERT_TRUE(replace_file(path_, line(0, {{"car", 0.5, 0.5}}) + "nonsense\n"));
  PageRequest request;
  request.results = path_;
  request.page = directory_ / "page.html";
  request.title = "<a> & b";
  request.settings = {{"threshold", 0.25}};
  request.command = {"gst-bcp", "run"};
  const Result<PageSummary> summary = write_page(request);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->results, 1u);
  EXPECT_EQ(summary->skipped, 1u);
  const std::string page = test::read(request.page);
  EXPECT_NE(page.find("<title>&lt;a&gt; &amp; b</title>"), std::string::npos);
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t start = page.find(begin) + begin.size();
  const auto data = nlohmann::json::parse(page.substr(start, page.find("</script>", start) - start));
  EXPECT_EQ(data["title"], "<a> & b");
  EXPECT_EQ(data["settings"]["threshold"], 0.25);
  EXPECT_EQ(data["command"].size(), 2u);
  EXPECT_EQ(data["file"]["faults"].size(), 1u);
}

TEST(ReportEncode, LetsNoTextEndTheScriptItStandsIn) {
  const std::string safe = html::script_safe({{"label", "</script><!--<img>"}});
  EXPECT_EQ(safe.find('<'), std::string::npos) << safe;
  EXPECT_EQ(nlohmann::json::parse(safe)["label"], "</script><!--<img>");
  EXPECT_EQ(html::escaped("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
}

TEST(ReportEncode, PacksBytesAsBase64) {
  EXPECT_EQ(html::base64(""), "");
  EXPECT_EQ(html::base64("Ma"), "TWE=");
  EXPECT_EQ(html::base64(std::string("\x00\xff\x10", 3)), "AP8Q");
  EXPECT_EQ(html::base64(std::string(7'000'000, 'a')).size(), 9'333'336u);
}

}  // namespace
}  // namespace bcp::cli::report
