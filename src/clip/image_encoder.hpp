// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The image tower: normalised pixels in, unit embeddings out.
//
// Opening one runs the self-test: two different pictures (made by test_picture) must give embeddings that are finite,
// longer than 1e-3 before normalising, and different from each other; if the bundle has the expected embedding of the
// first, it must match. A tower that fails is an error, because a wrong export would give plausible but useless scores.
//
// Thread safety: encode() may be called by one thread at a time.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"
#include "onnx/execution.hpp"

namespace bcp::onnx {
class Session;
}

namespace bcp::clip {

class ImageEncoder {
 public:
  static Result<std::unique_ptr<ImageEncoder>> open(const Bundle& bundle, const onnx::SessionOptions& options);
  ~ImageEncoder();

  int embedding_size() const;
  // The provider in use: "cpu", "cuda" or "openvino".
  const std::string& provider() const;
  // The precision in use: "fp32", "fp16", "bf16", or "int8" for an int8 bundle.
  const std::string& precision() const;
  // One sentence for the user about the choice of kAuto ("running on the CPU: CUDA is not available (reason)"), or
  // empty.
  const std::string& provider_note() const;
  int threads() const;
  // Whether several pictures take one run; otherwise encode() runs them one by one.
  bool takes_batches() const;

  // Encodes `count` pictures, stored one after the other as Preprocessor writes them, and writes their unit embeddings.
  // A tower with a fixed batch runs once per picture, any other with up to 16 at a time. Pixels are not copied; nothing
  // is allocated while the caller reuses a few buffers and `count` does not grow. A non-finite embedding is an error of
  // that picture only: it is written as zeros, and the others are still written. `lengths`, unless empty, receives the
  // lengths before normalising. REQUIRES: pixels.size() == count * 3 * size * size, embeddings.size() == count *
  // embedding_size(), lengths is empty or lengths.size() == count.
  Status encode(std::span<const float> pixels, int count, std::span<float> embeddings, std::span<float> lengths = {});

  // The session that encode() runs, for measurements.
  onnx::Session& session();

 private:
  ImageEncoder();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Picture 0 or 1 of the self-test, normalised, channels first: smooth ramps and a checkerboard, defined in
// models/README.md so that exporters can make the same. REQUIRES: spec.size >= 2.
std::vector<float> test_picture(int number, const image::TensorSpec& spec);

}  // namespace bcp::clip
