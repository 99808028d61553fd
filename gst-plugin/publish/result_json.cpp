// SPDX-License-Identifier: LGPL-2.1-or-later

#include "publish/result_json.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include "mqtt/json_text.hpp"

namespace bcp::publish {
namespace {

using mqtt::append;
using mqtt::append_seconds;

void append_utc(std::string& out, std::int64_t us) {
  using namespace std::chrono;
  const sys_time<microseconds> when{microseconds(us)};
  const auto day = floor<days>(when);
  const year_month_day date(day);
  const hh_mm_ss time(when - day);
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "\"%04d-%02u-%02uT%02d:%02d:%02d.%06dZ\"", int{date.year()},
                unsigned{date.month()}, unsigned{date.day()}, static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
                static_cast<int>(time.subseconds().count()));
  out += text.data();
}

void append_label(std::string& out, const GstBcpResult* result, guint k) {
  out += "{\"label\":";
  append(out, gst_bcp_labels_get_name(gst_bcp_result_get_labels(result), k));
  out += gst_bcp_result_is_shown(result, k) ? ",\"shown\":true" : ",\"shown\":false";
  out += ",\"probability\":";
  append(out, gst_bcp_result_get_probability(result, k));
  out += ",\"softmax\":";
  append(out, gst_bcp_result_get_softmax(result, k));
  out += ",\"prior\":";
  append(out, gst_bcp_result_get_prior(result, k));
  out += ",\"evidence\":";
  append(out, gst_bcp_result_get_evidence(result, k));
  out += ",\"logit\":";
  append(out, gst_bcp_result_get_logit(result, k));
  out += ",\"zero_shot\":";
  append(out, gst_bcp_result_get_zero_shot(result, k));
  out += ",\"correction\":";
  append(out, gst_bcp_result_get_correction(result, k));
  out += ",\"zero_shot_softmax\":";
  append(out, gst_bcp_result_get_zero_shot_softmax(result, k));
  out += gst_bcp_result_is_shown_zero_shot(result, k) ? ",\"zero_shot_shown\":true}" : ",\"zero_shot_shown\":false}";
}

void append_decision(std::string& out, const GstBcpResult* result) {
  const bool presence = gst_bcp_result_get_decision(result) == GST_BCP_DECISION_PRESENCE;
  out += presence ? ",\"decision\":\"presence\",\"threshold\":" : ",\"decision\":\"softmax\",\"threshold\":";
  append(out, gst_bcp_result_get_threshold(result));
  out +=
      gst_bcp_result_is_calibrated(result) ? ",\"calibrated\":true,\"context\":" : ",\"calibrated\":false,\"context\":";
  if (const char* word = gst_bcp_result_get_context(result)) {
    out += "{\"word\":";
    append(out, word);
    out += ",\"weight\":";
    append(out, gst_bcp_result_get_context_weight(result));
    out += '}';
  } else {
    out += "null";
  }
}

// Sorts NaN last.
double rank(double probability) {
  return std::isnan(probability) ? -std::numeric_limits<double>::infinity() : probability;
}

}  // namespace

const std::string& ResultJson::compose(const GstBcpResult* result, const ResultTimes& times, bool all_labels) {
  const GstBcpLabels* labels = gst_bcp_result_get_labels(result);
  const gdouble* probabilities = gst_bcp_result_get_values(result, GST_BCP_SCORE_FIELD_PROBABILITY, nullptr);

  order_.clear();
  for (guint i = 0; i < gst_bcp_labels_get_size(labels); ++i) {
    if (all_labels || gst_bcp_result_get_flags(result, i) != GST_BCP_SCORE_NONE) order_.push_back(i);
  }
  std::sort(order_.begin(), order_.end(), [probabilities](guint a, guint b) {
    const double pa = rank(probabilities[a]), pb = rank(probabilities[b]);
    return pa != pb ? pa > pb : a < b;
  });

  line_ = "{\"version\":2,\"source\":";
  append(line_, gst_bcp_result_get_source_id(result));
  line_ += ",\"pts\":";
  append_seconds(line_, times.pts);
  line_ += ",\"utc\":";
  append_utc(line_, times.utc_us);
  line_ += ",\"inference_pts\":";
  append_seconds(line_, times.inference_pts);
  line_ += ",\"region\":";
  const gint region = gst_bcp_result_get_region_id(result);
  line_ += region == -1 ? "null" : std::to_string(region);
  append_decision(line_, result);
  line_ += ",\"anchor\":";
  if (const gint anchor = gst_bcp_result_get_anchor(result); anchor >= 0) {
    line_ += "{\"label\":";
    append(line_, gst_bcp_labels_get_name(labels, static_cast<guint>(anchor)));
    line_ += ",\"probability\":";
    append(line_, gst_bcp_result_get_anchor_probability(result));
    line_ += '}';
  } else {
    line_ += "null";
  }
  line_ += ",\"samples\":";
  // Not an integer if samples are forgotten (half-life); two decimals are enough.
  append(line_, std::round(gst_bcp_result_get_samples(result) * 100) / 100, 12);
  line_ += ",\"labels\":[";
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (i > 0) line_ += ',';
    append_label(line_, result, order_[i]);
  }
  line_ += "]}";
  return line_;
}

}  // namespace bcp::publish
