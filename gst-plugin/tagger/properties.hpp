// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The properties of bcptagger: their specification, and the way between GValues and Settings.
//
// Setters store; they open no file and check nothing that start() or the next frame would not report on the bus.

#pragma once

#include <gst/gst.h>

#include "tagger/settings.hpp"

namespace bcp::tagger {

// Property ids; kStats is read-only and answered by the element itself.
enum Property : guint {
  kPropModel = 1,
  kPropLabels,
  kPropLabelsFile,
  kPropPromptTemplate,
  kPropExecutionProvider,
  kPropDeviceId,
  kPropIntraOpThreads,
  kPropModelInstanceId,
  kPropEnabled,
  kPropSourceId,
  kPropPreset,
  kPropCorrection,
  kPropAnchorConfidence,
  kPropStrength,
  kPropAnchors,
  kPropKeepAnchor,
  kPropWarmUp,
  kPropShrinkage,
  kPropHalfLife,
  kPropNoveltyDistance,
  kPropNoveltyInterval,
  kPropInferenceInterval,
  kPropMaxRate,
  kPropMode,
  kPropCoverage,
  kPropInferenceRegion,
  kPropMaxRegions,
  kPropThreshold,
  kPropThresholdOff,
  kPropTopK,
  kPropAttachEmbedding,
  kPropPostMessages,
  kPropPriorFile,
  kPropPriorMode,
  kPropPriorInterval,
  kPropPriorGroup,
  kPropMetricsFile,
  kPropMetricsInterval,
  kPropStats,
};

void install_properties(GObjectClass* object_class);

// False when there is no such property. Any thread; touches nothing but its arguments.
bool set_setting(Settings& settings, guint id, const GValue* value);
bool get_setting(const Settings& settings, guint id, GValue* value);

}  // namespace bcp::tagger
