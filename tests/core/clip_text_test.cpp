// SPDX-License-Identifier: LGPL-2.1-or-later
// The text tower and the label encoder, with toy towers that know words for colours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "clip/label_encoder.hpp"
#include "clip/model.hpp"
#include "clip/prompts.hpp"
#include "onnx_builder.hpp"
#include "toy_bundle.hpp"

namespace bcp::clip {
namespace {

constexpr onnx::SessionOptions kCpu{.provider = onnx::Provider::kCpu, .threads = 1};

Bundle words(const std::string& tower = "words.onnx") {
  Bundle bundle;
  bundle.name = "words";
  bundle.embedding_size = 8;
  bundle.visual.file = test::toy_model("toy.onnx");
  bundle.textual.emplace().file = test::toy_model(tower);
  return bundle;
}

std::unique_ptr<TextEncoder> open_sound(const Bundle& bundle) {
  auto encoder = TextEncoder::open(bundle, kCpu);
  EXPECT_TRUE(encoder) << encoder.error().message;
  return encoder ? *std::move(encoder) : nullptr;
}

void expect_fault(const Bundle& bundle, const std::vector<std::string>& parts) {
  const auto encoder = TextEncoder::open(bundle, kCpu);
  ASSERT_FALSE(encoder) << "no error";
  for (const std::string& part : parts)
    EXPECT_NE(encoder.error().message.find(part), std::string::npos) << encoder.error().message;
}

std::vector<Label> labels(const std::vector<std::string>& names) {
  std::vector<Label> list;
  for (const std::string& name : names) list.push_back({.name = name});
  return list;
}

TEST(TextEncoder, GivesUnitEmbeddingsThatFollowTheWords) {
  const auto encoder = open_sound(words());
  ASSERT_TRUE(encoder);
  EXPECT_EQ(encoder->embedding_size(), 8);
  const std::vector<std::string> texts = {"a photo of a red", "Red!", "a photo of a blue", "a zebra"};
  const auto rows = encoder->encode(texts);
  ASSERT_TRUE(rows) << rows.error().message;
  for (Eigen::Index i = 0; i < 4; ++i) EXPECT_NEAR(rows->row(i).norm(), 1, 1e-6);
  EXPECT_GT(rows->row(0).dot(rows->row(1)), 0.95);
  EXPECT_LT(rows->row(0).dot(rows->row(2)), 0.8);
}

// A tower like SigLIP's: 64 ids of any text, including padding, without an end position. The sum of the ids, each times
// its own row, shows every one of them. `mask`: with an attention_mask that multiplies the ids.
struct SiglipTower {
  static constexpr std::int64_t kLength = 64, kWidth = 8;
  test::TemporaryDirectory directory;
  TextMatrix weights{kLength, kWidth};

  explicit SiglipTower(bool mask = false, std::int64_t declared = -1) {
    for (Eigen::Index i = 0; i < weights.size(); ++i) weights.data()[i] = std::sin(static_cast<float>(i * i % 977));
    namespace build = test::onnx;
    const std::vector<float> numbers(weights.data(), weights.data() + weights.size());
    build::Graph graph{{},
                       {build::tensor("W", 1, {kLength, kWidth}, build::raw_of(numbers))},
                       {build::value("input_ids", 7, {-1, declared})},
                       {build::value("pooler_output", 1, {-1, kWidth})}};
    if (mask) {
      graph.nodes.push_back(build::node("Mul", {"input_ids", "attention_mask"}, {"seen"}));
      graph.inputs.push_back(build::value("attention_mask", 7, {-1, declared}));
    }
    graph.nodes.push_back(build::node("Cast", {mask ? "seen" : "input_ids"}, {"ids"}, {build::integer("to", 1)}));
    graph.nodes.push_back(build::node("MatMul", {"ids", "W"}, {"pooler_output"}));
    test::write(directory / "text_model.onnx", build::model(graph));
  }

  Bundle bundle(const std::string& vocabulary) const {
    Bundle bundle;
    bundle.name = "siglip";
    bundle.embedding_size = kWidth;
    bundle.visual.file = test::toy_model("toy.onnx");
    TextTower& tower = bundle.textual.emplace();
    tower.file = directory / "text_model.onnx";
    tower.output = "pooler_output";
    tower.vocabulary = std::string(BCP_TEST_DATA) + "/tokenizer/" + vocabulary;
    tower.context_length = kLength;
    tower.pad_to_length = true;
    return bundle;
  }

  // The expected layout of ids.
  Eigen::VectorXf embedding(std::vector<tokenize::TokenId> ids, tokenize::TokenId padding) const {
    ids.resize(kLength, padding);
    Eigen::VectorXf sum = Eigen::VectorXf::Zero(kWidth);
    for (Eigen::Index i = 0; i < kLength; ++i)
      sum += static_cast<float>(ids[static_cast<std::size_t>(i)]) * weights.row(i).transpose();
    return sum.normalized();
  }
};

TEST(TextEncoder, PadsToTheFullLengthIfTheTowerUsesPadding) {
  for (const bool mask : {false, true}) {
    for (const std::int64_t declared : {-1, 64}) {
      const SiglipTower tower(mask, declared);
      for (const auto& [vocabulary, padding] :
           {std::pair("unigram_siglip.json", 1), std::pair("bpe_siglip2.json", 5)}) {
        Bundle bundle = tower.bundle(vocabulary);
        bundle.textual->padding = padding;
        const auto encoder = open_sound(bundle);
        ASSERT_TRUE(encoder);
        EXPECT_EQ(encoder->input().length, 64u);
        std::string much;
        for (int i = 0; i < 100; ++i) much += "cat ";
        const std::vector<std::string> texts = {"a photo of a cat", "", "犬と猫", much};
        const auto rows = encoder->encode(texts);
        ASSERT_TRUE(rows) << rows.error().message;
        for (std::size_t i = 0; i < texts.size(); ++i) {
          const Eigen::VectorXf expected = tower.embedding(encoder->input().ids(texts[i]), padding);
          EXPECT_LT((rows->row(static_cast<Eigen::Index>(i)).transpose() - expected).norm(), 1e-4) << texts[i];
        }
      }
    }
  }
}

TEST(TextEncoder, LowersTheCaseOfTextsIfTheBundleSaysSo) {
  const SiglipTower tower;
  Bundle bundle = tower.bundle("bpe_siglip2.json");
  const auto as_typed = open_sound(bundle);
  bundle.textual->lowercase = true;
  const auto lowered = open_sound(bundle);
  ASSERT_TRUE(as_typed && lowered);
  EXPECT_NE(as_typed->input().ids("A Red CAR"), as_typed->input().ids("a red car"));
  EXPECT_EQ(lowered->input().ids("A Red CAR"), as_typed->input().ids("a red car"));
}

TEST(TextEncoder, GivesATextTheSameEmbeddingInAnyBatch) {
  const auto encoder = open_sound(words());
  ASSERT_TRUE(encoder);
  std::vector<std::string> texts;
  for (int i = 0; i < 20; ++i) texts.push_back("text number " + std::string(static_cast<std::size_t>(i), 'x') + " red");
  const auto together = encoder->encode(texts);
  ASSERT_TRUE(together) << together.error().message;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto alone = encoder->encode(std::span(texts).subspan(i, 1));
    ASSERT_TRUE(alone);
    EXPECT_LT((alone->row(0) - together->row(static_cast<Eigen::Index>(i))).norm(), 1e-5) << texts[i];
  }
}

TEST(TextEncoder, RunsTextsOneByOneWhenBatchesAreWrong) {
  const auto encoder = open_sound(words("words_first_of_batch.onnx")), sound = open_sound(words());
  ASSERT_TRUE(encoder && sound);
  EXPECT_EQ(encoder->batch(), 1u);
  const std::vector<std::string> texts = {"red", "a blue thing", "yellow"};
  EXPECT_LT((*encoder->encode(texts) - *sound->encode(texts)).norm(), 1e-5);
}

// A text that fills the context has no padding to test with.
TEST(TextEncoder, KeepsPaddingIfTheTowerUsesIt) {
  Bundle bundle = words("words_with_padding.onnx");
  const auto plain = open_sound(bundle);
  for (int i = 0; i < 100; ++i) bundle.textual->self_test.text += "cat ";
  const auto full = open_sound(bundle);
  ASSERT_TRUE(plain && full);
  const std::vector<std::string> texts = {"a dog"}, company = {"a dog", "a dog and a much longer sentence about it"};
  EXPECT_LT((*plain->encode(texts) - *full->encode(texts)).norm(), 1e-5);
  EXPECT_LT((plain->encode(company)->row(0) - plain->encode(texts)->row(0)).norm(), 1e-5);
}

TEST(TextEncoder, CutsTextsToTheTowersLength) {
  const auto encoder = open_sound(words());
  ASSERT_TRUE(encoder);
  std::string longer = "red";
  for (int i = 0; i < 2000; ++i) longer += " word";
  const std::vector<std::string> texts = {longer, longer + " blue"};
  const auto rows = encoder->encode(texts);
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_LT((rows->row(0) - rows->row(1)).norm(), 1e-6);
}

// A toy image tower has no ids, and the text tower no pictures.
TEST(TextEncoder, RefusesATowerOfAnotherKind) {
  expect_fault(words("toy.onnx"), {"toy.onnx", "no output", "float [batch, 8]"});
  Bundle wider = words();
  wider.embedding_size = 16;
  EXPECT_FALSE(TextEncoder::check(wider));
  expect_fault(wider, {"words.onnx", "float [batch, 16]", "[?, 8]"});
  Bundle missing = words("none.onnx");
  expect_fault(missing, {"none.onnx"});
}

TEST(TextEncoder, RefusesAVocabularyThatIsNotTheModels) {
  Bundle bundle = words();
  bundle.textual->self_test = {"a photo of a cat", {49406, 320, 1125, 539, 320, 2368, 49407}, {}};
  EXPECT_TRUE(TextEncoder::open(bundle, kCpu));
  bundle.textual->self_test.tokens[2] = 7;
  expect_fault(bundle, {"expects the tokens 49406 320 7", "gives 49406 320 1125", "do not belong to the same model"});
  bundle.textual->self_test = {"a photo of a red", {}, {1, 0, 0, 0}};
  expect_fault(bundle, {"self-test", "not the one in bundle.json", "check the vocabulary"});
}

// A small real CLIP: both towers must give the same as PyTorch for pictures and texts.
TEST(TinyClip, AgreesWithPyTorch) {
  const std::string directory = std::string(BCP_TEST_DATA) + "/bundles/tiny-clip";
  const nlohmann::json expected = nlohmann::json::parse(test::read(directory + "/expected.json"));
  const auto model = Model::open(directory, kCpu);
  ASSERT_TRUE(model) << model.error().message;
  for (const auto& image : expected["images"]) {
    const auto numbers = image["embedding"].get<std::vector<float>>();
    std::vector<float> found(numbers.size());
    ASSERT_TRUE((*model)->encoder().encode(test_picture(image["picture"], (*model)->bundle().tensor), 1, found));
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], numbers[i], 1e-4) << i;
  }
  const auto tower = open_sound((*model)->bundle());
  ASSERT_TRUE(tower);
  for (const auto& text : expected["texts"]) {
    const std::vector<std::string> texts = {text["text"].get<std::string>()};
    const auto numbers = text["embedding"].get<std::vector<float>>();
    const auto found = tower->encode(texts);
    ASSERT_TRUE(found) << found.error().message;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      EXPECT_NEAR((*found)(0, static_cast<Eigen::Index>(i)), numbers[i], 1e-4) << texts[0];
  }
}

TEST(LabelEncoder, AveragesTemplatesAndSynonymsAfterNormalising) {
  LabelEncoder encoder(words(), {}, kCpu);
  const std::vector<std::string> templates = {"a {} thing", "{}"};
  std::vector<Label> wanted = labels({"red", "blue"});
  wanted[1].synonyms = {"yellow"};
  const auto set = encoder.encode(wanted, templates, {});
  ASSERT_TRUE(set) << set.error().message;
  const auto tower = open_sound(words());
  const std::vector<std::string> texts = {"a red thing", "red", "a blue thing", "blue", "a yellow thing", "yellow"};
  const auto rows = tower->encode(texts);
  ASSERT_TRUE(rows);
  const auto mean = [&](Eigen::Index from, Eigen::Index count) {
    return Eigen::RowVectorXf(rows->middleRows(from, count).colwise().sum().normalized());
  };
  EXPECT_LT((set->embeddings.row(0) - mean(0, 2)).norm(), 1e-5);
  EXPECT_LT((set->embeddings.row(1) - mean(2, 4)).norm(), 1e-5);
  EXPECT_EQ(set->labels[1].name, "blue");
}

TEST(LabelEncoder, PrefersTheLabelsTemplateThenTheElementsThenTheBundles) {
  Bundle bundle = words();
  const auto row = [&](std::vector<Label> wanted, const std::vector<std::string>& templates) {
    LabelEncoder encoder(bundle, {}, kCpu);
    const auto set = encoder.encode(std::move(wanted), templates, {});
    EXPECT_TRUE(set) << set.error().message;
    return Eigen::RowVectorXf(set->embeddings.row(0));
  };
  const Eigen::RowVectorXf plain = row(labels({"red"}), {});
  EXPECT_EQ(plain, row(labels({"red"}), {kDefaultTemplate}));
  bundle.templates = {"yellow {}"};
  const Eigen::RowVectorXf bundles = row(labels({"red"}), {});
  EXPECT_NE(plain, bundles);
  EXPECT_EQ(plain, row(labels({"red"}), {kDefaultTemplate}));
  std::vector<Label> own = labels({"red"});
  own[0].templates = {"yellow {}"};
  EXPECT_EQ(bundles, row(own, {kDefaultTemplate}));
}

// With its own cache and towers, so that the known texts are known.
class LabelCache : public testing::Test {
 protected:
  LabelCache() {
    if (const char* set = std::getenv("XDG_CACHE_HOME")) before_ = set;
    ::setenv("XDG_CACHE_HOME", directory_.path().c_str(), 1);
    bundle_.text_identity = "0123";
  }
  ~LabelCache() override { ::setenv("XDG_CACHE_HOME", before_.c_str(), 1); }

  test::TemporaryDirectory directory_;
  std::string before_;
  Bundle bundle_ = words();
};

TEST_F(LabelCache, StartsWithAThousandKnownLabelsWithoutTheTower) {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("label " + std::to_string(i));
  std::vector<std::pair<std::size_t, std::size_t>> steps;
  LabelEncoder first(bundle_, {}, kCpu);
  const auto encoded = first.encode(labels(names), {}, [&](std::size_t done, std::size_t total) {
    steps.emplace_back(done, total);
    return true;
  });
  ASSERT_TRUE(encoded) << encoded.error().message;
  EXPECT_EQ(first.texts_run(), 1000u);
  ASSERT_GT(steps.size(), 10u);
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
  EXPECT_EQ(steps.back(), std::pair(std::size_t{1000}, std::size_t{1000}));

  bundle_.textual->file = "/nowhere/textual.onnx";  // it is not opened
  LabelEncoder second(bundle_, {}, kCpu);
  const auto known = second.encode(labels(names), {}, {});
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(second.texts_run(), 0u);
  EXPECT_EQ(known->embeddings, encoded->embeddings);
  names.push_back("one that is new");
  const auto new_one = second.encode(labels(names), {}, {});
  ASSERT_FALSE(new_one);
  EXPECT_NE(new_one.error().message.find("/nowhere/textual.onnx"), std::string::npos) << new_one.error().message;
}

TEST_F(LabelCache, IsNotUsedForAnotherModelOrLayoutOfIds) {
  LabelEncoder first(bundle_, {}, kCpu);
  ASSERT_TRUE(first.encode(labels({"red"}), {}, {}));
  bundle_.text_identity = "4567";
  LabelEncoder second(bundle_, {}, kCpu);
  ASSERT_TRUE(second.encode(labels({"red"}), {}, {}));
  EXPECT_EQ(second.texts_run(), 1u);
  bundle_.textual->context_length = 40;
  LabelEncoder third(bundle_, {}, kCpu);
  ASSERT_TRUE(third.encode(labels({"red"}), {}, {}));
  EXPECT_EQ(third.texts_run(), 1u);
}

TEST_F(LabelCache, KeepsWhatWasEncodedBeforeItWasStopped) {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("label " + std::to_string(i));
  LabelEncoder encoder(bundle_, {}, kCpu);
  EXPECT_FALSE(encoder.encode(labels(names), {}, [](std::size_t done, std::size_t) { return done < 40; }));
  const std::size_t before = encoder.texts_run();
  EXPECT_LT(before, 100u);
  EXPECT_TRUE(encoder.encode(labels(names), {}, {}));
  EXPECT_EQ(encoder.texts_run(), 100u);
}

TEST_F(LabelCache, ReleasesTheTowerAndLoadsItAgain) {
  LabelEncoder encoder(bundle_, {}, kCpu);
  ASSERT_TRUE(encoder.encode(labels({"red"}), {}, {}));
  encoder.release();
  ASSERT_TRUE(encoder.encode(labels({"blue"}), {}, {}));
  EXPECT_EQ(encoder.texts_run(), 2u);
}

TEST(LabelEncoder, RefusesTooManyTexts) {
  LabelEncoder encoder(words(), {}, kCpu);
  std::vector<std::string> names;
  for (int i = 0; i < 20'000; ++i) names.push_back(std::to_string(i));
  const std::vector<std::string> templates(80, "a {}");
  const auto set = encoder.encode(labels(names), templates, {});
  ASSERT_FALSE(set);
  EXPECT_NE(set.error().message.find("use fewer templates"), std::string::npos) << set.error().message;
}

TEST(LabelEncoder, UsesTheBankUnlessTemplatesOrSynonymsAreGiven) {
  auto bank = TextBank::open(std::string(BCP_TEST_DATA) + "/bundles/toy/text_bank.safetensors");
  ASSERT_TRUE(bank) << bank.error().message;
  const Eigen::RowVectorXf cyan = bank->all().embeddings.row(*bank->row_of("cyan"));
  LabelEncoder encoder(words(), {.labels = *std::move(bank), .context = {}}, kCpu);
  const auto set = encoder.encode(labels({"zebra", "cyan"}), {}, {});
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->embeddings.row(1), cyan);
  EXPECT_EQ(encoder.texts_run(), 1u);
  const std::vector<std::string> templates = {"a {}"};
  const auto otherwise = encoder.encode(labels({"cyan"}), templates, {});
  ASSERT_TRUE(otherwise) << otherwise.error().message;
  EXPECT_NE(otherwise->embeddings.row(0), cyan);
}

TEST(LabelEncoder, RefusesTemplatesAndSynonymsWithOnlyATextBank) {
  auto bank = TextBank::open(std::string(BCP_TEST_DATA) + "/bundles/toy/text_bank.safetensors");
  ASSERT_TRUE(bank) << bank.error().message;
  Bundle bundle = words();
  bundle.textual.reset();
  LabelEncoder encoder(bundle, {.labels = *std::move(bank), .context = {}}, kCpu);
  EXPECT_EQ(encoder.own()->labels.size(), 6u);
  EXPECT_TRUE(encoder.encode(labels({"red"}), {}, {}));
  const std::vector<std::string> templates = {"a {}"};
  const auto with_template = encoder.encode(labels({"red"}), templates, {});
  ASSERT_FALSE(with_template);
  EXPECT_NE(with_template.error().message.find("prompt-template cannot be used"), std::string::npos);
  std::vector<Label> synonyms = labels({"red"});
  synonyms[0].synonyms = {"crimson"};
  const auto with_synonyms = encoder.encode(synonyms, {}, {});
  ASSERT_FALSE(with_synonyms);
  EXPECT_NE(with_synonyms.error().message.find("\"red\""), std::string::npos) << with_synonyms.error().message;
}

TEST(LabelEncoder, AsksForLabelsWithoutATextBank) {
  const LabelEncoder encoder(words(), {}, kCpu);
  const auto own = encoder.own();
  ASSERT_FALSE(own);
  EXPECT_NE(own.error().message.find("set labels or labels-file"), std::string::npos) << own.error().message;
}

}  // namespace
}  // namespace bcp::clip
