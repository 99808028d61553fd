// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/controls.hpp"

#include "clip/labels.hpp"
#include "gst-bcp/run/plan/recipe.hpp"

namespace bcp::cli::run {

Status set_labels(Job& job, const std::string& comma_separated) {
  const Result<std::vector<clip::Label>> labels = clip::parse_labels(comma_separated);
  if (!labels) return labels.error();
  const gst::ElementPtr tagger = job.child(kTagger);
  if (!tagger) return Error{ErrorCode::kRuntime, job.name() + " is not connected yet: set its labels again when it is"};
  g_object_set(tagger.get(), "labels", comma_separated.c_str(), nullptr);
  return ok();
}

std::vector<std::string> labels_in_use(const Job& job) {
  std::vector<std::string> names;
  const gst::ElementPtr tagger = job.child(kTagger);
  if (!tagger) return names;
  gchar** list = nullptr;
  g_object_get(tagger.get(), "labels-in-use", &list, nullptr);
  for (gchar** name = list; name && *name; ++name) names.emplace_back(*name);
  g_strfreev(list);
  return names;
}

}  // namespace bcp::cli::run
