// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip_layouts.hpp"

#include <functional>
#include <tuple>

#include "clip/bundle/model_config.hpp"
#include "onnx/file.hpp"

namespace bcp::clip {
namespace {

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

TEST(Layouts, HuggingFaceGivesEverythingExceptTheScale) {
  const HuggingFace directory;
  const Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.visual.file, directory / "onnx/vision_model.onnx");
  EXPECT_EQ(bundle.textual->file, directory / "onnx/text_model.onnx");
  EXPECT_EQ(bundle.textual->vocabulary, directory / "tokenizer.json");
  EXPECT_EQ(bundle.textual->padding, 49407);
  EXPECT_EQ(bundle.logit_scale, 100);  // logit_scale_init_value is only the start of training
  ASSERT_EQ(bundle.notes.size(), 1u) << testing::PrintToString(bundle.notes);
  EXPECT_TRUE(has_note(bundle, "100"));
}

TEST(Layouts, PresenceIsReadFromPresenceJson) {
  HuggingFace directory;
  EXPECT_FALSE(open_sound(directory.path()).presence.scale);
  const std::string identity = open_sound(directory.path()).identity;
  directory.put("presence.json", json{{"presence", {{"scale", 0.7}, {"prior_strength", 0.5}, {"alias_cosine", 0.9}}}});
  const Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.presence.scale, 0.7);
  EXPECT_EQ(bundle.presence.prior_strength, 0.5);
  EXPECT_EQ(bundle.presence.alias_cosine, 0.9);
  EXPECT_EQ(bundle.identity, identity);  // learnt statistics stay valid
}

TEST(Layouts, AWrongPresenceFileIsRefused) {
  HuggingFace directory;
  directory.put("presence.json", json{{"presence", {{"scale", 0}}}});
  expect_refused(directory.path(), ErrorCode::kInvalid, {"/presence.json", "\"presence.scale\"", "above 0"});
  directory.put("presence.json", json{{"presence", {{"prior_strength", 2}}}});
  expect_refused(directory.path(), ErrorCode::kInvalid, {"/presence.json", "\"presence.prior_strength\"", "0 to 1"});
  directory.put("presence.json", json{{"scale", 1}});
  expect_refused(directory.path(), ErrorCode::kInvalid, {"/presence.json", "\"presence\"", "missing"});
  directory.put("presence.json", json::array());
  expect_refused(directory.path(), ErrorCode::kInvalid, {"/presence.json", "calibrate"});
}

TEST(Layouts, NullCountsAsMissing) {
  HuggingFace directory;
  json changed = config::preprocessor();
  for (const char* key : {"crop_size", "do_center_crop", "image_mean", "image_std", "resample", "rescale_factor"})
    changed[key] = nullptr;
  directory.put("preprocessor_config.json", changed);
  changed = config::clip();
  changed["projection_dim"] = nullptr;
  changed["text_config"]["model_type"] = nullptr;
  directory.put("config.json", changed);
  EXPECT_TRUE(has_note(open_sound(directory.path()), "mean and std"));
}

TEST(Layouts, OneFileGivesItsTrainedScale) {
  LayoutDirectory directory;
  directory.tower("onnx/model.onnx", "model.onnx");
  test::put_hugging_face_configs(directory);
  const Bundle bundle = open_sound(directory.path());
  EXPECT_NEAR(bundle.logit_scale, 80, 1e-3);
  EXPECT_EQ(bundle.textual->file, bundle.visual.file);
  EXPECT_TRUE(bundle.notes.empty()) << testing::PrintToString(bundle.notes);
}

TEST(Layouts, VocabulariesAreFoundInAllFolders) {
  LayoutDirectory directory;
  directory.tower("visual.onnx", "visual.onnx");
  directory.tower("textual.onnx", "textual.onnx");
  Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.textual->vocabulary, "");
  EXPECT_EQ(bundle.textual->padding, std::nullopt);
  EXPECT_TRUE(has_note(bundle, "CLIP's vocabulary is used"));
  const std::string plain = bundle.text_identity;

  directory.text("bpe_simple_vocab_16e6.txt.gz", "not looked into here");
  bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.textual->vocabulary, directory / "bpe_simple_vocab_16e6.txt.gz");
  EXPECT_NE(bundle.text_identity, plain);
  directory.put("vocab.json", config::vocabulary());
  expect_refused(directory.path(), ErrorCode::kNotFound, {"vocab.json", "merges.txt"});
  directory.text("merges.txt", config::merges());
  directory.put("special_tokens_map.json", {{"pad_token", {{"content", "<|endoftext|>"}}}});
  bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.textual->vocabulary, directory / "vocab.json");
  EXPECT_EQ(bundle.textual->padding, 49407);
  directory.put("tokenizer.json", config::tokenizer());
  EXPECT_EQ(open_sound(directory.path()).textual->vocabulary, directory / "tokenizer.json");
}

TEST(Layouts, TokenizersOfSiglipGiveLengthAndPadding) {
  const std::string data = std::string(BCP_TEST_DATA) + "/tokenizer/";
  for (const auto& [file, token, id] :
       {std::tuple("unigram_siglip.json", "</s>", 1), std::tuple("bpe_siglip2.json", "<pad>", 0)}) {
    LayoutDirectory directory;
    directory.text("tokenizer.json", test::read(data + file));
    directory.put("tokenizer_config.json", {{"pad_token", token}, {"model_max_length", 64}});
    ModelConfig config;
    ASSERT_TRUE(read_vocabulary_config(directory.path(), config));
    EXPECT_EQ(config.no_clip_text, "");
    EXPECT_EQ(config.vocabulary, directory / "tokenizer.json");
    EXPECT_EQ(config.padding, id);
    ASSERT_TRUE(config.context_length);
    EXPECT_EQ(config.context_length->value, 64);
    // No limit, or a length that the model itself has.
    directory.put("tokenizer_config.json", {{"model_max_length", 1e30}});
    ModelConfig unlimited;
    ASSERT_TRUE(read_vocabulary_config(directory.path(), unlimited));
    EXPECT_FALSE(unlimited.context_length);
    directory.put("tokenizer_config.json", {{"model_max_length", 128}});
    ModelConfig known;
    known.context_length = Said<int>{64, "config.json"};
    ASSERT_TRUE(read_vocabulary_config(directory.path(), known));
    EXPECT_EQ(known.context_length->value, 64);
  }
}

TEST(Layouts, FullPrecisionIsTheDefaultAndAPathSelectsAnother) {
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
  EXPECT_EQ(small.textual->file, directory / "onnx/text_model.onnx");  // the only one
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
  cache.text("refs/main", "0123456789abcdef0123456789abcdef01234567");
  EXPECT_EQ(open_sound(cache.path()).directory, snapshot);
  cache.text("refs/main", "../../elsewhere");
  expect_refused(cache.path(), ErrorCode::kNotFound, {cache.path()});
}

TEST(Layouts, ExternalWeightsArePartOfTheIdentity) {
  LayoutDirectory one;
  test::layout_named("HuggingFaceExternalData").fill(one);
  const std::string before = open_sound(one.path()).identity;
  std::string weights = test::read(one / "onnx/vision_model.onnx_data");
  weights[7] = static_cast<char>(weights[7] ^ 1);
  one.text("onnx/vision_model.onnx_data", weights);
  EXPECT_NE(open_sound(one.path()).identity, before);
  fs::remove(one / "onnx/vision_model.onnx_data");
  expect_refused(one.path(), ErrorCode::kInvalid, {"vision_model.onnx_data", "is missing"});
}

TEST(Layouts, EveryOpsetFrom11To21IsRead) {
  for (int opset = 11; opset <= 21; ++opset) {
    LayoutDirectory directory;
    directory.tower("visual.onnx", "opset_" + std::to_string(opset) + ".onnx");
    directory.tower("textual.onnx", "textual.onnx");
    EXPECT_EQ(open_sound(directory.path()).embedding_size, 512);
    EXPECT_EQ(onnx::File::open(directory / "visual.onnx")->opset(), opset);
  }
}

TEST(Layouts, ATokenTableIsFoundBehindACast) {
  EXPECT_EQ(onnx::File::open(LayoutDirectory::tower_path("text_with_table.onnx"))->table_rows("input_ids"), 49408);
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
  EXPECT_EQ(with([](json& c) { c["size"] = {{"shortest_edge", 256}}; }).tensor.resize_to, 256);
  EXPECT_EQ(with([](json& c) { c["resample"] = 2; }).tensor.filter, image::Filter::kBilinear);
  EXPECT_TRUE(has_note(with([](json& c) { c["resample"] = 1; }), "filter 1"));
  const Bundle squashed = with([](json& c) {
    c["do_center_crop"] = false;
    c["size"] = {{"height", 224}, {"width", 224}};
  });
  EXPECT_EQ(squashed.tensor.resize, image::Resize::kSquash);
  EXPECT_EQ(squashed.tensor.resize_to, 0);
  EXPECT_EQ(with([](json& c) { c["do_normalize"] = false; }).tensor.std, (std::array<float, 3>{1, 1, 1}));
  // Pixels of 0 to 255 with a mean on the same scale.
  const Bundle raw = with([](json& c) {
    c["do_rescale"] = false;
    c["image_mean"] = {127.5, 127.5, 127.5};
    c["image_std"] = {255, 255, 255};
  });
  EXPECT_FLOAT_EQ(raw.tensor.mean[1], 0.5f);
  EXPECT_FLOAT_EQ(raw.tensor.std[1], 1.0f);
}

TEST(Layouts, OpenByARelativePath) {
  const HuggingFace directory;
  const test::WorkingDirectory inside(directory.path());
  for (const char* path : {"onnx", "onnx/", "./onnx", ".", "onnx/vision_model.onnx"}) {
    const Bundle bundle = open_sound(path);
    EXPECT_TRUE(bundle.textual) << path;
    EXPECT_TRUE(fs::equivalent(bundle.directory, directory.path())) << path;
  }
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
