// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/label_request.hpp"

#include "clip/prompts.hpp"

namespace bcp::tag {

Result<clip::LabelSet> encode_labels(const LabelRequest& request, clip::LabelEncoder& encoder,
                                     const clip::LabelEncoder::Progress& progress) {
  std::vector<std::string> templates;
  if (!request.templates.empty()) {
    Result<std::vector<std::string>> parsed = clip::parse_templates(request.templates);
    if (!parsed) return parsed.error();
    templates = *std::move(parsed);
  }
  if (request.source == LabelSource::kBundle) {
    Result<clip::LabelSet> own = encoder.own();
    if (!own || templates.empty()) return own;
    return encoder.encode(own->labels, templates, progress);
  }
  Result<std::vector<clip::Label>> labels =
      request.source == LabelSource::kText ? clip::parse_labels(request.labels) : clip::load_labels(request.labels);
  if (!labels) return labels.error();
  return encoder.encode(*std::move(labels), templates, progress);
}

}  // namespace bcp::tag
