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
constexpr double kUnlikely = 0.1;  // the prior of a word the table does not know

std::string rounded(double value, const char* format = "%.2f") {
  if (std::isnan(value)) return "-";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

double rank(double probability) {
  return std::isnan(probability) ? -1 : probability;
}

std::string shown_from(const Explanation& explanation) {
  if (std::isnan(explanation.threshold)) return "";
  return ", shown from " + rounded(explanation.threshold) + " unless a label has its own threshold";
}

std::vector<Row> facts(const Explanation& explanation) {
  std::vector<Row> rows;
  rows.push_back({"decision", (explanation.presence ? "presence" : "softmax") + shown_from(explanation)});
  if (explanation.presence && !explanation.calibrated)
    rows.push_back({"calibrated", "no: probabilities rank the labels, and 0.70 does not mean 7 of 10"});
  if (!explanation.context.empty()) {
    rows.push_back({"context", explanation.context + " " + rounded(explanation.context_weight) +
                                   ": explains the frame better than any label"});
  } else if (explanation.presence) {
    rows.push_back({"context", "none: a label explains the frame best"});
  }
  if (!explanation.presence) {
    rows.push_back({"anchor", explanation.anchor.empty()
                                  ? "none: no label was sure enough"
                                  : explanation.anchor + " " + rounded(explanation.anchor_probability)});
    rows.push_back({"learnt", rounded(explanation.samples, "%.0f") + " frames"});
  }
  return rows;
}

// What a threshold alone does not account for.
std::string other_cause(bool shown) {
  return shown ? "below the threshold: kept by threshold-off, or has its own threshold"
               : "reaches the threshold: left out by top-k or min-duration, or has its own threshold";
}

std::string presence_reason(const Label& label, const Explanation& explanation) {
  if (label.shown) {
    if (label.prior >= explanation.threshold && label.evidence > 0)
      return "what else the frame shows, and its own evidence";
    return label.evidence > 0 ? "its own evidence" : "what else the frame shows";
  }
  if (label.evidence < 0) return "fits the frame less than a random word";
  if (label.prior < kUnlikely) return "unlikely beside what else the frame shows";
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
  return std::isnan(explanation.threshold) || label.probability >= kNear * explanation.threshold;
}

std::string reason(const Label& label, const Explanation& explanation) {
  if (!std::isnan(explanation.threshold) && label.shown != (label.probability >= explanation.threshold))
    return other_cause(label.shown);
  if (!explanation.presence) return softmax_reason(label);
  return std::isnan(label.prior) || std::isnan(label.evidence) ? "" : presence_reason(label, explanation);
}

void print(std::ostream& out, const Explanation& explanation, bool all) {
  out << printable(explanation.title) << '\n';
  print_table(out, facts(explanation));

  std::vector<const Label*> labels;
  for (const Label& label : explanation.labels)
    if (all || is_near(label, explanation)) labels.push_back(&label);
  std::stable_sort(labels.begin(), labels.end(),
                   [](const Label* a, const Label* b) { return rank(a->probability) > rank(b->probability); });
  std::vector<Row> rows;
  const bool presence = explanation.presence;
  rows.push_back(presence ? Row{"label", "probability", "prior", "evidence", "plain CLIP", "shown", "why"}
                          : Row{"label", "probability", "correction", "plain CLIP", "shown", "why"});
  for (const Label* label : labels) {
    Row row{label->name, rounded(label->probability)};
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
    out << "and " << rest << (rest == 1 ? " label" : " labels")
        << " less than half as likely as the threshold asks (--all)\n";
  if (!explanation.remark.empty()) out << "note: " << printable(explanation.remark) << '\n';
}

}  // namespace bcp::cli::explain
