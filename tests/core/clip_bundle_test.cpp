// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <functional>

#include "clip/bundle/bundle.hpp"
#include "toy_bundle.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
using test::EnvironmentVariable;
using test::TemporaryDirectory;
using test::ToyBundle;
using test::WorkingDirectory;
using Parts = std::vector<std::string>;

template <typename T>
void expect_fault(const Result<T>& result, ErrorCode code, const Parts& parts) {
  ASSERT_FALSE(result) << "no error";
  EXPECT_EQ(result.error().code, code) << result.error().message;
  for (const std::string& part : parts)
    EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

TEST(Bundle, ReadsEveryKey) {
  const auto bundle = Bundle::open(std::string(BCP_TEST_DATA) + "/bundles/toy");
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->name, "toy");
  EXPECT_EQ(bundle->licence, "LGPL-2.1-or-later");
  EXPECT_EQ(bundle->description, "Names the colour of a plain picture.");
  EXPECT_EQ(bundle->tensor.size, 32);
  EXPECT_EQ(bundle->tensor.mean, (std::array<float, 3>{0, 0, 0}));
  EXPECT_EQ(bundle->tensor.std, (std::array<float, 3>{1, 1, 1}));
  EXPECT_EQ(bundle->logit_scale, 20);
  EXPECT_EQ(bundle->embedding_size, 8);
  EXPECT_EQ(bundle->visual.file, std::string(BCP_TEST_DATA) + "/bundles/toy/visual.onnx");
  EXPECT_EQ(bundle->text_bank, std::string(BCP_TEST_DATA) + "/bundles/toy/text_bank.safetensors");
  EXPECT_EQ(bundle->visual.input, "");
  EXPECT_EQ(bundle->self_test.size(), 8u);
  EXPECT_EQ(bundle->identity, *sha256(test::read(bundle->visual.file)));
}

TEST(Bundle, IgnoresKeysItDoesNotKnow) {
  ToyBundle toy;
  toy.manifest["colour"] = "blue";
  EXPECT_TRUE(Bundle::open(toy.path()));
}

TEST(Bundle, RefusesANewerFormat) {
  ToyBundle toy;
  toy.manifest["format"] = 2;
  expect_fault(Bundle::open(toy.path()), ErrorCode::kUnsupported, {"bundle.json", "format 2", "update"});
}

TEST(Bundle, NamesTheFileTheKeyAndWhatIsExpectedOfIt) {
  const auto fault_of = [](const std::function<void(nlohmann::json&)>& change, const Parts& parts) {
    ToyBundle toy;
    change(toy.manifest);
    Parts all = {"/bundle.json", "models/README.md"};
    all.insert(all.end(), parts.begin(), parts.end());
    expect_fault(Bundle::open(toy.path()), ErrorCode::kInvalid, all);
  };
  using Json = nlohmann::json;
  fault_of([](Json& m) { m.erase("format"); }, {"\"format\"", "missing"});
  fault_of([](Json& m) { m["name"] = 3; }, {"\"name\"", "a string", "3"});
  fault_of([](Json& m) { m["name"] = ""; }, {"\"name\"", "a string"});
  fault_of([](Json& m) { m.erase("licence"); }, {"\"licence\"", "missing"});
  fault_of([](Json& m) { m["image"] = 224; }, {"\"image.size\"", "an integer"});
  fault_of([](Json& m) { m["image"]["size"] = 0; }, {"\"image.size\"", "2 to 4096", "it is 0"});
  fault_of([](Json& m) { m["image"]["size"] = 1e30; }, {"\"image.size\""});
  fault_of([](Json& m) { m["image"]["size"] = 4294967328; }, {"\"image.size\""});
  fault_of([](Json& m) { m["image"]["crop"] = "middle"; }, {"\"image.crop\"", "clip or rounded", "middle"});
  fault_of([](Json& m) { m["image"]["mean"] = {0, 0}; }, {"\"image.mean\"", "three numbers"});
  fault_of([](Json& m) { m["image"]["std"] = {1, 0, 1}; }, {"\"image.std\"", "three numbers above 0"});
  fault_of([](Json& m) { m["logit_scale"] = -1; }, {"\"logit_scale\"", "above 0"});
  fault_of([](Json& m) { m["embedding_size"] = "8"; }, {"\"embedding_size\"", "an integer"});
  fault_of([](Json& m) { m["presence"]["scale"] = -1; }, {"\"presence.scale\"", "above 0", "-1"});
  fault_of([](Json& m) { m["image"]["filter"] = "lanczos"; }, {"\"image.filter\"", "bicubic or bilinear", "lanczos"});
  fault_of([](Json& m) { m["image"]["resize"] = "longest"; }, {"\"image.resize\"", "shortest or squash", "longest"});
  fault_of([](Json& m) { m["image"]["resize_to"] = 31; }, {"\"image.resize_to\"", "32 to 4096"});
  fault_of([](Json& m) { m["scoring"] = "argmax"; }, {"\"scoring\"", "softmax or sigmoid"});
  fault_of([](Json& m) { m["scoring"] = "sigmoid"; }, {"\"logit_bias\"", "a number", "missing"});
  fault_of([](Json& m) { m["logit_bias"] = -10; }, {"\"logit_bias\"", "\"sigmoid\""});
  fault_of([](Json& m) { m["presence"]["slope"] = 0; }, {"\"presence.slope\"", "above 0"});
  fault_of([](Json& m) { m["presence"]["offset"] = "x"; }, {"\"presence.offset\"", "a number"});
  fault_of([](Json& m) { m["presence"]["prior_strength"] = 1.5; }, {"\"presence.prior_strength\"", "0 to 1"});
  fault_of([](Json& m) { m["presence"]["alias_cosine"] = "x"; }, {"\"presence.alias_cosine\"", "0 to 1"});
  fault_of([](Json& m) { m.erase("visual"); }, {"\"visual.file\"", "missing"});
  fault_of([](Json& m) { m["visual"]["input"] = 1; }, {"\"visual.input\""});
  fault_of([](Json& m) { m.erase("text_bank"); }, {"\"text_bank.file\"", "missing"});
  fault_of([](Json& m) { m.erase("sha256"); }, {"\"sha256\"", "missing"});
  fault_of([](Json& m) { m["sha256"].erase("visual.onnx"); }, {"\"sha256.visual.onnx\"", "missing"});
  fault_of([](Json& m) { m["sha256"]["visual.onnx"] = "beef"; }, {"\"sha256.visual.onnx\"", "64 hexadecimal"});
  fault_of([](Json& m) { m["self_test"]["embedding"] = {1, "x"}; }, {"\"self_test.embedding\"", "numbers"});
  fault_of([](Json& m) { m["self_test"]["embedding"] = std::vector<float>(9, 0.1f); },
           {"\"self_test.embedding\"", "8"});
}

TEST(Bundle, ReadsPreprocessingAndScoring) {
  const ToyBundle plain;
  const Result<Bundle> clip = Bundle::open(plain.path());
  ASSERT_TRUE(clip) << clip.error().message;
  EXPECT_EQ(clip->scoring, Scoring::kSoftmax);
  EXPECT_EQ(clip->tensor.filter, image::Filter::kBicubic);
  EXPECT_EQ(clip->tensor.resize, image::Resize::kShortest);
  EXPECT_EQ(clip->tensor.resize_to, 0);

  ToyBundle toy;
  toy.manifest["image"].update({{"filter", "bilinear"}, {"resize", "squash"}, {"resize_to", 40}});
  toy.manifest.update({{"scoring", "sigmoid"}, {"logit_bias", -12.5}, {"logit_scale", 100}});
  toy.manifest["presence"] = {{"slope", 0.8}, {"offset", -1.5}};
  const Result<Bundle> siglip = Bundle::open(toy.path());
  ASSERT_TRUE(siglip) << siglip.error().message;
  EXPECT_EQ(siglip->scoring, Scoring::kSigmoid);
  EXPECT_EQ(siglip->logit_bias, -12.5);
  EXPECT_EQ(siglip->tensor.filter, image::Filter::kBilinear);
  EXPECT_EQ(siglip->tensor.resize, image::Resize::kSquash);
  EXPECT_EQ(siglip->tensor.resize_to, 40);
  EXPECT_EQ(presence_traits(*siglip).slope, 0.8);
  EXPECT_EQ(presence_traits(*siglip).offset, -1.5);
  EXPECT_FALSE(presence_traits(*siglip).scale) << "CLIP's scale says nothing about a sigmoid";
}

TEST(Bundle, NeverReadsAFileOutsideItsDirectory) {
  for (const char* name : {"/etc/passwd", "../visual.onnx", "a/../../visual.onnx"}) {
    ToyBundle toy;
    toy.manifest["visual"]["file"] = name;
    expect_fault(Bundle::open(toy.path()), ErrorCode::kInvalid, {"\"visual.file\"", "inside", name});
    ToyBundle other;
    other.manifest["sha256"][name] = std::string(64, '0');
    expect_fault(Bundle::open(other.path()), ErrorCode::kInvalid, {name, "inside"});
  }
}

TEST(Bundle, ReportsWhyADirectoryIsNotABundle) {
  const TemporaryDirectory directory;
  expect_fault(Bundle::open(directory.path()), ErrorCode::kNotFound,
               {directory.path(), "no bundle.json", "models/README.md"});
  expect_fault(Bundle::open(directory / "none"), ErrorCode::kNotFound, {directory / "none"});
  test::write(directory / "model.pt", "x");
  expect_fault(Bundle::open(directory / "model.pt"), ErrorCode::kInvalid,
               {"model.pt", "is not an ONNX file", "make_bundle.py"});
  test::write(directory / "bundle.json", "{\"format\": 1,");
  expect_fault(Bundle::open(directory.path()), ErrorCode::kInvalid, {"bundle.json", "not valid JSON"});
  test::write(directory / "bundle.json", "[]");
  expect_fault(Bundle::open(directory.path()), ErrorCode::kInvalid, {"bundle.json", "object"});
  test::write(directory / "bundle.json", "{\"format\": 1, \"name\": \"caf\xE9\"}");
  expect_fault(Bundle::open(directory.path()), ErrorCode::kInvalid, {"bundle.json", "not valid JSON"});
}

TEST(Bundle, NoticesAChangedFile) {
  ToyBundle toy;
  const std::string wrong(64, '0');
  toy.manifest["sha256"]["visual.onnx"] = wrong;
  expect_fault(Bundle::open(toy.path()), ErrorCode::kInvalid,
               {"visual.onnx", wrong, *sha256(test::read(test::toy_model("toy.onnx"))), "fetch it again"});
}

TEST(Bundle, NoticesAMissingFile) {
  ToyBundle toy;
  const std::string path = toy.path();
  fs::remove(path + "/text_bank.safetensors");
  expect_fault(Bundle::open(path), ErrorCode::kNotFound, {"text_bank.safetensors", "fetch it again"});
}

TEST(Bundle, HasAnotherIdentityWhenExternalWeightsChange) {
  ToyBundle one, two;
  const std::string alone = Bundle::open(one.path())->identity;
  one.put("weights.data", "1");
  two.put("weights.data", "2");
  const std::string first = Bundle::open(one.path())->identity, second = Bundle::open(two.path())->identity;
  EXPECT_NE(alone, first);
  EXPECT_NE(first, second);
}

// A prior file fits one model; making an int8 variant of that must not take its prior files away.
TEST(Bundle, StaysTheSameWhenAnInt8VariantIsAdded) {
  ToyBundle toy;
  const std::string before = Bundle::open(toy.path())->identity;
  toy.put("visual_int8.onnx", test::read(test::toy_model("toy_int8.onnx")));
  toy.put("visual_int8.onnx.data", "1");
  toy.put("visual_int8.onnx_data", "2");
  EXPECT_EQ(Bundle::open(toy.path())->identity, before);
  const auto variant = Bundle::open(toy.path() + "/visual_int8.onnx");
  ASSERT_TRUE(variant) << variant.error().message;
  EXPECT_TRUE(variant->int8);
  EXPECT_NE(variant->identity, before);
}

// A toy bundle with a text tower too.
struct TextBundle : ToyBundle {
  TextBundle() {
    put("textual.onnx", test::read(std::string(BCP_TEST_DATA) + "/layouts/textual.onnx"));
    put("bpe.txt", "a vocabulary, which is not looked into here");
    manifest["textual"] = {{"file", "textual.onnx"},  {"ids", "input"},
                           {"mask", "mask"},          {"output", "output"},
                           {"vocabulary", "bpe.txt"}, {"context_length", 64},
                           {"padding", 49407},        {"templates", {"a photo of a {}", "{}!"}}};
    manifest["self_test"] = {
        {"embedding", {0.5, 0.5}}, {"text", "a cat"}, {"tokens", {1, 2, 3}}, {"text_embedding", {1, 0}}};
  }
};

TEST(Bundle, ReadsATextTower) {
  TextBundle toy;
  toy.manifest.erase("text_bank");
  const std::string path = toy.path();
  const auto bundle = Bundle::open(path);
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->layout, "bundle.json");
  EXPECT_EQ(bundle->text_bank, "");
  ASSERT_TRUE(bundle->textual);
  EXPECT_EQ(bundle->textual->file, path + "/textual.onnx");
  EXPECT_EQ(bundle->textual->ids, "input");
  EXPECT_EQ(bundle->textual->mask, "mask");
  EXPECT_EQ(bundle->textual->output, "output");
  EXPECT_EQ(bundle->textual->vocabulary, path + "/bpe.txt");
  EXPECT_EQ(bundle->textual->context_length, 64);
  EXPECT_EQ(bundle->textual->padding, 49407);
  EXPECT_EQ(bundle->textual->self_test.text, "a cat");
  EXPECT_EQ(bundle->textual->self_test.tokens, (std::vector<tokenize::TokenId>{1, 2, 3}));
  EXPECT_EQ(bundle->textual->self_test.embedding, (std::vector<float>{1, 0}));
  EXPECT_EQ(bundle->templates, (Parts{"a photo of a {}", "{}!"}));
}

TEST(Bundle, HasDefaultsForATextTower) {
  TextBundle toy;
  toy.manifest["textual"] = {{"file", "textual.onnx"}};
  toy.manifest.erase("self_test");
  const auto bundle = Bundle::open(toy.path());
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_NE(bundle->text_bank, "");
  EXPECT_EQ(bundle->textual->vocabulary, "");
  EXPECT_EQ(bundle->textual->context_length, 77);
  EXPECT_EQ(bundle->textual->padding, std::nullopt);
  EXPECT_TRUE(bundle->templates.empty());
}

TEST(Bundle, ReadsThePaddingOfASiglipTower) {
  TextBundle toy;
  const auto plain = Bundle::open(toy.path());
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_FALSE(plain->textual->pad_to_length);
  EXPECT_FALSE(plain->textual->lowercase);
  toy.manifest["textual"]["pad_to_length"] = true;
  const auto padded = Bundle::open(toy.path());
  EXPECT_TRUE(padded->textual->pad_to_length);
  EXPECT_NE(padded->text_identity, plain->text_identity);  // cached embeddings depend on the padding
  toy.manifest["textual"]["lowercase"] = true;
  const auto lowered = Bundle::open(toy.path());
  EXPECT_TRUE(lowered->textual->lowercase);
  EXPECT_NE(lowered->text_identity, padded->text_identity);
}

TEST(Bundle, NamesTheKeyOfATextTowerThatIsWrong) {
  using Json = nlohmann::json;
  const auto fault_of = [](const std::string& key, const Json& value) {
    TextBundle toy;
    const std::size_t dot = key.find('.');
    toy.manifest[key.substr(0, dot)][key.substr(dot + 1)] = value;
    expect_fault(Bundle::open(toy.path()), ErrorCode::kInvalid, {"/bundle.json", "\"" + key + "\""});
  };
  for (const Json& value : {Json(3), Json(""), Json("../textual.onnx"), Json("/etc/passwd")}) {
    fault_of("textual.file", value);
    fault_of("textual.vocabulary", value);
  }
  for (const char* key : {"textual.ids", "textual.mask", "textual.output", "self_test.text"}) fault_of(key, 1);
  for (const Json& value : {Json(1), Json(4097), Json("77"), Json(7.5)}) fault_of("textual.context_length", value);
  for (const Json& value : {Json(-1), Json("x"), Json(1e12)}) fault_of("textual.padding", value);
  for (const char* key : {"textual.pad_to_length", "textual.lowercase"}) fault_of(key, "yes");
  for (const Json& value : {Json("a {}"), Json::array(), Json{"no place"}, Json{"{} and {}"}, Json{"a {}", 3},
                            Json{"{}" + std::string(70'000, 'x')}, Json(std::vector<std::string>(257, "{}"))})
    fault_of("textual.templates", value);
  fault_of("self_test.tokens", {1, "x"});
  fault_of("self_test.tokens", {1, 2.5});
  fault_of("self_test.text_embedding", std::vector<float>(9, 0.1f));
  fault_of("self_test.text", "");
  TextBundle toy;
  toy.manifest["sha256"].erase("bpe.txt");
  expect_fault(Bundle::open(toy.path()), ErrorCode::kInvalid, {"\"sha256.bpe.txt\""});
}

TEST(Bundle, HasAChecksumOfTheMergesOfAVocabulary) {
  TextBundle toy;
  toy.put("vocab.json", "{}");
  toy.put("merges.txt", "#version: 0.2\n");
  toy.manifest["textual"]["vocabulary"] = "vocab.json";
  EXPECT_TRUE(Bundle::open(toy.path())) << Bundle::open(toy.path()).error().message;
  toy.manifest["sha256"].erase("merges.txt");
  expect_fault(Bundle::open(toy.path()), ErrorCode::kInvalid, {"bundle.json", "sha256", "merges.txt", "vocab.json"});
  toy.put("tokenizer.json", "{}");  // has its own
  toy.manifest["textual"]["vocabulary"] = "tokenizer.json";
  EXPECT_TRUE(Bundle::open(toy.path())) << Bundle::open(toy.path()).error().message;
}

TEST(Bundle, IdentifiesTowersByTheirOwnFiles) {
  TextBundle before, after;
  const auto first = Bundle::open(before.path());
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->identity, *sha256(test::read(first->visual.file)));  // a text tower does not change it
  after.put("bpe.txt", "another vocabulary");
  const auto second = Bundle::open(after.path());
  EXPECT_EQ(second->identity, first->identity);
  EXPECT_NE(second->text_identity, first->text_identity);
  before.manifest["textual"]["padding"] = 0;
  EXPECT_NE(Bundle::open(before.path())->text_identity, first->text_identity);
}

TEST(Bundle, HoldsOneFileForBothTowers) {
  ToyBundle toy("../onnx/two_towers.onnx");
  toy.manifest["textual"] = {{"file", "visual.onnx"}};
  const auto bundle = Bundle::open(toy.path());
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->textual->file, bundle->visual.file);
  EXPECT_EQ(bundle->identity, *sha256(test::read(bundle->visual.file)));
}

TEST(Bundle, OpensAVariantByItsPath) {
  TextBundle toy;
  toy.put("visual_fp16.onnx", test::read(test::toy_model("odd_names.onnx")));
  toy.put("textual_fp16.onnx", test::read(std::string(BCP_TEST_DATA) + "/layouts/textual_int64.onnx"));
  const std::string path = toy.path();
  const auto half = Bundle::open(path + "/visual_fp16.onnx");
  ASSERT_TRUE(half) << half.error().message;
  EXPECT_EQ(half->visual.file, path + "/visual_fp16.onnx");
  EXPECT_EQ(half->textual->file, path + "/textual_fp16.onnx");
  EXPECT_EQ(half->tensor.size, 32);
  EXPECT_TRUE(half->self_test.empty());  // it is for the other file
  EXPECT_EQ(Bundle::open(path + "/visual.onnx")->self_test.size(), 2u);
  test::write(path + "/stranger.onnx", test::read(test::toy_model("toy.onnx")));
  expect_fault(Bundle::open(path + "/stranger.onnx"), ErrorCode::kInvalid, {"\"sha256.stranger.onnx\""});
}

TEST(Bundle, HasAChecksumOfEveryFileThatHoldsWeights) {
  for (const std::string tower : {"visual.onnx", "textual.onnx"}) {
    TextBundle toy;
    toy.put(tower, test::read(std::string(BCP_TEST_DATA) + "/onnx/external.onnx"));
    toy.put("external.data", test::read(std::string(BCP_TEST_DATA) + "/onnx/external.data"));
    EXPECT_TRUE(Bundle::open(toy.path())) << Bundle::open(toy.path()).error().message;
    EXPECT_TRUE(Bundle::open(toy.path() + "/"));
    toy.manifest["sha256"].erase("external.data");
    expect_fault(Bundle::open(toy.path()), ErrorCode::kInvalid, {"external.data", "sha256", tower});
  }
}

class FindBundle : public testing::Test {
 protected:
  void add(const std::string& directory) { test::write(directory + "/bundle.json", "{}"); }

  TemporaryDirectory root;
  EnvironmentVariable home{"HOME", root / "home"};
  EnvironmentVariable path{"GST_BCP_MODEL_PATH", (root / "a") + ":" + (root / "b")};
  EnvironmentVariable user{"XDG_DATA_HOME", root / "user"};
  EnvironmentVariable system{"XDG_DATA_DIRS", (root / "s1") + ":" + (root / "s2")};
};

TEST_F(FindBundle, SearchesEveryPlaceInOrder) {
  const std::vector<std::string> places = {"s2/gst-bcp/models", "s1/gst-bcp/models", "user/gst-bcp/models", "b", "a"};
  for (const std::string& place : places) {  // searched before those filled earlier
    add(root / (place + "/toy"));
    const auto found = find_bundle("toy");
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found, root / (place + "/toy"));
  }
}

TEST_F(FindBundle, TreatsTextWithASlashAsAPath) {
  add(root / "a/toy");
  EXPECT_EQ(*find_bundle("./toy"), "./toy");
  EXPECT_EQ(*find_bundle("/no/such/bundle"), "/no/such/bundle");
  EXPECT_EQ(*find_bundle("."), ".");
}

TEST_F(FindBundle, TreatsAnOnnxFileInTheCurrentDirectoryAsAPath) {
  const WorkingDirectory inside(root.path());
  test::write(root / "model.onnx", "x");
  EXPECT_EQ(*find_bundle("model.onnx"), "model.onnx");
  EXPECT_FALSE(find_bundle("other.onnx"));
  test::write(root / "weights/model.safetensors", "x");
  EXPECT_EQ(*find_bundle("weights"), "weights");  // Bundle::open says how to export it
  add(root / "a/model.onnx");                     // a model of that name comes first
  EXPECT_EQ(*find_bundle("model.onnx"), root / "a/model.onnx");
}

TEST_F(FindBundle, ReportsSearchedPlacesAndFoundBundles) {
  add(root / "b/street");
  add(root / "user/gst-bcp/models/kitchen");
  fs::create_directories(root / "a/toy");  // without a bundle.json
  expect_fault(
      find_bundle("toy"), ErrorCode::kNotFound,
      {"\"toy\"", root / "a", root / "b", root / "s2/gst-bcp/models", "kitchen, street", "GST_BCP_MODEL_PATH"});
}

TEST_F(FindBundle, OffersNoNamesWithoutBundles) {
  if (!list_bundles().empty()) return;  // this machine has installed bundles
  const auto found = find_bundle("toy");
  expect_fault(found, ErrorCode::kNotFound, {"(no bundles there): give a directory", "GST_BCP_MODEL_PATH"});
  EXPECT_EQ(found.error().message.find("these names"), std::string::npos) << found.error().message;
}

TEST_F(FindBundle, AsksForANameIfItIsEmpty) {
  expect_fault(find_bundle(""), ErrorCode::kInvalid, {"no model", "mini"});
}

}  // namespace
}  // namespace bcp::clip
