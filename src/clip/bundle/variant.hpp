// SPDX-License-Identifier: LGPL-2.1-or-later
// Variants of one model, by the ending of the file name: vision_model.onnx, vision_model_fp16.onnx, ...

#pragma once

#include <cstddef>
#include <string>

namespace bcp::clip {

struct VariantName {
  std::string stem;    // "onnx/vision_model": the file's path without its variant and ".onnx"
  std::string ending;  // "", "_fp16", "_quantized", ...
};

// An unknown ending is part of the stem.
VariantName split_variant(const std::string& file);

// `file` in the variant of `like`: textual.onnx and visual_fp16.onnx give textual_fp16.onnx.
std::string with_variant_of(const std::string& file, const std::string& like);

// The default order of variants: full precision first.
std::size_t variant_rank(const std::string& ending);

// Whether the file name is that of an int8 variant: _int8, _quantized, _q8, ...
bool is_int8(const std::string& file);
// The int8 variant of the file at `path`: the file itself, or one in the same directory; empty if missing.
std::string int8_variant(const std::string& path);

}  // namespace bcp::clip
