// SPDX-License-Identifier: LGPL-2.1-or-later
// What `gst-bcp model check` has to say about a model, part by part. Each adds to the report, up to what is wrong.

#pragma once

#include <cstddef>
#include <vector>

#include "base/result.hpp"
#include "clip/model.hpp"
#include "clip/text_encoder.hpp"
#include "gst-bcp/common/report.hpp"
#include "gst-bcp/model/golden.hpp"

namespace bcp::cli {

// Known without a look into the towers: layout, files, sizes.
void add_bundle(const clip::Bundle& bundle, Report& report);
// The towers' tensors and their roles, as the files declare them.
Status add_tensors(const clip::Bundle& bundle, Report& report);
// What runs it, its embeddings, and how long one takes.
Status add_image_tower(clip::Model& model, Report& report);
// The same of texts, and how they are tokenized.
Status add_text_tower(const clip::Bundle& bundle, clip::TextEncoder& encoder, Report& report);
// The number of labels.
Result<std::size_t> add_text_bank(const clip::Bundle& bundle, Report& report);
// What presence probabilities are made with. `labels`: how many labels the model brings; 0: none.
void add_presence(const clip::Bundle& bundle, std::size_t labels, Report& report);
void add_notes(const clip::Bundle& bundle, Report& report);
// Every reference value and what was found; returns how many do not agree.
std::size_t add_comparison(const Golden& golden, const std::vector<Compared>& rows, Report& report);

}  // namespace bcp::cli
