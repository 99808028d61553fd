// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/regions.hpp"

#include <gst/video/gstvideometa.h>

#include <algorithm>
#include <set>

#ifdef BCP_HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

namespace bcp::tagger {
namespace {

// Replaces a box that is far larger or further away than any frame by an empty one, so that later sums cannot overflow.
image::Rect sane(const image::Rect& box) {
  constexpr int kFar = 1 << 24;
  const auto is_near = [](int value) { return value > -kFar && value < kFar; };
  return is_near(box.x) && is_near(box.y) && is_near(box.width) && is_near(box.height) ? box : image::Rect{};
}

// The coordinates are unsigned: a box that begins left of the frame or above it has a very large one (-5 as guint).
image::Rect box_of(const GstVideoRegionOfInterestMeta& roi) {
  return sane({static_cast<int>(roi.x), static_cast<int>(roi.y), static_cast<int>(roi.w), static_cast<int>(roi.h)});
}

#ifdef BCP_HAVE_ANALYTICS
std::vector<Region> detected_objects(GstBuffer* buffer) {
  std::vector<Region> objects;
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(buffer);
  if (!meta) return objects;
  gpointer state = nullptr;
  GstAnalyticsODMtd found;
  while (gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_od_mtd_get_mtd_type(), &found)) {
    image::Rect box;
    if (gst_analytics_od_mtd_get_location(&found, &box.x, &box.y, &box.width, &box.height, nullptr)) {
      objects.push_back({static_cast<int>(found.id), sane(box)});
    }
  }
  return objects;
}
#else
std::vector<Region> detected_objects(GstBuffer*) {
  return {};
}
#endif

}  // namespace

std::vector<Region> number_regions(GstBuffer* buffer) {
  std::vector<GstVideoRegionOfInterestMeta*> rois, unnumbered;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    rois.push_back(reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta));
  }
  std::vector<Region> objects = detected_objects(buffer);
  std::set<int> taken;
  for (const Region& object : objects) taken.insert(object.id);

  for (GstVideoRegionOfInterestMeta* roi : rois) {
    const auto same = std::find(objects.begin(), objects.end(), Region{roi->id, box_of(*roi)});
    if (same != objects.end()) {
      objects.erase(same);
    } else if (roi->id < 0 || !taken.insert(roi->id).second) {
      unnumbered.push_back(roi);  // numbered below, when all used ids are known
    }
  }
  int next = 0;
  for (GstVideoRegionOfInterestMeta* roi : unnumbered) {
    while (!taken.insert(next).second) ++next;
    roi->id = next;
  }

  std::vector<Region> regions;
  for (const GstVideoRegionOfInterestMeta* roi : rois) regions.push_back({roi->id, box_of(*roi)});
  regions.insert(regions.end(), objects.begin(), objects.end());
  return regions;
}

}  // namespace bcp::tagger
