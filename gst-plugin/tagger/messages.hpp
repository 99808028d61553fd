// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The element messages of a tagger, for applications that do not read the metadata.
//
//   bcp-labels-active  serial (uint), count (uint): a change of labels took effect
//   bcp-labels-progress  serial, done, total (uint): labels are being encoded; posted every 500 ms
//   bcp-result         source-id, timestamp, stream-time, region (the id of a region, or -1 for the whole frame),
//                      decision (presence, softmax), threshold (double, for labels without their own), calibrated
//                      (boolean), context (the word that explains the frame better than any label, or NULL),
//                      context-weight, anchor, anchor-probability, samples, and labels: an array of `label` structures
//                      (name, probability, softmax, zero-shot-softmax, prior, evidence, logit, zero-shot, correction)
//                      for the shown labels; prior and evidence are NaN with decision=softmax
//   bcp-event          source-id, event (label-on, label-off), label, stream-time, start (if known), end and duration
//                      (only in label-off, if known), probability, peak, mean (decide/events.hpp)
//   bcp-prior-loaded   path, samples (double), kept, new, dropped (uint): the statistics of the prior-file are in use;
//                      the number of labels that are in the file and requested, only requested, and only in the file
//   bcp-prior-saved    path, samples (double), labels (uint): the learnt statistics are in the prior-file
//   bcp-prior-merged   path, samples (double), kept, new, dropped (uint): the statistics of a file were added by
//                      merge-prior; its samples, and labels as for bcp-prior-loaded
//   bcp-scene          source-id, stream-time (if known), scene, previous (uint, numbers of scenes), new (boolean: seen
//                      for the first time), scenes (uint): another scene begins with the next frame
//
// Call these with no lock held.

#pragma once

#include <gst/bcp/gstbcpmeta.h>
#include <gst/gst.h>

#include <cstddef>
#include <string>

#include "decide/events.hpp"
#include "prior/scenes.hpp"

namespace bcp::tagger {

void post_labels_active(GstElement* element, unsigned serial, std::size_t count);
void post_labels_progress(GstElement* element, unsigned serial, std::size_t done, std::size_t total);
void post_result(GstElement* element, const GstBcpResult* result, GstClockTime stream_time);
void post_event(GstElement* element, const decide::Event& event, const char* source_id, GstClockTime stream_time);

struct LabelsMatched {
  std::size_t kept, added, dropped;
};
void post_prior_loaded(GstElement* element, const std::string& path, double samples, const LabelsMatched& labels);
void post_prior_merged(GstElement* element, const std::string& path, double samples, const LabelsMatched& labels);
void post_scene(GstElement* element, const prior::SceneChange& change, const char* source_id, GstClockTime stream_time);
void post_prior_saved(GstElement* element, const std::string& path, double samples, std::size_t labels);

}  // namespace bcp::tagger
