// SPDX-License-Identifier: LGPL-2.1-or-later
// What `gst-bcp model check` reports about a model, part by part. Each function adds to the report, up to its error.

#pragma once

#include <cstddef>
#include <vector>

#include "base/result.hpp"
#include "clip/model.hpp"
#include "clip/text_encoder.hpp"
#include "gst-bcp/common/report.hpp"
#include "gst-bcp/model/golden.hpp"

namespace bcp::cli {

// Known without opening the towers: layout, files, sizes.
void add_bundle(const clip::Bundle& bundle, Report& report);
// The towers' tensors and their roles, as the files declare them.
Status add_tensors(const clip::Bundle& bundle, Report& report);
// The provider, the image embedding, and its time.
Status add_image_tower(clip::Model& model, Report& report);
// The same for texts, and the tokenizer.
Status add_text_tower(const clip::Bundle& bundle, clip::TextEncoder& encoder, Report& report);
// The number of labels.
Result<std::size_t> add_text_bank(const clip::Bundle& bundle, Report& report);
// The settings of presence probabilities. `labels`: the number of labels in the model; 0: none.
void add_presence(const clip::Bundle& bundle, std::size_t labels, Report& report);
void add_notes(const clip::Bundle& bundle, Report& report);
// Every reference value and the computed one; returns how many differ.
std::size_t add_comparison(const Golden& golden, const std::vector<Compared>& rows, Report& report);

}  // namespace bcp::cli
