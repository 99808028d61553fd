// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp model embed: the embedding of a picture or a text.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/npy.hpp"
#include "clip/image_encoder.hpp"
#include "clip/prompts.hpp"
#include "clip/shared_encoder.hpp"
#include "clip/text_bank.hpp"
#include "clip/text_encoder.hpp"
#include "gst-bcp/common/options.hpp"
#include "gst-bcp/common/picture_file.hpp"
#include "gst-bcp/model/commands.hpp"
#include "tag/frame_encoder.hpp"

namespace bcp::cli {
namespace {

namespace fs = std::filesystem;

struct EmbedOptions {
  std::string what, output, model = clip::kBundledModel;
  bool is_text = false;
  std::vector<std::string> templates;
  image::Coverage coverage = image::Coverage::kCentre;
  onnx::SessionOptions execution;
};

using Embedding = std::vector<float>;

Result<Embedding> embed_picture(const EmbedOptions& options, const clip::Bundle& bundle) {
  const Result<PictureFile> file = PictureFile::read(options.what);
  if (!file) return file.error();
  const Result<std::unique_ptr<clip::ImageEncoder>> encoder = clip::ImageEncoder::open(bundle, options.execution);
  if (!encoder) return encoder.error();
  clip::SharedEncoder images(**encoder);
  tag::FrameEncoder frame(images.embedding_size(), bundle.tensor);
  if (const Status fits = frame.configure(file->format(), options.coverage); !fits)
    return Error{fits.error().code, options.what + ": " + fits.error().message};
  frame.preprocess(file->picture());
  const Result<std::span<const float>> embedding = frame.infer(images);
  if (!embedding) return embedding.error();
  return Embedding(embedding->begin(), embedding->end());
}

// As for labels of the element: the normalised mean over the templates.
Result<Embedding> embed_with_tower(const EmbedOptions& options, const clip::Bundle& bundle) {
  std::vector<std::string> texts;
  for (const std::string& each : options.templates) {
    if (const Status sound = clip::check_template(each); !sound) return sound.error();
    texts.push_back(clip::fill_template(each, options.what));
  }
  if (texts.empty()) texts.push_back(options.what);
  const Result<std::unique_ptr<clip::TextEncoder>> encoder = clip::TextEncoder::open(bundle, options.execution);
  if (!encoder) return encoder.error();
  Eigen::RowVectorXf sum = Eigen::RowVectorXf::Zero((*encoder)->embedding_size());
  for (const std::string& text : texts) {
    const Result<clip::TextMatrix> row = (*encoder)->encode(std::span(&text, 1));
    if (!row) return row.error();
    sum += row->row(0);
  }
  const float length = sum.norm();
  if (!(length > 1e-6f))
    return Error{ErrorCode::kInvalid,
                 "the embeddings of \"" + options.what + "\" cancel out over its templates: use others"};
  sum /= length;
  return Embedding(sum.begin(), sum.end());
}

Result<Embedding> embed_with_bank(const EmbedOptions& options, const clip::Bundle& bundle) {
  if (!options.templates.empty())
    return Error{ErrorCode::kInvalid,
                 "--template does not work with the model " + bundle.name +
                     ", which has precomputed text embeddings and no text tower: leave it out, or use a "
                     "model with a text tower"};
  const Result<clip::TextBank> bank = clip::TextBank::open(bundle.text_bank);
  if (!bank) return bank.error();
  const clip::Label label{.name = options.what};
  const Result<clip::LabelSet> row = bank->select(std::span(&label, 1));
  if (!row) return row.error();
  return Embedding(row->embeddings.row(0).begin(), row->embeddings.row(0).end());
}

// A misspelt file name must not be encoded as a text.
bool looks_like_a_picture(const std::string& text) {
  constexpr std::array<std::string_view, 7> kEndings = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"};
  std::string ending = fs::path(text).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

Status embed(const EmbedOptions& options) {
  std::error_code ignored;
  const bool is_picture = !options.is_text && options.templates.empty() && fs::exists(options.what, ignored);
  if (!is_picture && !options.is_text && looks_like_a_picture(options.what))
    return Error{ErrorCode::kNotFound,
                 "there is no file " + options.what + ": check the path, or add --text if this is a text"};
  const Result<clip::Bundle> bundle = open_bundle(options.model, options.execution.precision);
  if (!bundle) return bundle.error();
  const Result<Embedding> embedding = is_picture        ? embed_picture(options, *bundle)
                                      : bundle->textual ? embed_with_tower(options, *bundle)
                                                        : embed_with_bank(options, *bundle);
  if (!embedding) return embedding.error();
  return write_npy(options.output, *embedding, {embedding->size()});
}

}  // namespace

Command model_embed(CLI::App& group) {
  const auto options = std::make_shared<EmbedOptions>();
  CLI::App& command = *group.add_subcommand(
      "embed",
      "Write the embedding of a picture or a text: float32 [numbers], of length 1. The dot product of two, times "
      "the model's logit scale, is the score that the element computes.");
  command
      .add_option(
          "IMAGE|TEXT", options->what,
          "A picture if a file of this name exists, else a text. For a model without a text tower, the text must "
          "be one of its labels")
      ->required()
      ->type_name(" ");
  add_output(command, options->output);
  add_model(command, options->model);
  command.add_flag("--text", options->is_text, "IMAGE|TEXT is a text, even if a file has that name");
  command
      .add_option("--template", options->templates,
                  "Insert the text at {}, as the element does with labels (\"a photo of a {}\"); several templates are "
                  "averaged (default: the text unchanged)")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("TEXT");
  add_coverage(command, options->coverage);
  add_execution(command, options->execution);
  command.footer(
      "Examples:\n  gst-bcp model embed cat.jpg cat.npy\n"
      "  gst-bcp model embed \"a photo of a cat\" text.npy --model clip-vit-b32");
  return {&command, [options] { return embed(*options); }};
}

}  // namespace bcp::cli
