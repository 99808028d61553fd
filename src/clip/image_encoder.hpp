// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The image tower: normalised pixels in, unit embeddings out.
//
// Opening one runs the self-test: two different pictures (made by test_picture) must give embeddings that are finite,
// longer than 1e-3 before normalising, and different from each other; when the bundle brings the expected embedding of
// the first, it must agree. A tower that fails is refused: a wrong export gives plausible nonsense, never an error.
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
  // What runs the model: "cpu", "cuda" or "openvino".
  const std::string& provider() const;
  // What the model's arithmetic is done in: "fp32", "fp16", "bf16", or "int8" of an int8 bundle.
  const std::string& precision() const;
  // One sentence for the user when kAuto had to choose ("running on the CPU: CUDA is not available (reason)"), or
  // empty.
  const std::string& provider_note() const;
  int threads() const;
  // Whether several pictures are one run; otherwise encode() runs them one by one.
  bool takes_batches() const;

  // Encodes `count` pictures, laid out one after the other as Preprocessor writes them, and writes their unit
  // embeddings. A tower whose batch is fixed is run once a picture, any other at most 16 at a time. Pixels are read
  // where they are; nothing is allocated while the caller keeps to a handful of buffers and `count` does not grow. A
  // non-finite embedding is an error of these pictures, not of the encoder: it is written as zeros, and the others are
  // written all the same. `lengths`, where they are wanted, are those the embeddings had before. REQUIRES:
  // pixels.size() == count * 3 * size * size, embeddings.size() == count * embedding_size(), lengths is empty or
  // lengths.size() == count.
  Status encode(std::span<const float> pixels, int count, std::span<float> embeddings, std::span<float> lengths = {});

  // What encode() calls, for measuring it bare.
  onnx::Session& session();

 private:
  ImageEncoder();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The picture number 0 or 1 of the self-test, normalised, channels first: smooth ramps and a checkerboard, defined in
// models/README.md so that exporters can make the same. REQUIRES: spec.size >= 2.
std::vector<float> test_picture(int number, const image::TensorSpec& spec);

}  // namespace bcp::clip
