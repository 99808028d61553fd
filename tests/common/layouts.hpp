// SPDX-License-Identifier: LGPL-2.1-or-later
// Published model layouts, built from the towers in tests/data/layouts and their configuration files.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "common/temporary.hpp"

namespace bcp::test {

// A directory with a given name, for a test to fill.
class LayoutDirectory {
 public:
  explicit LayoutDirectory(std::string name = "my-clip") : name_(std::move(name)) {
    std::filesystem::create_directories(path());
  }
  std::string path() const { return root_ / name_; }
  std::string operator/(const std::string& file) const { return path() + "/" + file; }

  // A tower of tests/data/layouts under the name `as`.
  void tower(const std::string& as, const std::string& name) { write(*this / as, read(tower_path(name))); }
  void put(const std::string& as, const nlohmann::json& config) { write(*this / as, config.dump(2)); }
  void text(const std::string& as, const std::string& bytes) { write(*this / as, bytes); }

  static std::string tower_path(const std::string& name) { return std::string(BCP_TEST_DATA) + "/layouts/" + name; }

 private:
  TemporaryDirectory root_;
  std::string name_;
};

namespace config {

using Json = nlohmann::json;

// transformers' config.json of OpenAI's ViT-B/32, the relevant parts.
inline Json clip() {
  return {{"architectures", {"CLIPModel"}},
          {"model_type", "clip"},
          {"projection_dim", 512},
          {"logit_scale_init_value", 2.6592},
          {"text_config", {{"model_type", "clip_text_model"}, {"max_position_embeddings", 77}, {"vocab_size", 49408}}},
          {"vision_config", {{"model_type", "clip_vision_model"}, {"image_size", 224}, {"patch_size", 32}}}};
}

inline Json siglip() {
  return {{"architectures", {"SiglipModel"}},
          {"model_type", "siglip"},
          {"text_config", {{"model_type", "siglip_text_model"}, {"max_position_embeddings", 64}}},
          {"vision_config", {{"model_type", "siglip_vision_model"}, {"image_size", 224}}}};
}

inline const Json kMean = {0.48145466, 0.4578275, 0.40821073}, kStd = {0.26862954, 0.26130258, 0.27577711};

// preprocessor_config.json in its current form.
inline Json preprocessor() {
  return {{"crop_size", {{"height", 224}, {"width", 224}}},
          {"do_center_crop", true},
          {"do_convert_rgb", true},
          {"do_normalize", true},
          {"do_rescale", true},
          {"do_resize", true},
          {"image_mean", kMean},
          {"image_processor_type", "CLIPImageProcessor"},
          {"image_std", kStd},
          {"resample", 3},
          {"rescale_factor", 0.00392156862745098},
          {"size", {{"shortest_edge", 224}}}};
}

// open_clip's model configuration: Immich's config.json, or model_cfg in open_clip_config.json.
inline Json open_clip() {
  return {{"embed_dim", 512},
          {"vision_cfg", {{"image_size", 224}, {"layers", 12}, {"width", 768}, {"patch_size", 32}}},
          {"text_cfg", {{"context_length", 77}, {"vocab_size", 49408}, {"width", 512}, {"heads", 8}, {"layers", 12}}}};
}

inline Json preprocess_cfg() {
  return {{"size", {224, 224}},        {"mode", "RGB"},  {"mean", kMean}, {"std", kStd}, {"interpolation", "bicubic"},
          {"resize_mode", "shortest"}, {"fill_color", 0}};
}

inline Json tokenizer_config() {
  return {{"bos_token", "<|startoftext|>"},
          {"eos_token", "<|endoftext|>"},
          {"pad_token", "<|endoftext|>"},
          {"model_max_length", 77},
          {"tokenizer_class", "CLIPTokenizer"}};
}

// The characters for the bytes 0 to 255 in byte-level BPE, as UTF-8.
inline std::vector<std::string> byte_symbols() {
  std::vector<std::string> symbols;
  char32_t next = 256;
  for (char32_t byte = 0; byte < 256; ++byte) {
    const bool shown = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    const char32_t code = shown ? byte : next++;
    if (code < 128)
      symbols.emplace_back(1, static_cast<char>(code));
    else
      symbols.push_back({static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 63))});
  }
  return symbols;
}

inline const std::vector<std::pair<std::string, std::string>> kMerges = {
    {"c", "a"}, {"ca", "t</w>"}, {"d", "o"}, {"do", "g</w>"}, {"o", "f</w>"}};

// A small vocabulary in CLIP's form, with CLIP's ids at both ends.
inline Json vocabulary() {
  Json ids = Json::object();
  int next = 0;
  for (const char* const end : {"", "</w>"})
    for (const std::string& symbol : byte_symbols()) ids[symbol + end] = next++;
  for (const auto& [left, right] : kMerges) ids[left + right] = next++;
  ids["<|startoftext|>"] = 49406;
  ids["<|endoftext|>"] = 49407;
  return ids;
}

inline std::string merges() {
  std::string text = "#version: 0.2\n";
  for (const auto& [left, right] : kMerges) text += left + " " + right + "\n";
  return text;
}

// tokenizer.json with the vocabulary above, otherwise as in OpenAI's models.
inline Json tokenizer() {
  Json merged = Json::array();
  for (const auto& [left, right] : kMerges) merged.push_back(left + " " + right);
  const auto added = [](int id, const char* content, bool normalised) {
    return Json{{"id", id},        {"content", content},       {"single_word", false}, {"lstrip", false},
                {"rstrip", false}, {"normalized", normalised}, {"special", true}};
  };
  const char* const words =
      "<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+";
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", {added(49406, "<|startoftext|>", true), added(49407, "<|endoftext|>", false)}},
          {"normalizer",
           {{"type", "Sequence"},
            {"normalizers",
             {{{"type", "NFC"}},
              {{"type", "Replace"}, {"pattern", {{"Regex", "\\s+"}}}, {"content", " "}},
              {{"type", "Lowercase"}}}}}},
          {"pre_tokenizer",
           {{"type", "Sequence"},
            {"pretokenizers",
             {{{"type", "Split"}, {"pattern", {{"Regex", words}}}, {"behavior", "Removed"}, {"invert", true}},
              {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}}}}}},
          {"post_processor",
           {{"type", "RobertaProcessing"},
            {"sep", Json::array({"<|endoftext|>", 49407})},
            {"cls", Json::array({"<|startoftext|>", 49406})},
            {"trim_offsets", false},
            {"add_prefix_space", false}}},
          {"decoder", {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}}},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", "<|endoftext|>"},
            {"continuing_subword_prefix", ""},
            {"end_of_word_suffix", "</w>"},
            {"fuse_unk", false},
            {"vocab", vocabulary()},
            {"merges", merged}}}};
}

}  // namespace config

// A safetensors file with one tensor: a text bank of `labels`, each with 512 numbers.
inline std::string text_bank_of(const std::vector<std::string>& labels) {
  std::vector<float> numbers;
  for (std::size_t row = 0; row < labels.size(); ++row)
    for (std::size_t column = 0; column < 512; ++column) numbers.push_back(column % labels.size() == row ? 1.0f : 0.0f);
  const std::size_t bytes = numbers.size() * sizeof(float);
  const nlohmann::json header = {
      {"__metadata__", {{"labels", nlohmann::json(labels).dump()}}},
      {"embeddings", {{"dtype", "F32"}, {"shape", {labels.size(), 512}}, {"data_offsets", {0, bytes}}}}};
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::string file(reinterpret_cast<const char*>(&length), sizeof length);
  file += text;
  file.append(reinterpret_cast<const char*>(numbers.data()), bytes);
  return file;
}

// The files that transformers keeps next to its models.
inline void put_hugging_face_configs(LayoutDirectory& directory) {
  directory.put("config.json", config::clip());
  directory.put("preprocessor_config.json", config::preprocessor());
  directory.put("tokenizer_config.json", config::tokenizer_config());
  directory.put("tokenizer.json", config::tokenizer());
}

struct Layout {
  std::string name;       // of the test
  std::string directory;  // its name
  std::string expected;   // Bundle::layout
  void (*fill)(LayoutDirectory&);
  std::string open = "";  // path inside it to open; empty: the directory itself
};

// Every layout that must open. Image towers take 224 x 224 pictures; all towers give 512 numbers.
inline const std::vector<Layout>& sound_layouts() {
  using D = LayoutDirectory;
  static const std::vector<Layout> layouts = {
      {"HuggingFace", "clip-vit-base-patch32", "Hugging Face",
       [](D& d) {
         d.tower("onnx/vision_model.onnx", "vision_model.onnx");
         d.tower("onnx/text_model.onnx", "text_model.onnx");
         put_hugging_face_configs(d);
       }},
      {"HuggingFaceWithoutFolder", "clip-vit-base-patch32", "Hugging Face",
       [](D& d) {
         d.tower("vision_model.onnx", "vision_model.onnx");
         d.tower("text_model.onnx", "text_model_with_mask.onnx");
         d.put("config.json", config::clip());
         d.put("preprocessor_config.json", config::preprocessor());
         d.put("vocab.json", config::vocabulary());
         d.text("merges.txt", config::merges());
         d.put("special_tokens_map.json", {{"pad_token", {{"content", "<|endoftext|>"}}}});
       }},
      {"HuggingFaceHalf", "clip", "Hugging Face",
       [](D& d) {
         d.tower("onnx/vision_model_fp16.onnx", "vision_model_fp16.onnx");
         d.tower("onnx/text_model_fp16.onnx", "text_model_fp16.onnx");
         put_hugging_face_configs(d);
       }},
      {"HuggingFaceQuantized", "clip", "Hugging Face",
       [](D& d) {
         d.tower("onnx/vision_model_quantized.onnx", "vision_model_quantized.onnx");
         d.tower("onnx/text_model_quantized.onnx", "text_model_quantized.onnx");
         put_hugging_face_configs(d);
       }},
      {"HuggingFaceChosenVariant", "clip", "Hugging Face",
       [](D& d) {
         for (const char* ending : {"", "_fp16", "_quantized"})
           for (const char* tower : {"vision_model", "text_model"})
             d.tower("onnx/" + std::string(tower) + ending + ".onnx", std::string(tower) + ending + ".onnx");
         put_hugging_face_configs(d);
       },
       "onnx/vision_model_quantized.onnx"},
      {"HuggingFaceExternalData", "clip", "Hugging Face",
       [](D& d) {
         d.tower("onnx/vision_model.onnx", "external.onnx");
         d.tower("onnx/vision_model.onnx_data", "vision_model.onnx_data");
         d.tower("onnx/text_model.onnx", "text_model.onnx");
         put_hugging_face_configs(d);
       }},
      {"HuggingFaceOneFile", "clip", "Hugging Face, both towers in one file",
       [](D& d) {
         d.tower("onnx/model.onnx", "model.onnx");
         put_hugging_face_configs(d);
       }},
      {"OneFileAlone", "clip", "both towers in one file", [](D& d) { d.tower("clip.onnx", "model.onnx"); }},
      {"Immich", "ViT-B-32__openai", "Immich",
       [](D& d) {
         d.tower("visual/model.onnx", "immich_visual.onnx");
         d.tower("textual/model.onnx", "immich_textual.onnx");
         d.put("config.json", config::open_clip());
         d.put("visual/preprocess_cfg.json", config::preprocess_cfg());
         d.put("textual/tokenizer.json", config::tokenizer());
         d.put("textual/tokenizer_config.json", config::tokenizer_config());
       }},
      {"OpenClip", "vit-b-32", "open_clip export",
       [](D& d) {
         d.tower("visual.onnx", "visual.onnx");
         d.tower("textual.onnx", "textual_int64.onnx");
         d.put("open_clip_config.json", {{"model_cfg", config::open_clip()},
                                         {"preprocess_cfg", {{"mean", config::kMean}, {"std", config::kStd}}}});
       }},
      {"ClipOnnx", "clip", "open_clip export",
       [](D& d) {
         d.tower("clip_visual.onnx", "visual.onnx");
         d.tower("clip_textual.onnx", "textual.onnx");
       }},
      {"Encoders", "clip", "open_clip export",
       [](D& d) {
         d.tower("image_encoder.onnx", "visual.onnx");
         d.tower("text_encoder.onnx", "textual_int64.onnx");
       }},
      {"ClipAsService", "ViT-B-32", "clip-as-service",
       [](D& d) {
         d.tower("visual.onnx", "visual.onnx");
         d.tower("textual.onnx", "textual.onnx");
       }},
      {"TextBank", "street", "image tower and text bank",
       [](D& d) {
         d.tower("image_tower.onnx", "visual.onnx");
         d.text("labels.safetensors", text_bank_of({"cat", "dog", "tram"}));
       }},
      {"AnyNames", "odd", "ONNX files",
       [](D& d) {
         d.tower("a.onnx", "three_sides.onnx");
         d.tower("b.onnx", "text_three_sides.onnx");
       }},
      {"HalfTensors", "half", "ONNX files",
       [](D& d) {
         d.tower("picture.onnx", "half.onnx");
         d.tower("words.onnx", "text_with_table.onnx");
       }},
  };
  return layouts;
}

inline const Layout& layout_named(const std::string& name) {
  for (const Layout& layout : sound_layouts())
    if (layout.name == name) return layout;
  std::abort();
}

// For messages of parameterised tests.
inline void PrintTo(const Layout& layout, std::ostream* out) {
  *out << layout.name;
}

}  // namespace bcp::test
