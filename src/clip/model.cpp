// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/model.hpp"

#include <utility>

#include "clip/bundle/open_variant.hpp"

namespace bcp::clip {
namespace {

Result<std::optional<TextBank>> open_bank(const Bundle& bundle, const std::string& path) {
  if (path.empty()) return std::optional<TextBank>();
  Result<TextBank> bank = TextBank::open(path);
  if (!bank) return bank.error();
  if (bundle.embedding_size > 0 && bank->embedding_size() != bundle.embedding_size)
    return Error{ErrorCode::kInvalid, path + " has embeddings of " + std::to_string(bank->embedding_size()) +
                                          " numbers, but the image tower " + std::to_string(bundle.embedding_size) +
                                          ": text and image must come from the same model"};
  return std::optional(*std::move(bank));
}

}  // namespace

Model::Model(Bundle bundle, std::unique_ptr<ImageEncoder> encoder, std::unique_ptr<LabelEncoder> labels)
    : bundle_(std::move(bundle)),
      encoder_(std::move(encoder)),
      images_(*encoder_),
      worker_(images_),
      labels_(std::move(labels)) {}

Result<std::shared_ptr<Model>> Model::open(const std::string& name_or_path, const onnx::SessionOptions& options) {
  const Result<std::string> directory = find_bundle(name_or_path);
  if (!directory) return directory.error();
  Result<Bundle> bundle = open_variant(*directory, options.precision);
  if (!bundle) return bundle.error();
  // The banks before the tower: their errors are found faster.
  Result<std::optional<TextBank>> bank = open_bank(*bundle, bundle->text_bank);
  if (!bank) return bank.error();
  Result<std::optional<TextBank>> context = open_bank(*bundle, bundle->context_bank);
  if (!context) return context.error();
  if (bundle->embedding_size == 0 && *bank) bundle->embedding_size = (*bank)->embedding_size();
  Result<std::unique_ptr<ImageEncoder>> encoder = ImageEncoder::open(*bundle, options);
  if (!encoder) return encoder.error();
  bundle->embedding_size = (*encoder)->embedding_size();
  if (bundle->textual)
    if (Status sound = TextEncoder::check(*bundle); !sound) return sound.error();
  auto labels = std::make_unique<LabelEncoder>(*bundle, TextBanks{*std::move(bank), *std::move(context)}, options);
  return std::shared_ptr<Model>(new Model(*std::move(bundle), *std::move(encoder), std::move(labels)));
}

}  // namespace bcp::clip
