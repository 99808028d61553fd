// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <functional>

#include "clip/bundle.hpp"
#include "clip/onnx_file.hpp"
#include "layouts.hpp"
#include "onnx_builder.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
namespace config = test::config;
using nlohmann::json;
using test::LayoutDirectory;
using Parts = std::vector<std::string>;

void expect_refused(const std::string& path, ErrorCode code, const Parts& parts) {
  const Result<Bundle> bundle = Bundle::open(path);
  ASSERT_FALSE(bundle) << "no error; expected " << testing::PrintToString(parts);
  EXPECT_EQ(bundle.error().code, code) << bundle.error().message;
  for (const std::string& part : parts)
    EXPECT_NE(bundle.error().message.find(part), std::string::npos) << part << "\n" << bundle.error().message;
}

Bundle open_sound(const std::string& path) {
  Result<Bundle> bundle = Bundle::open(path);
  EXPECT_TRUE(bundle) << bundle.error().message;
  return bundle ? *std::move(bundle) : Bundle();
}

bool has_note(const Bundle& bundle, const std::string& part) {
  for (const std::string& note : bundle.notes)
    if (note.find(part) != std::string::npos) return true;
  return false;
}

// Hugging Face's usual files, to be changed by a test.
struct HuggingFace : LayoutDirectory {
  explicit HuggingFace(const std::string& name = "clip-vit-base-patch32") : LayoutDirectory(name) {
    tower("onnx/vision_model.onnx", "vision_model.onnx");
    tower("onnx/text_model.onnx", "text_model.onnx");
    test::put_hugging_face_configs(*this);
  }
};

class SoundLayout : public testing::TestWithParam<test::Layout> {};

TEST_P(SoundLayout, OpensAsItIs) {
  LayoutDirectory directory(GetParam().directory);
  GetParam().fill(directory);
  const Bundle bundle = open_sound(GetParam().open.empty() ? directory.path() : directory / GetParam().open);
  EXPECT_EQ(bundle.layout, GetParam().expected);
  EXPECT_EQ(bundle.name, GetParam().directory);
  EXPECT_EQ(bundle.directory, directory.path());
  EXPECT_EQ(bundle.tensor.size, 224);
  EXPECT_FLOAT_EQ(bundle.tensor.mean[0], 0.48145466f);
  EXPECT_FLOAT_EQ(bundle.tensor.std[2], 0.27577711f);
  EXPECT_EQ(bundle.embedding_size, 512);
  EXPECT_TRUE(fs::exists(bundle.visual.file));
  EXPECT_EQ(bundle.identity.size(), 64u);
  ASSERT_TRUE(bundle.textual || !bundle.text_bank.empty());
  if (!bundle.textual) return;
  EXPECT_TRUE(fs::exists(bundle.textual->file));
  EXPECT_EQ(bundle.textual->context_length, 77);
  EXPECT_EQ(bundle.text_identity.size(), 64u);
}

INSTANTIATE_TEST_SUITE_P(Layouts, SoundLayout, testing::ValuesIn(test::sound_layouts()),
                         [](const auto& layout) { return layout.param.name; });

TEST(Layouts, HuggingFaceSaysEverythingButTheScale) {
  const HuggingFace directory;
  const Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.visual.file, directory / "onnx/vision_model.onnx");
  EXPECT_EQ(bundle.textual->file, directory / "onnx/text_model.onnx");
  EXPECT_EQ(bundle.textual->vocabulary, directory / "tokenizer.json");
  EXPECT_EQ(bundle.textual->padding, 49407);
  EXPECT_EQ(bundle.logit_scale, 100);  // logit_scale_init_value is where training began
  ASSERT_EQ(bundle.notes.size(), 1u) << testing::PrintToString(bundle.notes);
  EXPECT_TRUE(has_note(bundle, "100"));
}

TEST(Layouts, OneFileGivesTheScaleItWasTrainedTo) {
  LayoutDirectory directory;
  directory.tower("onnx/model.onnx", "model.onnx");
  test::put_hugging_face_configs(directory);
  const Bundle bundle = open_sound(directory.path());
  EXPECT_NEAR(bundle.logit_scale, 80, 1e-3);
  EXPECT_EQ(bundle.textual->file, bundle.visual.file);
  EXPECT_TRUE(bundle.notes.empty()) << testing::PrintToString(bundle.notes);
}

TEST(Layouts, VocabulariesAreFoundWhereverTheyLie) {
  LayoutDirectory directory;
  directory.tower("visual.onnx", "visual.onnx");
  directory.tower("textual.onnx", "textual.onnx");
  Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.textual->vocabulary, "");
  EXPECT_EQ(bundle.textual->padding, std::nullopt);
  EXPECT_TRUE(has_note(bundle, "CLIP's own"));
  const std::string plain = bundle.text_identity;

  directory.text("bpe_simple_vocab_16e6.txt.gz", "not looked into here");
  bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.textual->vocabulary, directory / "bpe_simple_vocab_16e6.txt.gz");
  EXPECT_NE(bundle.text_identity, plain);
  directory.put("vocab.json", config::vocabulary());
  expect_refused(directory.path(), ErrorCode::kNotFound, {"vocab.json", "merges.txt"});
  directory.text("merges.txt", config::merges());
  EXPECT_EQ(open_sound(directory.path()).textual->vocabulary, directory / "vocab.json");
  directory.put("tokenizer.json", config::tokenizer());
  EXPECT_EQ(open_sound(directory.path()).textual->vocabulary, directory / "tokenizer.json");
}

TEST(Layouts, FullPrecisionComesFirstAndAPathChooses) {
  HuggingFace directory;
  for (const char* ending : {"_fp16", "_quantized"}) {
    directory.tower("onnx/vision_model" + std::string(ending) + ".onnx",
                    "vision_model" + std::string(ending) + ".onnx");
  }
  directory.tower("onnx/text_model_fp16.onnx", "text_model_fp16.onnx");
  const Bundle plain = open_sound(directory.path());
  EXPECT_EQ(plain.visual.file, directory / "onnx/vision_model.onnx");
  const Bundle half = open_sound(directory / "onnx/vision_model_fp16.onnx");
  EXPECT_EQ(half.visual.file, directory / "onnx/vision_model_fp16.onnx");
  EXPECT_EQ(half.textual->file, directory / "onnx/text_model_fp16.onnx");
  EXPECT_EQ(half.textual->vocabulary, plain.textual->vocabulary);
  EXPECT_NE(half.identity, plain.identity);
  const Bundle small = open_sound(directory / "onnx/vision_model_quantized.onnx");
  EXPECT_EQ(small.textual->file, directory / "onnx/text_model.onnx");  // there is no other
  EXPECT_EQ(open_sound(directory / "onnx").visual.file, directory / "onnx/vision_model.onnx");

  fs::remove(directory / "onnx/vision_model.onnx");
  EXPECT_EQ(open_sound(directory.path()).visual.file, directory / "onnx/vision_model_fp16.onnx");
}

TEST(Layouts, AreNamedAfterTheRepositoryInHuggingFacesCache) {
  const HuggingFace real("real");
  LayoutDirectory cache("models--Xenova--clip-vit-base-patch32");
  fs::create_directories(cache / "blobs");
  const std::string snapshot = cache / "snapshots/0123456789abcdef0123456789abcdef01234567";
  int blob = 0;
  for (const auto& entry : fs::recursive_directory_iterator(real.path())) {
    if (!entry.is_regular_file()) continue;
    const std::string stored = cache / ("blobs/" + std::to_string(blob++));
    const fs::path link = snapshot / fs::relative(entry.path(), real.path());
    fs::copy_file(entry.path(), stored);
    fs::create_directories(link.parent_path());
    fs::create_symlink(stored, link);
  }
  const Bundle bundle = open_sound(snapshot);
  EXPECT_EQ(bundle.name, "clip-vit-base-patch32");
  EXPECT_EQ(bundle.identity, open_sound(real.path()).identity);
}

TEST(Layouts, ExternalWeightsArePartOfWhatAModelIs) {
  LayoutDirectory one;
  test::layout_named("HuggingFaceExternalData").fill(one);
  const std::string before = open_sound(one.path()).identity;
  std::string weights = test::read(one / "onnx/vision_model.onnx_data");
  weights[7] = static_cast<char>(weights[7] ^ 1);
  one.text("onnx/vision_model.onnx_data", weights);
  EXPECT_NE(open_sound(one.path()).identity, before);
  fs::remove(one / "onnx/vision_model.onnx_data");
  expect_refused(one.path(), ErrorCode::kInvalid, {"vision_model.onnx_data", "not there"});
}

TEST(Layouts, EveryOpsetFrom11To21IsRead) {
  for (int opset = 11; opset <= 21; ++opset) {
    LayoutDirectory directory;
    directory.tower("visual.onnx", "opset_" + std::to_string(opset) + ".onnx");
    directory.tower("textual.onnx", "textual.onnx");
    EXPECT_EQ(open_sound(directory.path()).embedding_size, 512);
    EXPECT_EQ(OnnxFile::open(directory / "visual.onnx")->opset(), opset);
  }
}

TEST(Layouts, ATableOfWordsIsSeenThroughACast) {
  EXPECT_EQ(OnnxFile::open(LayoutDirectory::tower_path("text_with_table.onnx"))->table_rows("input_ids"), 49408);
}

TEST(Layouts, PreprocessingIsReadInEveryForm) {
  const auto with = [](const std::function<void(json&)>& change) {
    HuggingFace directory;
    json changed = config::preprocessor();
    change(changed);
    directory.put("preprocessor_config.json", changed);
    return open_sound(directory.path());
  };
  for (const json& size : {json(224), json{{"shortest_edge", 224}}, json{{"height", 224}, {"width", 224}}})
    EXPECT_EQ(with([&](json& c) { c["size"] = size; }).tensor.size, 224);
  EXPECT_EQ(with([](json& c) { c["crop_size"] = 224; }).tensor.size, 224);
  EXPECT_TRUE(has_note(with([](json& c) { c["size"] = {{"shortest_edge", 256}}; }), "256"));
  EXPECT_TRUE(has_note(with([](json& c) { c["resample"] = 2; }), "bicubic"));
  EXPECT_TRUE(has_note(with([](json& c) {
                         c["do_center_crop"] = false;
                         c["size"] = {{"height", 224}, {"width", 224}};
                       }),
                       "squeezes"));
  EXPECT_EQ(with([](json& c) { c["do_normalize"] = false; }).tensor.std, (std::array<float, 3>{1, 1, 1}));
  // Pixels of 0 to 255 against a mean in the same numbers.
  const Bundle raw = with([](json& c) {
    c["do_rescale"] = false;
    c["image_mean"] = {127.5, 127.5, 127.5};
    c["image_std"] = {255, 255, 255};
  });
  EXPECT_FLOAT_EQ(raw.tensor.mean[1], 0.5f);
  EXPECT_FLOAT_EQ(raw.tensor.std[1], 1.0f);
}

TEST(Layouts, ConfigurationThatContradictsTheModelIsAnError) {
  const auto refused = [](const std::string& file, const json& content, const Parts& parts) {
    HuggingFace directory;
    directory.tower("onnx/vision_model.onnx", "visual.onnx");  // says 224 and 512 itself
    directory.tower("onnx/text_model.onnx", "textual.onnx");   // and 77
    directory.put(file, content);
    expect_refused(directory.path(), ErrorCode::kInvalid, parts);
  };
  json changed = config::clip();
  changed["projection_dim"] = 768;
  refused("config.json", changed, {"config.json", "768", "512"});
  changed = config::clip();
  changed["vision_config"]["image_size"] = 336;
  refused("config.json", changed, {"config.json", "336", "224"});
  changed = config::clip();
  changed["text_config"]["max_position_embeddings"] = 32;
  refused("config.json", changed, {"config.json", "32", "77"});
  changed = config::preprocessor();
  changed["crop_size"] = 288;
  refused("preprocessor_config.json", changed, {"preprocessor_config.json", "288", "224"});
  for (const json& size : {json("large"), json(0), json{{"height", 224}, {"width", 336}}, json::array({1, 2, 3})}) {
    changed = config::preprocessor();
    changed["crop_size"] = size;
    refused("preprocessor_config.json", changed, {"preprocessor_config.json", "\"crop_size\""});
  }
  changed = config::preprocessor();
  changed["image_std"] = {1, 0, 1};
  refused("preprocessor_config.json", changed, {"preprocessor_config.json", "\"image_std\""});
}

TEST(Layouts, ADamagedConfigurationIsNamed) {
  for (const char* file :
       {"config.json", "preprocessor_config.json", "tokenizer.json", "tokenizer_config.json", "preprocess_cfg.json"}) {
    for (const char* damage : {"", "{", "[]", "\xff\xfe", "{\"size\": "}) {
      HuggingFace directory;
      directory.text(file, damage);
      expect_refused(directory.path(), ErrorCode::kInvalid, {file});
    }
  }
}

TEST(Layouts, TowersOfDifferentWidthsAreRefused) {
  LayoutDirectory directory;
  directory.tower("visual.onnx", "visual.onnx");
  directory.tower("textual.onnx", "text_of_768.onnx");
  expect_refused(directory.path(), ErrorCode::kInvalid, {"visual.onnx", "textual.onnx", "768", "512"});
}

TEST(Layouts, FeaturesBeforeTheProjectionAreRefusedByName) {
  HuggingFace directory;
  directory.tower("onnx/vision_model.onnx", "unprojected.onnx");
  expect_refused(directory.path(), ErrorCode::kUnsupported,
                 {"vision_model.onnx", "\"pooler_output\"", "768", "projection", "CLIPVisionModelWithProjection"});
}

TEST(Layouts, SeveralCandidatesAreListedWithTheKeyThatSettlesIt) {
  LayoutDirectory images;
  images.tower("first.onnx", "visual.onnx");
  images.tower("second.onnx", "three_sides.onnx");
  images.tower("words.onnx", "textual.onnx");
  expect_refused(images.path(), ErrorCode::kInvalid, {"first.onnx, second.onnx", "visual.file", "path"});
  EXPECT_EQ(open_sound(images / "second.onnx").textual->file, images / "words.onnx");

  LayoutDirectory texts;
  texts.tower("visual.onnx", "visual.onnx");
  texts.tower("english.onnx", "textual.onnx");
  texts.tower("french.onnx", "textual_int64.onnx");
  expect_refused(texts.path(), ErrorCode::kInvalid, {"english.onnx, french.onnx", "textual.file"});

  LayoutDirectory banks;
  banks.tower("visual.onnx", "visual.onnx");
  banks.text("b.safetensors", test::text_bank_of({"cat"}));
  banks.text("a.safetensors", test::text_bank_of({"dog"}));
  expect_refused(banks.path(), ErrorCode::kInvalid, {"a.safetensors, b.safetensors", "text_bank.file"});
}

TEST(Layouts, OtherSafetensorsFilesAreNoTextBanks) {
  HuggingFace directory;
  directory.text("model.safetensors", std::string("\x02\0\0\0\0\0\0\0{}", 10) + std::string(100, 'w'));
  directory.text("broken.safetensors", "xx");
  EXPECT_EQ(open_sound(directory.path()).text_bank, "");
  directory.text("bank.safetensors", test::text_bank_of({"cat", "dog"}));
  const Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.text_bank, directory / "bank.safetensors");
  EXPECT_TRUE(bundle.textual);
}

TEST(Layouts, AnImageTowerAloneIsNotEnough) {
  LayoutDirectory directory;
  directory.tower("visual.onnx", "visual.onnx");
  expect_refused(directory.path(), ErrorCode::kNotFound, {"visual.onnx", "text tower", "text bank"});
  LayoutDirectory texts;
  texts.tower("words.onnx", "textual.onnx");
  expect_refused(texts.path(), ErrorCode::kNotFound, {"words.onnx", "image tower"});
  LayoutDirectory swapped;
  swapped.tower("visual.onnx", "textual.onnx");
  swapped.tower("textual.onnx", "visual.onnx");
  expect_refused(swapped.path(), ErrorCode::kInvalid, {"visual.onnx", "takes no pictures", "visual.file"});
  LayoutDirectory damaged;
  damaged.text("model.onnx", "version https://git-lfs.github.com/spec/v1\n");
  expect_refused(damaged.path(), ErrorCode::kInvalid, {"model.onnx", "not an ONNX file"});
}

TEST(Layouts, SiglipIsRefusedHoweverItIsRecognised) {
  const Parts why = {"SigLIP", "CLIP model"};
  for (const char* key : {"model_type", "text_config", "vision_config"}) {
    HuggingFace directory;
    json changed = config::clip();
    changed[key] = config::siglip()[key];
    if (std::string(key) == "text_config") changed[key]["max_position_embeddings"] = 77;
    directory.put("config.json", changed);
    expect_refused(directory.path(), ErrorCode::kUnsupported, why);
  }
  const auto open_clip = [](const std::function<void(json&)>& change) {
    LayoutDirectory directory("ViT-B-16-SigLIP__webli");
    test::layout_named("Immich").fill(directory);
    json changed = config::open_clip();
    change(changed);
    directory.put("config.json", changed);
    expect_refused(directory.path(), ErrorCode::kUnsupported, {"SigLIP", "config.json", "CLIP model"});
  };
  open_clip([](json& c) { c["init_logit_bias"] = -10; });
  open_clip([](json& c) { c["text_cfg"]["hf_tokenizer_name"] = "timm/ViT-B-16-SigLIP"; });
  open_clip([](json& c) { c["vision_cfg"]["timm_model_name"] = "vit_base_patch16_siglip_224"; });

  // By the model alone: a bias, and 64 tokens.
  namespace build = test::onnx;
  LayoutDirectory biased;
  const std::string pool = build::node("GlobalAveragePool", {"x"}, {"p"});
  const std::string add = build::node("Add", {"p", "model.logit_bias"}, {"y"});
  biased.text("visual.onnx", build::model({{pool, add},
                                           {build::floats("model.logit_bias", {-10})},
                                           {build::value("x", 1, {-1, 3, 224, 224})},
                                           {build::value("y", 1, {-1, 512})}}));
  biased.tower("textual.onnx", "textual.onnx");
  expect_refused(biased.path(), ErrorCode::kUnsupported, why);
  LayoutDirectory short_context;
  short_context.tower("visual.onnx", "visual.onnx");
  short_context.text("textual.onnx", build::model({{build::node("Cast", {"ids"}, {"y"})},
                                                   {},
                                                   {build::value("ids", 7, {-1, 64})},
                                                   {build::value("y", 1, {-1, 512})}}));
  expect_refused(short_context.path(), ErrorCode::kUnsupported, {"64 tokens", "SigLIP", "bundle.json"});
}

TEST(Layouts, TextTowersWithOtherTokenizersAreRefusedUnlessThereIsATextBank) {
  for (const char* type : {"Unigram", "WordPiece", "WordLevel"}) {
    HuggingFace directory;
    json changed = config::tokenizer();
    changed["model"]["type"] = type;
    directory.put("tokenizer.json", changed);
    expect_refused(directory.path(), ErrorCode::kUnsupported, {"tokenizer.json", type, "text bank"});
    directory.text("bank.safetensors", test::text_bank_of({"cat", "dog"}));
    const Bundle bundle = open_sound(directory.path());
    EXPECT_FALSE(bundle.textual);
    EXPECT_TRUE(has_note(bundle, "left out"));
  }
  HuggingFace roberta;
  json changed = config::tokenizer();
  changed["model"]["end_of_word_suffix"] = nullptr;
  roberta.put("tokenizer.json", changed);
  expect_refused(roberta.path(), ErrorCode::kUnsupported, {"another BPE"});
  for (const char* file : {"spiece.model", "sentencepiece.bpe.model", "vocab.txt"}) {
    HuggingFace directory;
    fs::remove(directory / "tokenizer.json");
    directory.text(file, "x");
    expect_refused(directory.path(), ErrorCode::kUnsupported, {file});
  }
  LayoutDirectory multilingual("XLM-Roberta-Base-ViT-B-32__laion5b_s13b_b90k");
  test::layout_named("Immich").fill(multilingual);
  changed = config::open_clip();
  changed["text_cfg"]["hf_tokenizer_name"] = "xlm-roberta-base";
  multilingual.put("config.json", changed);
  expect_refused(multilingual.path(), ErrorCode::kUnsupported, {"xlm-roberta-base", "CLIP's tokens"});
}

TEST(Layouts, AreFoundByName) {
  test::TemporaryDirectory root;
  const test::EnvironmentVariable path("GST_BCP_MODEL_PATH", root.path());
  for (const char* file : {"hf/onnx/vision_model.onnx", "immich/visual/model.onnx", "plain/visual.onnx"})
    test::write(root / file, "x");
  test::write(root / "nothing/readme.txt", "x");
  for (const char* name : {"hf", "immich", "plain"}) EXPECT_EQ(*find_bundle(name), root / name);
  const Result<std::string> none = find_bundle("nothing");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("hf, immich, plain"), std::string::npos) << none.error().message;
}

}  // namespace
}  // namespace bcp::clip
