// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp model preprocess: the input tensor of a model for a picture.

#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "base/npy.hpp"
#include "gst-bcp/common/options.hpp"
#include "gst-bcp/common/picture_file.hpp"
#include "gst-bcp/model/commands.hpp"
#include "image/preprocessor.hpp"

namespace bcp::cli {
namespace {

struct PreprocessOptions {
  std::string picture, output, model = clip::kBundledModel;
  image::Coverage coverage = image::Coverage::kCentre;
};

Status preprocess(const PreprocessOptions& options) {
  const Result<clip::Bundle> bundle = open_bundle(options.model);
  if (!bundle) return bundle.error();
  const Result<PictureFile> file = PictureFile::read(options.picture);
  if (!file) return file.error();
  Result<image::Preprocessor> preprocessor =
      image::Preprocessor::make(file->format(), bundle->tensor, options.coverage);
  if (!preprocessor) return Error{preprocessor.error().code, options.picture + ": " + preprocessor.error().message};
  std::vector<float> tensor(preprocessor->tensor_size());
  preprocessor->run(file->picture(), tensor);
  const auto tiles = static_cast<std::size_t>(preprocessor->tiles());
  const auto side = static_cast<std::size_t>(bundle->tensor.size);
  return write_npy(options.output, tensor, {tiles, 3, side, side});
}

}  // namespace

Command model_preprocess(CLI::App& group) {
  const auto options = std::make_shared<PreprocessOptions>();
  CLI::App& command = *group.add_subcommand(
      "preprocess",
      "Write the model's input for a picture: resized, cropped and normalised, float32 [1, 3, size, size]; with "
      "--coverage tiles [tiles, 3, size, size]. No model is loaded.");
  command.add_option("IMAGE", options->picture, "The picture; its EXIF orientation is applied, alpha is dropped")
      ->required()
      ->type_name(" ");
  add_output(command, options->output);
  add_model(command, options->model);
  add_coverage(command, options->coverage);
  command.footer("Example: gst-bcp model preprocess cat.jpg cat.npy --model clip-vit-b32");
  return {&command, [options] { return preprocess(*options); }};
}

}  // namespace bcp::cli
