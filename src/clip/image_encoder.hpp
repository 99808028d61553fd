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
#include "clip/bundle.hpp"

namespace bcp::clip {

enum class Provider {
  kAuto,  // the best there is; provider_note() says what was chosen and why
  kCpu,
  kCuda,
};

struct EncoderOptions {
  Provider provider = Provider::kAuto;  // a named provider is a contract: it is used, or open() fails
  int device_id = 0;
  int threads = 0;  // inside one inference; 0: half of the CPUs this process may use, 1 to 4
};

class OnnxSession;

class ImageEncoder {
 public:
  static Result<std::unique_ptr<ImageEncoder>> open(const Bundle& bundle, const EncoderOptions& options);
  ~ImageEncoder();

  int embedding_size() const;
  // What runs the model: "cpu" or "cuda".
  const std::string& provider() const;
  // One sentence for the user when kAuto had to choose ("CUDA is not available (reason): running on the CPU"), or empty.
  const std::string& provider_note() const;
  int threads() const;

  // Encodes `count` pictures, laid out one after the other as Preprocessor writes them, and writes their unit
  // embeddings. A tower whose batch is fixed is run once a picture. Allocates only when `count` grows past any before.
  // A non-finite embedding is an error of these pictures, not of the encoder.
  // REQUIRES: pixels.size() == count * 3 * size * size, embeddings.size() == count * embedding_size().
  Status encode(std::span<const float> pixels, int count, std::span<float> embeddings);

 private:
  ImageEncoder();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The picture number 0 or 1 of the self-test, normalised, channels first: smooth ramps and a checkerboard, defined in
// models/README.md so that exporters can make the same.
std::vector<float> test_picture(int number, const image::TensorSpec& spec);

}  // namespace bcp::clip
