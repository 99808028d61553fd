// SPDX-License-Identifier: LGPL-2.1-or-later
// How the configurations of SigLIP, MobileCLIP and open_clip's models are read.

#include <cmath>
#include <functional>

#include "clip_layouts.hpp"
#include "onnx_builder.hpp"

namespace bcp::clip {
namespace {

namespace build = test::onnx;
using image::Filter;
using image::Resize;

constexpr std::array<float, 3> kHalf = {0.5f, 0.5f, 0.5f}, kZero = {0, 0, 0}, kOne = {1, 1, 1};

// An image tower of 512 numbers under this name, with the initializers.
std::string image_tower(const std::string& output, const std::vector<std::string>& initializers = {}) {
  return build::model({{build::node("GlobalAveragePool", {"pixel_values"}, {output})},
                       initializers,
                       {build::value("pixel_values", 1, {-1, 3, 224, 224})},
                       {build::value(output, 1, {-1, 512})}});
}

std::string text_tower(const std::string& output, int length = 64) {
  return build::model({{build::node("Cast", {"input_ids"}, {output})},
                       {},
                       {build::value("input_ids", 7, {-1, length})},
                       {build::value(output, 1, {-1, 512})}});
}

// Both towers in one file.
std::string one_file(const std::vector<std::string>& initializers) {
  return build::model({{build::node("GlobalAveragePool", {"pixel_values"}, {"image_embeds"}),
                        build::node("Cast", {"input_ids"}, {"text_embeds"})},
                       initializers,
                       {build::value("pixel_values", 1, {-1, 3, 224, 224}), build::value("input_ids", 7, {-1, 64})},
                       {build::value("image_embeds", 1, {-1, 512}), build::value("text_embeds", 1, {-1, 512})}});
}

json siglip_preprocessor() {
  return {{"do_normalize", true},
          {"do_rescale", true},
          {"do_resize", true},
          {"image_mean", {0.5, 0.5, 0.5}},
          {"image_std", {0.5, 0.5, 0.5}},
          {"image_processor_type", "SiglipImageProcessor"},
          {"resample", 3},
          {"rescale_factor", 0.00392156862745098},
          {"size", {{"height", 224}, {"width", 224}}}};
}

// A SigLIP in the layout of Transformers.js: the towers' pooler_output is the embedding.
struct Siglip : LayoutDirectory {
  Siglip() : LayoutDirectory("siglip-base-patch16-224") {
    text("onnx/vision_model.onnx", image_tower("pooler_output"));
    text("onnx/text_model.onnx", text_tower("pooler_output"));
    put("config.json", config::siglip());
    put("preprocessor_config.json", siglip_preprocessor());
    put("tokenizer.json", config::tokenizer());
  }
};

TEST(Families, SiglipTakesScaleAndBiasFromTheFileWithBothTowers) {
  Siglip directory;
  directory.text("onnx/model_quantized.onnx",
                 one_file({build::floats("logit_scale", {4.765f}), build::floats("logit_bias", {-12.9f})}));
  const Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.scoring, Scoring::kSigmoid);
  EXPECT_NEAR(bundle.logit_scale, std::exp(4.765), 1e-3);
  EXPECT_NEAR(bundle.logit_bias, -12.9, 1e-5);
  EXPECT_EQ(bundle.tensor.mean, kHalf);
  EXPECT_EQ(bundle.tensor.std, kHalf);
  EXPECT_EQ(bundle.tensor.filter, Filter::kBicubic);
  EXPECT_EQ(bundle.tensor.resize, Resize::kSquash);
  EXPECT_EQ(bundle.embedding_size, 512);
  EXPECT_EQ(bundle.textual->context_length, 64);
  EXPECT_EQ(bundle.notes, std::vector<std::string>());
}

// As in SigLIP 2's published files: no configuration has the length, and it is dynamic in the tower.
TEST(Families, SiglipDefaultsTo64Tokens) {
  Siglip directory;
  directory.text("onnx/text_model.onnx", text_tower("pooler_output", -1));
  directory.put("config.json", {{"model_type", "siglip"}, {"text_config", {{"vocab_size", 256000}}}});
  directory.put("presence.json", {{"logit_scale", 112}, {"logit_bias", -16}});
  EXPECT_EQ(open_sound(directory.path()).textual->context_length, 64);
}

TEST(Families, AnOptimisedFileHasTheScaleUnderAnotherName) {
  Siglip directory;
  directory.text("onnx/model_q4.onnx",
                 one_file({build::floats("/Exp_output_0", {117.3f}), build::floats("logit_bias", {-12.9f})}));
  EXPECT_NEAR(open_sound(directory.path()).logit_scale, 117.3, 1e-4);
  // A file that is not the whole model is not used.
  Siglip other;
  other.text("onnx/decoder.onnx",
             image_tower("y", {build::floats("logit_scale", {4.7f}), build::floats("logit_bias", {-12.9f})}));
  expect_refused(other.path(), ErrorCode::kInvalid, {"logit_scale and logit_bias"});
}

TEST(Families, SiglipMayHaveScaleAndBiasInPresenceJson) {
  Siglip directory;
  directory.put("presence.json", {{"logit_scale", 117.3}, {"logit_bias", -12.9}});
  const Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.logit_scale, 117.3);
  EXPECT_EQ(bundle.logit_bias, -12.9);
  EXPECT_FALSE(presence_traits(bundle).slope);
  directory.put("presence.json",
                {{"logit_scale", 117.3}, {"logit_bias", -12.9}, {"presence", {{"slope", 0.7}, {"offset", 2}}}});
  EXPECT_EQ(presence_traits(open_sound(directory.path())).slope, 0.7);
  EXPECT_EQ(presence_traits(open_sound(directory.path())).offset, 2);
}

TEST(Families, SiglipWithoutItsBiasIsRefusedWithAdvice) {
  const Parts way_out = {"SigLIP", "logit_bias", "onnx/model.onnx", "presence.json"};
  Siglip directory;
  expect_refused(directory.path(), ErrorCode::kInvalid, way_out);
  directory.put("presence.json", {{"logit_scale", 117.3}});
  expect_refused(directory.path(), ErrorCode::kInvalid, {"lack its trained logit_bias,"});
  directory.put("presence.json", {{"logit_bias", "x"}});
  expect_refused(directory.path(), ErrorCode::kInvalid, {"presence.json", "\"logit_bias\"", "a number"});

  // For every way of recognising it.
  for (const char* key : {"model_type", "text_config", "vision_config"}) {
    HuggingFace clip;
    json changed = config::clip();
    changed[key] = config::siglip()[key];
    if (std::string(key) == "text_config") changed[key]["max_position_embeddings"] = 77;
    clip.put("config.json", changed);
    expect_refused(clip.path(), ErrorCode::kInvalid, way_out);
  }
  const auto open_clip = [&](const std::function<void(json&)>& change) {
    LayoutDirectory immich("ViT-B-16-SigLIP__webli");
    test::layout_named("Immich").fill(immich);
    json changed = config::open_clip();
    change(changed);
    immich.put("config.json", changed);
    expect_refused(immich.path(), ErrorCode::kInvalid, way_out);
  };
  open_clip([](json& c) { c["init_logit_bias"] = -10; });
  open_clip([](json& c) { c["text_cfg"]["hf_tokenizer_name"] = "timm/ViT-B-16-SigLIP"; });
  open_clip([](json& c) { c["vision_cfg"]["timm_model_name"] = "vit_base_patch16_siglip_224"; });
}

TEST(Families, ABiasInTheModelMakesItASigmoid) {
  LayoutDirectory directory;
  directory.text("visual.onnx", image_tower("y", {build::floats("model.logit_scale", {2.3f}),
                                                  build::floats("model.logit_bias", {-10})}));
  directory.tower("textual.onnx", "textual.onnx");
  const Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.scoring, Scoring::kSigmoid);
  EXPECT_EQ(bundle.logit_bias, -10);
  EXPECT_EQ(bundle.tensor.resize, Resize::kSquash);
  EXPECT_TRUE(has_note(bundle, "SigLIP's mean"));
  EXPECT_TRUE(has_note(bundle, "to a square"));
}

TEST(Families, SixtyFourTokensAloneAreNotEnoughToRecogniseSiglip) {
  LayoutDirectory directory;
  directory.tower("visual.onnx", "visual.onnx");
  directory.text("textual.onnx", text_tower("y"));
  expect_refused(directory.path(), ErrorCode::kUnsupported, {"64 tokens", "SigLIP", "tokenizer.json", "bundle.json"});
}

TEST(Families, SiglipWithoutItsTokenizerDoesNotUseClips) {
  Siglip directory;
  directory.put("presence.json", {{"logit_scale", 117.3}, {"logit_bias", -12.9}});
  fs::remove(directory / "tokenizer.json");
  expect_refused(directory.path(), ErrorCode::kNotFound, {"SigLIP", "tokenizer.json", "fetch"});
  directory.text("bank.safetensors", test::text_bank_of({"cat", "dog"}));
  EXPECT_FALSE(open_sound(directory.path()).textual);
}

TEST(Families, NaflexIsAlwaysRefused) {
  const Parts why = {"NaFlex", "google/siglip2-base-patch16-224"};
  const auto refused = [&](const std::function<void(Siglip&)>& change) {
    Siglip directory;
    directory.put("presence.json", {{"logit_scale", 117.3}, {"logit_bias", -12.9}});
    change(directory);
    expect_refused(directory.path(), ErrorCode::kUnsupported, why);
  };
  refused([](Siglip& d) {
    json changed = config::siglip();
    changed["model_type"] = "siglip2";
    changed["vision_config"] = {{"model_type", "siglip2_vision_model"}};
    d.put("config.json", changed);
  });
  refused([](Siglip& d) {
    json changed = config::siglip();
    changed["vision_config"] = {{"model_type", "siglip2_vision_model"}, {"num_patches", 256}};
    d.put("config.json", changed);
  });
  refused([](Siglip& d) {
    d.put("preprocessor_config.json",
          {{"image_processor_type", "Siglip2ImageProcessorFast"}, {"max_num_patches", 256}});
  });
  refused([](Siglip& d) {
    d.text(
        "onnx/vision_model.onnx",
        build::model({{build::node("GlobalAveragePool", {"pixel_values"}, {"pooler_output"})},
                      {},
                      {build::value("pixel_values", 1, {-1, -1, 768}),
                       build::value("pixel_attention_mask", 7, {-1, -1}), build::value("spatial_shapes", 7, {-1, 2})},
                      {build::value("pooler_output", 1, {-1, 512})}}));
  });
}

// The differences between the configurations of open_clip's models.
TEST(Families, OpenClipsConfigurationsAreFollowed) {
  const auto with = [](const char* name, const std::function<void(json&)>& change) {
    LayoutDirectory directory(name);
    directory.tower("visual.onnx", "visual.onnx");
    directory.tower("textual.onnx", "textual.onnx");
    json config = {{"model_cfg", config::open_clip()}, {"preprocess_cfg", config::preprocess_cfg()}};
    change(config);
    directory.put("open_clip_config.json", config);
    return open_sound(directory.path());
  };
  const Bundle mobile = with("MobileCLIP2-S0", [](json& c) {
    c["model_cfg"]["custom_text"] = true;
    c["model_cfg"]["text_cfg"]["no_causal_mask"] = true;
    c["preprocess_cfg"].update({{"mean", {0, 0, 0}}, {"std", {1, 1, 1}}, {"interpolation", "bilinear"}});
  });
  EXPECT_EQ(mobile.tensor.mean, kZero);
  EXPECT_EQ(mobile.tensor.std, kOne);
  EXPECT_EQ(mobile.tensor.filter, Filter::kBilinear);
  EXPECT_EQ(mobile.tensor.resize, Resize::kShortest);
  EXPECT_EQ(mobile.textual->padding, 0);
  EXPECT_EQ(mobile.scoring, Scoring::kSoftmax);
  const Bundle dfn = with("ViT-H-14-378-quickgelu", [](json& c) {
    c["model_cfg"]["quick_gelu"] = true;
    c["preprocess_cfg"]["resize_mode"] = "squash";
  });
  EXPECT_EQ(dfn.tensor.resize, Resize::kSquash);
  EXPECT_EQ(dfn.tensor.filter, Filter::kBicubic);
  const Bundle eva = with("EVA02-B-16", [](json& c) {
    c["model_cfg"]["vision_cfg"] = {{"timm_model_name", "eva02_base_patch16_clip_224"}, {"image_size", 224}};
    c["model_cfg"]["custom_text"] = true;
    c["preprocess_cfg"]["interpolation"] = "random";
  });
  EXPECT_EQ(eva.tensor.filter, Filter::kBicubic);
  EXPECT_EQ(eva.tensor.resize, Resize::kShortest);
  const Bundle plain = with("ViT-B-32-quickgelu", [](json& c) {
    c["preprocess_cfg"] = {{"mean", config::kMean}, {"std", config::kStd}};
  });
  EXPECT_EQ(plain.tensor.filter, Filter::kBicubic);
  EXPECT_EQ(plain.tensor.resize, Resize::kShortest);
}

TEST(Families, UnsupportedPreprocessingIsReported) {
  LayoutDirectory directory("ViT-L");
  test::layout_named("Immich").fill(directory);
  json changed = config::preprocess_cfg();
  changed["interpolation"] = "lanczos";
  directory.put("visual/preprocess_cfg.json", changed);
  EXPECT_TRUE(has_note(open_sound(directory.path()), "filter lanczos"));
  changed["resize_mode"] = "longest";
  directory.put("visual/preprocess_cfg.json", changed);
  expect_refused(directory.path(), ErrorCode::kUnsupported, {"preprocess_cfg.json", "\"longest\"", "image.resize"});
  const auto refused = [](const std::function<void(json&)>& change, const Parts& parts) {
    HuggingFace clip;
    json config = config::preprocessor();
    change(config);
    clip.put("preprocessor_config.json", config);
    expect_refused(clip.path(), ErrorCode::kUnsupported, parts);
  };
  refused([](json& c) { c["do_pad"] = true; }, {"preprocessor_config.json", "do_pad"});
  refused([](json& c) { c["size"] = {{"shortest_edge", 200}}; }, {"200", "224"});
}

TEST(Families, OpenClipsOwnConfigurationComesFirst) {
  HuggingFace directory;
  directory.put("open_clip_config.json", {{"model_cfg", config::open_clip()},
                                          {"preprocess_cfg", {{"mean", {0, 0, 0}}, {"interpolation", "bilinear"}}}});
  const Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.tensor.filter, Filter::kBilinear);
  EXPECT_EQ(bundle.tensor.mean, kZero);
  EXPECT_NEAR(bundle.tensor.std[0], 0.26862954f, 1e-6f) << "which it does not give";
}

TEST(Families, ASingleSizeDependsOnItsProcessor) {
  const auto resize_of = [](const char* processor) {
    HuggingFace directory;
    json changed = config::preprocessor();
    changed["size"] = 224;
    changed["image_processor_type"] = processor;
    directory.put("preprocessor_config.json", changed);
    return open_sound(directory.path()).tensor.resize;
  };
  EXPECT_EQ(resize_of("CLIPImageProcessor"), Resize::kShortest);
  EXPECT_EQ(resize_of("ViTImageProcessor"), Resize::kSquash);
  EXPECT_EQ(resize_of("SiglipImageProcessor"), Resize::kSquash);
}

TEST(Families, TimmsCropShareIsFollowed) {
  LayoutDirectory directory;
  directory.tower("visual.onnx", "visual.onnx");
  directory.tower("textual.onnx", "textual.onnx");
  json config = {{"architecture", "fastvit"},
                 {"pretrained_cfg",
                  {{"input_size", {3, 224, 224}},
                   {"crop_pct", 0.9},
                   {"crop_mode", "center"},
                   {"interpolation", "bilinear"},
                   {"mean", {0, 0, 0}},
                   {"std", {1, 1, 1}}}}};
  directory.put("config.json", config);
  const Bundle bundle = open_sound(directory.path());
  EXPECT_EQ(bundle.tensor.resize_to, 248);
  EXPECT_EQ(bundle.tensor.filter, Filter::kBilinear);
  EXPECT_EQ(bundle.tensor.mean, kZero);
  config["pretrained_cfg"]["crop_mode"] = "border";
  directory.put("config.json", config);
  expect_refused(directory.path(), ErrorCode::kUnsupported, {"config.json", "border"});
}

}  // namespace
}  // namespace bcp::clip
