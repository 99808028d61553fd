// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/bundle/read_manifest.hpp"

#include <algorithm>
#include <utility>

#include "clip/bundle/json_keys.hpp"
#include "clip/bundle/limits.hpp"
#include "clip/bundle/presence_keys.hpp"
#include "clip/bundle/variant.hpp"
#include "clip/prompts.hpp"

namespace bcp::clip {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::map<std::string, std::string> read_checksums(JsonKeys& keys) {
  std::map<std::string, std::string> checksums;
  const json* const table = keys.find("sha256");
  if (!table || !table->is_object()) keys.fail("sha256", "an object of file names and their checksums", table);
  if (keys.error()) return checksums;
  for (const auto& [file, hash] : table->items()) {
    if (!stays_inside(file)) keys.fail("sha256." + file, "a file inside the bundle's directory", &hash);
    if (!hash.is_string() || !is_sha256(hash.get<std::string>()))
      keys.fail("sha256." + file, "64 hexadecimal digits in lower case", &hash);
    if (!keys.error()) checksums[file] = hash.get<std::string>();
  }
  return checksums;
}

std::vector<std::string> read_templates(JsonKeys& keys) {
  std::vector<std::string> templates = keys.texts("textual.templates", kMaxTemplates);
  for (const std::string& text : templates)
    if (Status sound = check_template(text); !sound) keys.refuse("textual.templates", sound.error().message);
  return templates;
}

TextTower read_text_tower(JsonKeys& keys, int embedding_size) {
  TextTower tower;
  tower.file = keys.file("textual.file", true);
  tower.ids = keys.text("textual.ids", false);
  tower.mask = keys.text("textual.mask", false);
  tower.output = keys.text("textual.output", false);
  tower.vocabulary = keys.file("textual.vocabulary", false);
  if (keys.has("textual.context_length")) tower.context_length = keys.whole("textual.context_length", 2, kMaxContext);
  if (keys.has("textual.padding")) tower.padding = keys.whole("textual.padding", 0, kMaxTokenId);
  tower.pad_to_length = keys.flag("textual.pad_to_length");
  tower.lowercase = keys.flag("textual.lowercase");
  tower.self_test.text = keys.text("self_test.text", false);
  for (const int token : keys.wholes("self_test.tokens", static_cast<std::size_t>(tower.context_length)))
    tower.self_test.tokens.push_back(token);
  tower.self_test.embedding = keys.numbers("self_test.text_embedding", static_cast<std::size_t>(embedding_size));
  const bool tests = !tower.self_test.tokens.empty() || !tower.self_test.embedding.empty();
  if (tests && tower.self_test.text.empty())
    keys.fail("self_test.text", "the text of the tokens and the embedding", keys.find("self_test.text"));
  return tower;
}

image::Crop read_crop(JsonKeys& keys) {
  const std::string crop = keys.text("image.crop", false);
  if (crop == "rounded") return image::Crop::kRounded;
  if (!crop.empty() && crop != "clip") keys.fail("image.crop", "clip or rounded", keys.find("image.crop"));
  return image::Crop::kClip;
}

image::Filter read_filter(JsonKeys& keys) {
  const std::string filter = keys.text("image.filter", false);
  if (filter == "bilinear") return image::Filter::kBilinear;
  if (!filter.empty() && filter != "bicubic")
    keys.fail("image.filter", "bicubic or bilinear", keys.find("image.filter"));
  return image::Filter::kBicubic;
}

image::Resize read_resize(JsonKeys& keys) {
  const std::string resize = keys.text("image.resize", false);
  if (resize == "squash") return image::Resize::kSquash;
  if (!resize.empty() && resize != "shortest")
    keys.fail("image.resize", "shortest or squash", keys.find("image.resize"));
  return image::Resize::kShortest;
}

void read_scoring(JsonKeys& keys, Bundle& bundle) {
  bundle.logit_scale = keys.positive("logit_scale");
  const std::string scoring = keys.text("scoring", false);
  if (scoring == "sigmoid") {
    bundle.scoring = Scoring::kSigmoid;
    bundle.logit_bias = keys.number("logit_bias");
    return;
  }
  if (!scoring.empty() && scoring != "softmax") keys.fail("scoring", "softmax or sigmoid", keys.find("scoring"));
  if (keys.has("logit_bias"))
    keys.refuse("logit_bias", "is only allowed with \"scoring\": \"sigmoid\"; set that, or remove logit_bias");
}

}  // namespace

Result<Manifest> read_manifest(const std::string& directory, const std::string& visual) {
  Result<JsonKeys> opened = JsonKeys::open(directory + "/bundle.json", "models/README.md describes the format");
  if (!opened) return opened.error();
  JsonKeys& keys = *opened;
  if (const int format = keys.whole("format", 1, 1'000'000); !keys.error() && format != kFormat)
    return Error{ErrorCode::kUnsupported, keys.path() + " has format " + std::to_string(format) +
                                              ", but this version reads " + std::to_string(kFormat) +
                                              ": update gst-bcp"};
  Manifest manifest;
  Bundle& bundle = manifest.bundle;
  bundle.directory = directory;
  bundle.layout = "bundle.json";
  bundle.name = keys.text("name", true);
  bundle.licence = keys.text("licence", true);
  bundle.description = keys.text("description", false);
  bundle.tensor.size = keys.whole("image.size", 2, kMaxImageSize);
  bundle.tensor.mean = keys.three("image.mean", -1e6);
  bundle.tensor.std = keys.three("image.std", 0);
  bundle.tensor.crop = read_crop(keys);
  bundle.tensor.filter = read_filter(keys);
  bundle.tensor.resize = read_resize(keys);
  if (keys.has("image.resize_to"))
    bundle.tensor.resize_to = keys.whole("image.resize_to", bundle.tensor.size, kMaxImageSize);
  read_scoring(keys, bundle);
  bundle.embedding_size = keys.whole("embedding_size", 1, kMaxEmbedding);
  bundle.visual.file = keys.file("visual.file", true);
  bundle.visual.input = keys.text("visual.input", false);
  bundle.int8 = keys.text("variant.precision", false) == "int8";
  bundle.visual.output = keys.text("visual.output", false);
  bundle.self_test = keys.numbers("self_test.embedding", static_cast<std::size_t>(bundle.embedding_size));
  if (keys.has("textual")) bundle.textual = read_text_tower(keys, bundle.embedding_size);
  bundle.templates = read_templates(keys);
  bundle.presence = read_presence(keys);
  bundle.text_bank = keys.file("text_bank.file", !bundle.textual);
  bundle.context_bank = keys.file("context_bank.file", false);
  if (keys.has("text_bank.known_cosine")) bundle.known_cosine = keys.share("text_bank.known_cosine");
  manifest.checksums = read_checksums(keys);

  const bool one_file = bundle.textual && bundle.textual->file == bundle.visual.file;
  if (!visual.empty() && bundle.textual && !one_file && visual == with_variant_of(bundle.textual->file, visual))
    return Error{ErrorCode::kInvalid, directory + "/" + visual +
                                          " is a text tower, but a model is selected by its image tower: give " +
                                          bundle.visual.file + " of " + directory + ", or the directory"};
  if (!visual.empty() && visual != bundle.visual.file) {
    bundle.visual.file = visual;
    bundle.self_test.clear();
    const std::string text = one_file ? visual : bundle.textual ? with_variant_of(bundle.textual->file, visual) : "";
    if (one_file || manifest.checksums.contains(text)) {
      bundle.textual->file = text;
      bundle.textual->self_test.embedding.clear();
    }
  }
  std::vector<std::string> needed = {bundle.visual.file};
  if (bundle.textual) needed.push_back(bundle.textual->file);
  if (bundle.textual && !bundle.textual->vocabulary.empty()) needed.push_back(bundle.textual->vocabulary);
  for (const std::string& bank : {bundle.text_bank, bundle.context_bank})
    if (!bank.empty()) needed.push_back(bank);
  for (const std::string& file : needed)
    if (!keys.error() && !manifest.checksums.contains(file))
      keys.fail("sha256." + file, "the file's checksum", nullptr);
  if (keys.error()) return *keys.error();

  bundle.visual.file = directory + "/" + bundle.visual.file;
  if (bundle.textual) bundle.textual->file = directory + "/" + bundle.textual->file;
  if (bundle.textual && !bundle.textual->vocabulary.empty())
    bundle.textual->vocabulary = directory + "/" + bundle.textual->vocabulary;
  for (std::string* const bank : {&bundle.text_bank, &bundle.context_bank})
    if (!bank->empty()) *bank = directory + "/" + *bank;
  return manifest;
}

}  // namespace bcp::clip
