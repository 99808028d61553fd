// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip_layouts.hpp"
#include "toy_bundle.hpp"

namespace bcp::clip {
namespace {

TEST(RefusedLayouts, ConfigurationThatContradictsTheModelIsAnError) {
  const auto refused = [](const std::string& file, const json& content, const Parts& parts) {
    HuggingFace directory;
    directory.tower("onnx/vision_model.onnx", "visual.onnx");  // declares 224 and 512
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

TEST(RefusedLayouts, ADamagedConfigurationIsNamed) {
  for (const char* file :
       {"config.json", "preprocessor_config.json", "tokenizer.json", "tokenizer_config.json", "preprocess_cfg.json"}) {
    for (const char* damage : {"", "{", "[]", "\xff\xfe", "{\"size\": "}) {
      HuggingFace directory;
      directory.text(file, damage);
      expect_refused(directory.path(), ErrorCode::kInvalid, {file});
    }
  }
}

TEST(RefusedLayouts, ADeeplyNestedConfigurationIsNamed) {
  for (const char* file : {"config.json", "preprocessor_config.json", "tokenizer.json", "bundle.json"}) {
    HuggingFace directory;
    directory.text(file, "{\"projection_dim\": " + test::nested_lists() + "}");
    expect_refused(directory.path(), ErrorCode::kInvalid, {file, "levels deep"});
  }
}

TEST(RefusedLayouts, TowersOfDifferentWidthsAreRefused) {
  LayoutDirectory directory;
  directory.tower("visual.onnx", "visual.onnx");
  directory.tower("textual.onnx", "text_of_768.onnx");
  expect_refused(directory.path(), ErrorCode::kInvalid, {"visual.onnx", "textual.onnx", "768", "512"});
}

TEST(RefusedLayouts, FeaturesBeforeTheProjectionAreRefusedByName) {
  HuggingFace directory;
  directory.tower("onnx/vision_model.onnx", "unprojected.onnx");
  expect_refused(directory.path(), ErrorCode::kUnsupported,
                 {"vision_model.onnx", "\"pooler_output\"", "768", "projection", "CLIPVisionModelWithProjection"});
}

TEST(RefusedLayouts, SeveralCandidatesAreListedWithTheKeyToSet) {
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

TEST(RefusedLayouts, OtherSafetensorsFilesAreNotTextBanks) {
  HuggingFace directory;
  directory.text("model.safetensors", std::string("\x02\0\0\0\0\0\0\0{}", 10) + std::string(100, 'w'));
  directory.text("broken.safetensors", "xx");
  const std::string deep = "{\"embeddings\": {}, \"__metadata__\": " + test::nested_lists() + "}";
  const std::uint64_t length = deep.size();
  directory.text("deep.safetensors", std::string(reinterpret_cast<const char*>(&length), sizeof length) + deep);
  EXPECT_EQ(open_sound(directory.path()).text_bank, "");
  directory.text("bank.safetensors", test::text_bank_of({"cat", "dog"}));
  const Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.text_bank, directory / "bank.safetensors");
  EXPECT_TRUE(bundle.textual);
}

TEST(RefusedLayouts, AnImageTowerAloneIsNotEnough) {
  LayoutDirectory directory;
  directory.tower("visual.onnx", "visual.onnx");
  expect_refused(directory.path(), ErrorCode::kNotFound, {"visual.onnx", "text tower", "text bank"});
  LayoutDirectory texts;
  texts.tower("words.onnx", "textual.onnx");
  expect_refused(texts.path(), ErrorCode::kNotFound, {"words.onnx", "image tower"});
  LayoutDirectory swapped;
  swapped.tower("visual.onnx", "textual.onnx");
  swapped.tower("textual.onnx", "visual.onnx");
  expect_refused(swapped.path(), ErrorCode::kInvalid, {"visual.onnx", "does not take pictures", "visual.file"});
  LayoutDirectory damaged;
  damaged.text("model.onnx", "<html>404</html>\n");
  expect_refused(damaged.path(), ErrorCode::kInvalid, {"model.onnx", "not an ONNX file"});
}

TEST(RefusedLayouts, APointerOfGitLfsIsRecognised) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
  LayoutDirectory alone;
  alone.text("model.onnx", pointer);
  expect_refused(alone.path(), ErrorCode::kInvalid, {"model.onnx is a Git LFS pointer", "git lfs pull"});
  for (const std::string tower : {"onnx/vision_model.onnx", "onnx/text_model.onnx"}) {
    HuggingFace directory;
    directory.text(tower, pointer);
    expect_refused(directory.path(), ErrorCode::kInvalid, {tower, "Git LFS pointer", "git lfs pull"});
  }
  const test::ToyBundle described;
  test::write(described.path() + "/visual.onnx", pointer);
  expect_refused(described.path(), ErrorCode::kInvalid, {"visual.onnx", "Git LFS pointer", "git lfs pull"});
}

TEST(RefusedLayouts, PytorchWeightsAreNamedWithTheWayToExportThem) {
  for (const char* weights : {"model.safetensors", "pytorch_model.bin", "open_clip_model.safetensors",
                              "model-00001-of-00002.safetensors", "ViT-B-32.pt"}) {
    LayoutDirectory directory;
    directory.text(weights, "x");
    directory.put("config.json", config::clip());
    expect_refused(directory.path(), ErrorCode::kUnsupported, {weights, "PyTorch", "models/export_clip.py", "Optimum"});
  }
  LayoutDirectory bank;
  bank.text("labels.safetensors", test::text_bank_of({"cat"}));
  expect_refused(bank.path(), ErrorCode::kNotFound, {"no ONNX file"});
}

TEST(RefusedLayouts, ATextTowerGivenAsTheModelIsRefused) {
  const HuggingFace both;
  expect_refused(both / "onnx/text_model.onnx", ErrorCode::kInvalid,
                 {"text_model.onnx is a text tower", "give onnx/vision_model.onnx"});
  LayoutDirectory alone;
  alone.tower("text_model.onnx", "text_model.onnx");
  expect_refused(alone / "text_model.onnx", ErrorCode::kInvalid,
                 {"text_model.onnx is a text tower", "not in this directory"});
  test::ToyBundle described;
  described.put("textual.onnx", test::read(LayoutDirectory::tower_path("textual.onnx")));
  described.manifest["textual"] = {{"file", "textual.onnx"}};
  expect_refused(described.path() + "/textual.onnx", ErrorCode::kInvalid, {"is a text tower", "give visual.onnx"});
}

TEST(RefusedLayouts, TextTowersWithOtherTokenizersAreRefusedUnlessThereIsATextBank) {
  for (const char* type : {"WordPiece", "WordLevel"}) {
    HuggingFace directory;
    json changed = config::tokenizer();
    changed["model"]["type"] = type;
    directory.put("tokenizer.json", changed);
    expect_refused(directory.path(), ErrorCode::kUnsupported, {"tokenizer.json", type, "text bank"});
    directory.text("bank.safetensors", test::text_bank_of({"cat", "dog"}));
    const Bundle bundle = open_sound(directory.path());
    EXPECT_FALSE(bundle.textual);
    EXPECT_TRUE(has_note(bundle, "not used"));
  }
  HuggingFace roberta;
  json changed = config::tokenizer();
  changed["model"]["end_of_word_suffix"] = nullptr;
  roberta.put("tokenizer.json", changed);
  expect_refused(roberta.path(), ErrorCode::kUnsupported, {"a different BPE"});
  for (const char* file : {"spiece.model", "sentencepiece.bpe.model", "vocab.txt"}) {
    HuggingFace directory;
    fs::remove(directory / "tokenizer.json");
    directory.text(file, "x");
    expect_refused(directory.path(), ErrorCode::kUnsupported, {file});
    if (std::string_view(file) == "spiece.model")
      expect_refused(directory.path(), ErrorCode::kUnsupported, {"tokenizer.json", "AutoTokenizer"});
  }
  HuggingFace left;
  changed = json::parse(test::read(std::string(BCP_TEST_DATA) + "/tokenizer/bpe_siglip2.json"));
  left.put("tokenizer.json", changed);
  left.put("tokenizer_config.json", {{"padding_side", "left"}});
  expect_refused(left.path(), ErrorCode::kUnsupported, {"tokenizer_config.json", "padding_side left"});
  LayoutDirectory multilingual("XLM-Roberta-Base-ViT-B-32__laion5b_s13b_b90k");
  test::layout_named("Immich").fill(multilingual);
  changed = config::open_clip();
  changed["text_cfg"]["hf_tokenizer_name"] = "xlm-roberta-base";
  multilingual.put("config.json", changed);
  expect_refused(multilingual.path(), ErrorCode::kUnsupported, {"xlm-roberta-base", "CLIP's tokens"});
}

}  // namespace
}  // namespace bcp::clip
