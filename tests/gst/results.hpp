// SPDX-License-Identifier: LGPL-2.1-or-later
// Results from tables of numbers, which are easier to read in a test than a call for each number.

#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "support/owners.hpp"

namespace bcp::test {

struct Score {
  double zero_shot = 0, correction = 0, logit = 0, zero_shot_softmax = 0, probability = 0;
  GstBcpScoreFlags flags = GST_BCP_SCORE_NONE;
  double softmax = NAN;  // NaN: the probability
  double prior = NAN, evidence = NAN;
};

struct Origin {
  const char* source_id = nullptr;
  GstClockTime pts = GST_CLOCK_TIME_NONE;
  gint region_id = -1;
  gint anchor = -1;
  double anchor_probability = 0;
  double samples = 0;
  std::vector<float> embedding = {};
  GstBcpDecision decision = GST_BCP_DECISION_SOFTMAX;
  double threshold = 0.2;
  bool calibrated = false;
  const char* context = nullptr;
  double context_weight = 0;
};

// A result with `labels` and a score for each, or without scores.
inline gst::BcpResultPtr make_result(GstBcpLabels* labels, std::span<const Score> scores, const Origin& origin = {}) {
  const gst::BcpResultBuilderPtr making(gst_bcp_result_builder_new(labels));
  GstBcpResultBuilder* const builder = making.get();
  for (guint k = 0; k < scores.size(); ++k) {
    const Score& score = scores[k];
    gst_bcp_result_builder_set_value(builder, GST_BCP_SCORE_FIELD_ZERO_SHOT, k, score.zero_shot);
    gst_bcp_result_builder_set_value(builder, GST_BCP_SCORE_FIELD_CORRECTION, k, score.correction);
    gst_bcp_result_builder_set_value(builder, GST_BCP_SCORE_FIELD_LOGIT, k, score.logit);
    gst_bcp_result_builder_set_value(builder, GST_BCP_SCORE_FIELD_ZERO_SHOT_SOFTMAX, k, score.zero_shot_softmax);
    gst_bcp_result_builder_set_value(builder, GST_BCP_SCORE_FIELD_PROBABILITY, k, score.probability);
    gst_bcp_result_builder_set_value(builder, GST_BCP_SCORE_FIELD_SOFTMAX, k,
                                     std::isnan(score.softmax) ? score.probability : score.softmax);
    gst_bcp_result_builder_set_value(builder, GST_BCP_SCORE_FIELD_PRIOR, k, score.prior);
    gst_bcp_result_builder_set_value(builder, GST_BCP_SCORE_FIELD_EVIDENCE, k, score.evidence);
    gst_bcp_result_builder_set_flags(builder, k, score.flags);
  }
  gst_bcp_result_builder_set_decision(builder, origin.decision, origin.threshold, origin.calibrated);
  gst_bcp_result_builder_set_context(builder, origin.context, origin.context_weight);
  gst_bcp_result_builder_set_source_id(builder, origin.source_id);
  gst_bcp_result_builder_set_pts(builder, origin.pts);
  gst_bcp_result_builder_set_region_id(builder, origin.region_id);
  gst_bcp_result_builder_set_anchor(builder, origin.anchor, origin.anchor_probability);
  gst_bcp_result_builder_set_samples(builder, origin.samples);
  gst_bcp_result_builder_set_embedding(builder, origin.embedding.data(), static_cast<guint>(origin.embedding.size()));
  return gst::BcpResultPtr(gst_bcp_result_builder_end(builder));
}

}  // namespace bcp::test
