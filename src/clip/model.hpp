// Everything frames are scored with: a bundle, its image tower and its text bank, opened and found fit.
//
// Thread safety: bundle() and bank() are immutable; encoder() is for one thread at a time.

#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "clip/bundle.hpp"
#include "clip/image_encoder.hpp"
#include "clip/text_bank.hpp"

namespace bcp::clip {

class Model {
 public:
  static Result<std::shared_ptr<Model>> open(const std::string& name_or_path, const EncoderOptions& options);

  const Bundle& bundle() const { return bundle_; }
  const TextBank& bank() const { return bank_; }
  ImageEncoder& encoder() { return *encoder_; }

 private:
  Model(Bundle bundle, TextBank bank, std::unique_ptr<ImageEncoder> encoder);
  Bundle bundle_;
  TextBank bank_;
  std::unique_ptr<ImageEncoder> encoder_;
};

}  // namespace bcp::clip
