// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/statistics.hpp"

#include <algorithm>

namespace bcp::gst {

void Timing::add(double milliseconds) {
  recent_[count_++ % recent_.size()] = milliseconds;
  sum_ += milliseconds;
}

double Timing::p99() const {
  const std::size_t size = std::min<std::size_t>(count_, recent_.size());
  if (size == 0) return 0;
  std::array<double, 512> sorted = recent_;
  const auto rank = static_cast<std::ptrdiff_t>((size * 99 - 1) / 100);
  std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.begin() + static_cast<std::ptrdiff_t>(size));
  return sorted[static_cast<std::size_t>(rank)];
}

GstStructure* Statistics::to_structure() const {
  return gst_structure_new(
      "bcp-stats", "frames", G_TYPE_UINT64, frames, "scored", G_TYPE_UINT64, scored, "held", G_TYPE_UINT64, held,
      "qos-skipped", G_TYPE_UINT64, qos_skipped, "dropped", G_TYPE_UINT64, dropped, "regions-scored", G_TYPE_UINT64,
      regions_scored, "regions-skipped", G_TYPE_UINT64, regions_skipped, "faults", G_TYPE_UINT64, faults, "samples",
      G_TYPE_DOUBLE, samples, "labels", G_TYPE_UINT, labels, "mode", G_TYPE_STRING, mode, "prior-group", G_TYPE_STRING,
      prior_group.c_str(), "prior-loaded", G_TYPE_DOUBLE, prior_loaded, "prior-saved", G_TYPE_DOUBLE, prior_saved,
      "prior-saves", G_TYPE_UINT64, prior_saves, "prior-saved-at", G_TYPE_UINT64, prior_saved_at, "provider",
      G_TYPE_STRING, provider.c_str(), "threads", G_TYPE_INT, threads, "preprocess-mean-ms", G_TYPE_DOUBLE,
      preprocess.mean(), "preprocess-p99-ms", G_TYPE_DOUBLE, preprocess.p99(), "inference-mean-ms", G_TYPE_DOUBLE,
      inference.mean(), "inference-p99-ms", G_TYPE_DOUBLE, inference.p99(), "adapt-mean-ms", G_TYPE_DOUBLE,
      adapt.mean(), "adapt-p99-ms", G_TYPE_DOUBLE, adapt.p99(), nullptr);
}

}  // namespace bcp::gst
