// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/model.hpp"

#include <utility>

namespace bcp::clip {

Model::Model(Bundle bundle, TextBank bank, std::unique_ptr<ImageEncoder> encoder)
    : bundle_(std::move(bundle)), bank_(std::move(bank)), encoder_(std::move(encoder)) {}

Result<std::shared_ptr<Model>> Model::open(const std::string& name_or_path, const EncoderOptions& options) {
  const Result<std::string> directory = find_bundle(name_or_path);
  if (!directory) return directory.error();
  Result<Bundle> bundle = Bundle::open(*directory);
  if (!bundle) return bundle.error();
  Result<TextBank> bank = TextBank::open(bundle->text_bank);
  if (!bank) return bank.error();
  if (bank->embedding_size() != bundle->embedding_size)
    return Error{ErrorCode::kInvalid, bundle->text_bank + " has embeddings of " +
                                          std::to_string(bank->embedding_size()) + " numbers and bundle.json says " +
                                          std::to_string(bundle->embedding_size) +
                                          ": text and image must come from the same model"};
  Result<std::unique_ptr<ImageEncoder>> encoder = ImageEncoder::open(*bundle, options);
  if (!encoder) return encoder.error();
  return std::shared_ptr<Model>(new Model(*std::move(bundle), *std::move(bank), *std::move(encoder)));
}

}  // namespace bcp::clip
