// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/explain/explanation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <utility>

#include "gst-bcp/common/table.hpp"

namespace bcp::cli::explain {
namespace {

constexpr double kNear = 0.5;      // of the threshold
constexpr double kUnlikely = 0.1;  // the prior of a word that is not in the table

std::string rounded(double value, const char* format = "%.2f") {
  if (std::isnan(value)) return "-";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

double rank(double probability) {
  return std::isnan(probability) ? -1 : probability;
}

// By a model like SigLIP, which scores each label independently.
bool is_judged_alone(const Label& label) {
  return std::isnan(label.prior) && !std::isnan(label.evidence);
}

bool are_judged_alone(const Explanation& explanation) {
  return explanation.presence && !explanation.labels.empty() &&
         std::all_of(explanation.labels.begin(), explanation.labels.end(), is_judged_alone);
}

std::string shown_from(const Explanation& explanation) {
  if (std::isnan(explanation.threshold)) return "";
  return ", shown if at least " + rounded(explanation.threshold) + ", unless a label has its own threshold";
}

std::vector<Row> facts(const Explanation& explanation) {
  std::vector<Row> rows;
  rows.push_back({"decision", (explanation.presence ? "presence" : "softmax") + shown_from(explanation)});
  if (explanation.presence && !explanation.calibrated)
    rows.push_back({"calibrated", "no: probabilities rank the labels, and 0.70 does not mean 7 of 10"});
  if (!explanation.context.empty()) {
    rows.push_back({"context", explanation.context + " " + rounded(explanation.context_weight) +
                                   ": matches the frame better than any label"});
  } else if (are_judged_alone(explanation)) {
    rows.push_back({"context", "not needed: the model scores each label independently"});
  } else if (explanation.presence) {
    rows.push_back({"context", "none: a label matches the frame best"});
  }
  if (!explanation.words.empty()) {
    std::string words;
    for (const Word& word : explanation.words)
      words += (words.empty() ? "" : ", ") + word.name + " " + rounded(word.share);
    rows.push_back({"context words", words});
  }
  if (explanation.taught)
    rows.push_back(
        {"taught", std::to_string(*explanation.taught) + (*explanation.taught == 1 ? " statement" : " statements")});
  if (!explanation.presence) {
    rows.push_back({"anchor", explanation.anchor.empty()
                                  ? "none: no label was confident enough"
                                  : explanation.anchor + " " + rounded(explanation.anchor_probability)});
    rows.push_back({"learnt", rounded(explanation.samples, "%.0f") + " frames"});
  }
  return rows;
}

// The reason when the threshold alone does not explain the decision.
std::string other_cause(bool shown) {
  return shown ? "below the threshold: kept by threshold-off, or has its own threshold"
               : "above the threshold: hidden by top-k or min-duration, or has its own threshold";
}

double threshold_of(const Label& label, const Explanation& explanation) {
  return std::isnan(label.threshold) ? explanation.threshold : label.threshold;
}

std::string presence_reason(const Label& label, const Explanation& explanation) {
  if (label.shown) {
    if (label.prior >= threshold_of(label, explanation) && label.evidence > 0)
      return "the rest of the frame, and its own evidence";
    return label.evidence > 0 ? "its own evidence" : "the rest of the frame";
  }
  if (label.evidence < 0) return "matches the frame less than a random word";
  if (label.prior < kUnlikely) return "unlikely given the rest of the frame";
  return "too little evidence";
}

std::string softmax_reason(const Label& label) {
  if (std::isnan(label.correction) || label.plain_shown.value_or(label.shown) == label.shown) return "";
  if (label.shown) return label.correction > 0 ? "raised by the correction" : "others were lowered by the correction";
  return label.correction < 0 ? "lowered by the correction" : "others were raised by the correction";
}

}  // namespace

bool is_near(const Label& label, const Explanation& explanation) {
  if (label.shown || label.plain_shown.value_or(false)) return true;
  const double threshold = threshold_of(label, explanation);
  return std::isnan(threshold) || label.probability >= kNear * threshold;
}

std::string reason(const Label& label, const Explanation& explanation) {
  if (!explanation.comparable) return "too few words to compare with";
  const double threshold = threshold_of(label, explanation);
  if (!std::isnan(threshold) && label.shown != (label.probability >= threshold)) return other_cause(label.shown);
  if (!explanation.presence) return softmax_reason(label);
  if (is_judged_alone(label)) return label.shown ? "its own evidence" : "too little evidence";
  return std::isnan(label.evidence) ? "" : presence_reason(label, explanation);
}

namespace {

void print_sources(std::ostream& out, const Origin& origin) {
  out << "\nprior of " << printable(origin.label) << ": " << rounded(origin.prior)
      << (origin.is_known ? ", from the words that match the picture\n"
                          : ", from the words that match the picture; the label is not in the prior table\n");
  std::vector<Row> rows{{"word", "share", "P(label | word)", "adds"}};
  for (const Source& source : origin.sources)
    rows.push_back({source.word == origin.label ? source.word + " itself" : source.word, rounded(source.share, "%.3f"),
                    rounded(source.given), rounded(source.adds, "%.3f")});
  if (origin.others > 0)
    rows.push_back({std::to_string(origin.others) + (origin.others == 1 ? " other word" : " other words"), "", "",
                    rounded(origin.rest, "%.3f")});
  print_numbers(out, rows);
}

void print_origin(std::ostream& out, const Origin& origin) {
  if (std::isnan(origin.prior))
    out << "\nprior of " << printable(origin.label) << ": none, because the model scores each label independently\n";
  else
    print_sources(out, origin);
  if (origin.offset != 0) out << "People have taught " << rounded(origin.offset, "%+.2f") << " on its log-odds.\n";
}

}  // namespace

void print(std::ostream& out, const Explanation& explanation, bool all) {
  out << printable(explanation.title) << '\n';
  print_table(out, facts(explanation));

  std::vector<const Label*> labels;
  for (const Label& label : explanation.labels)
    if (all || is_near(label, explanation) || (explanation.origin && explanation.origin->label == label.name))
      labels.push_back(&label);
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label* a, const Label* b) { return rank(a->probability) > rank(b->probability); });
  std::vector<Row> rows;
  const bool presence = explanation.presence;
  const bool thresholds =
      std::any_of(labels.begin(), labels.end(), [](auto* each) { return !std::isnan(each->threshold); });
  Row& header = rows.emplace_back(Row{"label", "probability"});
  if (thresholds) header.push_back("threshold");
  for (const char* name : {"prior", "evidence"})
    if (presence) header.push_back(name);
  if (!presence) header.push_back("correction");
  for (const char* name : {"plain CLIP", "shown", "why"}) header.push_back(name);
  for (const Label* label : labels) {
    Row row{label->name, rounded(label->probability)};
    if (thresholds) row.push_back(rounded(label->threshold));
    if (presence) {
      row.push_back(rounded(label->prior));
      row.push_back(rounded(label->evidence, "%+5.1f"));
    } else {
      row.push_back(rounded(label->correction, "%+5.1f"));
    }
    row.push_back(rounded(label->plain_softmax) + (label->plain_shown.value_or(false) ? " shown" : ""));
    row.push_back(label->shown ? "yes" : "no");
    if (std::string why = reason(*label, explanation); !why.empty()) row.push_back(std::move(why));
    rows.push_back(std::move(row));
  }
  out << '\n';
  if (labels.empty())
    out << "No label is shown or near the threshold.\n";
  else
    print_table(out, rows);
  if (const std::size_t rest = explanation.labels.size() - labels.size(); rest > 0)
    out << "and " << rest << (rest == 1 ? " label" : " labels") << " below half of the threshold (--all lists them)\n";
  if (explanation.origin) print_origin(out, *explanation.origin);
  if (!explanation.remark.empty()) out << "note: " << printable(explanation.remark) << '\n';
}

}  // namespace bcp::cli::explain
