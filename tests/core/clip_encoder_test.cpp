// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <map>

#include "clip/model.hpp"
#include "clip_allocations.hpp"
#include "onnx/session.hpp"
#include "toy_bundle.hpp"

namespace bcp::clip {
namespace {

using test::ToyBundle;
constexpr onnx::SessionOptions kCpu{.provider = onnx::Provider::kCpu, .threads = 1};
constexpr std::size_t kPicture = 3 * 32 * 32;

std::string toy(const std::string& name) {
  return std::string(BCP_TEST_DATA) + "/bundles/" + name;
}

std::vector<float> plain(float red, float green, float blue) {
  std::vector<float> picture(kPicture, red);
  std::fill(picture.begin() + 1024, picture.end(), green);
  std::fill(picture.begin() + 2048, picture.end(), blue);
  return picture;
}

void expect_fault(const ToyBundle& bundle, const std::vector<std::string>& parts) {
  const auto model = Model::open(bundle.path(), kCpu);
  ASSERT_FALSE(model) << "no error";
  for (const std::string& part : parts)
    EXPECT_NE(model.error().message.find(part), std::string::npos) << model.error().message;
  EXPECT_EQ(model.error().message.find('\n'), std::string::npos) << model.error().message;
}

Status run_bare(ImageEncoder& encoder, const float* picture, float* raw) {
  return encoder.session().run(std::array{static_cast<const void*>(picture)}, 1, raw);
}

std::string best_label(Model& model, const std::vector<float>& embedding) {
  const Result<LabelSet> labels = model.labels().own();
  std::vector<double> logits(labels->labels.size());
  score(labels->embeddings, embedding, model.bundle().logit_scale, logits);
  const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
  return labels->labels[static_cast<std::size_t>(best)].name;
}

class SoundTower : public testing::TestWithParam<const char*> {};

TEST_P(SoundTower, NamesTheColourOfAPlainPicture) {
  const auto model = Model::open(toy(GetParam()), kCpu);
  ASSERT_TRUE(model) << model.error().message;
  std::vector<float> embedding(8);
  ASSERT_TRUE((*model)->encoder().encode(plain(0.9f, 0, 0), 1, embedding));
  EXPECT_EQ(best_label(**model, embedding), "red");
  ASSERT_TRUE((*model)->encoder().encode(plain(0, 0.5f, 0.5f), 1, embedding));
  EXPECT_EQ(best_label(**model, embedding), "cyan");
}

TEST_P(SoundTower, GivesABatchTheEmbeddingsOfItsPictures) {
  const auto model = Model::open(toy(GetParam()), kCpu);
  ASSERT_TRUE(model) << model.error().message;
  std::vector<float> batch, expected;
  for (const auto& picture : {plain(0.9f, 0, 0), plain(0, 0.9f, 0), plain(0.1f, 0.2f, 0.9f)}) {
    std::vector<float> embedding(8);
    ASSERT_TRUE((*model)->encoder().encode(picture, 1, embedding));
    batch.insert(batch.end(), picture.begin(), picture.end());
    expected.insert(expected.end(), embedding.begin(), embedding.end());
  }
  std::vector<float> found(24);
  ASSERT_TRUE((*model)->encoder().encode(batch, 3, found));
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
}

INSTANTIATE_TEST_SUITE_P(Toy, SoundTower, testing::Values("toy", "toy-fixed", "toy-odd-names", "toy-nan-when-bright"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A steady stream reuses its buffers; other streams that share the encoder have their own.
TEST(ImageEncoder, ReadsAnyBuffer) {
  const auto model = Model::open(toy("toy"), kCpu);
  ASSERT_TRUE(model) << model.error().message;
  std::vector<std::vector<float>> buffers(20, plain(0, 0, 0.9f));
  std::vector<float> embedding(8);
  for (int round = 0; round < 3; ++round) {
    for (auto& buffer : buffers) {
      buffer = plain(0.9f, 0, 0);
      ASSERT_TRUE((*model)->encoder().encode(buffer, 1, embedding));
      EXPECT_EQ(best_label(**model, embedding), "red");
      std::fill(buffer.begin(), buffer.begin() + 1024, 0.0f);
      std::fill(buffer.begin() + 1024, buffer.begin() + 2048, 0.9f);
      ASSERT_TRUE((*model)->encoder().encode(buffer, 1, embedding));
      EXPECT_EQ(best_label(**model, embedding), "green");
    }
  }
}

TEST(ImageEncoder, ReportsAPictureItCannotEncodeAndGoesOnWithTheNext) {
  const auto model = Model::open(toy("toy-nan-when-bright"), kCpu);
  ASSERT_TRUE(model) << model.error().message;
  std::vector<float> embedding(8);
  const Status bright = (*model)->encoder().encode(plain(1, 1, 1), 1, embedding);
  ASSERT_FALSE(bright);
  EXPECT_EQ(bright.error().code, ErrorCode::kRuntime);
  EXPECT_NE(bright.error().message.find("no usable embedding"), std::string::npos) << bright.error().message;
  ASSERT_TRUE((*model)->encoder().encode(plain(0.9f, 0, 0), 1, embedding));
  EXPECT_EQ(best_label(**model, embedding), "red");
}

TEST(ImageEncoder, RunsOnTheGivenNumberOfThreads) {
  const auto model = Model::open(toy("toy"), {.provider = onnx::Provider::kCpu, .threads = 3});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ((*model)->encoder().threads(), 3);
  EXPECT_EQ(onnx::thread_count(3), 3);
  EXPECT_GE(onnx::thread_count(0), 1);
  EXPECT_LE(onnx::thread_count(0), 4);
  EXPECT_FALSE(Model::open(toy("toy"), {.provider = onnx::Provider::kCpu, .threads = -1}));
}

// The library would leave the calling thread flushing small numbers to zero.
TEST(ImageEncoder, DoesNotChangeTheCallersFloatingPointMode) {
  const auto model = Model::open(toy("toy"), kCpu);
  ASSERT_TRUE(model) << model.error().message;
  volatile double small = DBL_MIN;
  EXPECT_GT(small / 4, 0);
  std::vector<float> embedding(8);
  ASSERT_TRUE((*model)->encoder().encode(plain(0.9f, 0, 0), 1, embedding));
  EXPECT_GT(small / 4, 0);
}

TEST(ImageEncoder, AllocatesNoMoreThanTheBareRun) {
  const auto model = Model::open(toy("toy-fixed"), kCpu);
  ASSERT_TRUE(model) << model.error().message;
  ImageEncoder& encoder = (*model)->encoder();
  const std::vector<float> pictures(2 * kPicture, 0.5f);
  std::vector<float> embeddings(2 * 8), raw(8);
  const auto count = [](const auto& work) {
    for (int i = 0; i < 3; ++i) work();  // until buffers have grown and bindings exist
    const std::size_t before = test::allocations();
    for (int i = 0; i < 10; ++i) work();
    return test::allocations() - before;
  };
  const std::size_t encoding = count([&] { EXPECT_TRUE(encoder.encode(pictures, 2, embeddings)); });
  const std::size_t running = count([&] {
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(run_bare(encoder, pictures.data(), raw.data()));
  });
  EXPECT_EQ(encoding, running);

  // The bare run also wraps each buffer once: new buffers cost more.
  std::vector<std::vector<float>> others(26, pictures);
  std::size_t next = 0;
  const std::size_t moving = count([&] {
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(run_bare(encoder, others[next++].data(), raw.data()));
  });
  EXPECT_GT(moving, running);
}

TEST(ImageEncoder, CanBeTimedBare) {
  const auto model = Model::open(toy("toy"), kCpu);
  ASSERT_TRUE(model) << model.error().message;
  const std::vector<float> picture = plain(0.9f, 0, 0);
  std::vector<float> bare(8), embedding(8);
  ASSERT_TRUE(run_bare((*model)->encoder(), picture.data(), bare.data()));
  ASSERT_TRUE((*model)->encoder().encode(picture, 1, embedding));
  const float ratio = bare[0] / embedding[0];
  for (std::size_t i = 0; i < bare.size(); ++i) EXPECT_NEAR(bare[i], ratio * embedding[i], 1e-5) << i;
}

TEST(SelfTest, RefusesATowerWithUnusableEmbeddings) {
  expect_fault(ToyBundle("nan.onnx"), {"visual.onnx", "self-test", "not finite"});
  expect_fault(ToyBundle("zero.onnx"), {"visual.onnx", "self-test", "length 0"});
  expect_fault(ToyBundle("constant.onnx"), {"visual.onnx", "self-test", "two different pictures get the same"});
}

TEST(SelfTest, RefusesATowerThatIsNotTheOneTheBundleDescribes) {
  ToyBundle bundle;
  bundle.manifest["self_test"]["embedding"] = {0.5, -0.5};
  expect_fault(bundle, {"self-test", "not the one in bundle.json", "image.mean"});
}

// The most common mistake in a handmade bundle: the right tower with the normalisation of another model.
TEST(SelfTest, NoticesAWrongMean) {
  ToyBundle bundle;
  bundle.manifest["self_test"]["embedding"] = {-0.449357, 0.371584, 0.247725, -0.324567};
  EXPECT_TRUE(Model::open(bundle.path(), kCpu));
  bundle.manifest["image"]["mean"] = {0.5, 0.5, 0.5};
  expect_fault(bundle, {"self-test", "image.mean"});
}

TEST(TowerTensors, MustBeNamedWhenSeveralMatch) {
  expect_fault(ToyBundle("two_odd_outputs.onnx"),
               {"several outputs", "\"3047\" float [?, 8]", "\"3048\"", "visual.output"});
  ToyBundle settled("two_odd_outputs.onnx");
  settled.manifest["visual"]["output"] = "3047";
  const auto model = Model::open(settled.path(), kCpu);
  EXPECT_TRUE(model) << model.error().message;
}

TEST(TowerTensors, OfTheWrongShapeAreRefusedWithWhatWasExpectedAndFound) {
  expect_fault(ToyBundle("rank_three.onnx"), {"no output", "float [batch, 8]", "[?, 3, 32]"});
  expect_fault(ToyBundle("other_width.onnx"), {"no output", "float [batch, 8]", "[?, 12]"});
  expect_fault(ToyBundle("undeclared_width.onnx"), {"self-test", "8", "12"});
  expect_fault(ToyBundle("batch_of_four.onnx"), {"4 pictures at a time", "batch of 1"});
  expect_fault(ToyBundle("two_inputs.onnx"), {"strength", "one input"});
  ToyBundle size;
  size.manifest["image"]["size"] = 64;
  expect_fault(size, {"no input", "float [batch, 3, 64, 64]", "[?, 3, 32, 32]"});
}

TEST(TowerTensors, OfAnotherTypeAreRefused) {
  expect_fault(ToyBundle("integer_input.onnx"), {"no input", "int64", "export the model again"});
}

TEST(TowerTensors, AreKnownByTheNamesExportersUse) {
  const auto model = Model::open(ToyBundle("two_outputs.onnx").path(), kCpu);
  EXPECT_TRUE(model) << model.error().message;
}

TEST(TowerTensors, BeforeTheProjectionAreRefusedByName) {
  expect_fault(ToyBundle("pooler_output.onnx"),
               {"\"last_hidden_state\"", "before CLIP's projection", "CLIPVisionModelWithProjection"});
}

// Other forms of the embedding work too: each of these is the toy tower.
TEST(TowerTensors, MayBe16BitOrTheFirstOfSeveralVectors) {
  std::vector<float> expected(8);
  const auto toy_model = Model::open(ToyBundle().path(), kCpu);
  ASSERT_TRUE(toy_model) << toy_model.error().message;
  ASSERT_TRUE((*toy_model)->encoder().encode(plain(0.2f, 0.9f, 0.4f), 1, expected));
  for (const char* name : {"half_input.onnx", "half.onnx", "one_vector.onnx", "class_token.onnx"}) {
    const auto model = Model::open(ToyBundle(name).path(), kCpu);
    ASSERT_TRUE(model) << model.error().message;
    std::vector<float> pictures = plain(0, 0.1f, 0.2f), embeddings(16);
    const std::vector<float> second = plain(0.2f, 0.9f, 0.4f);
    pictures.insert(pictures.end(), second.begin(), second.end());
    ASSERT_TRUE((*model)->encoder().encode(pictures, 2, embeddings));
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(embeddings[8 + i], expected[i], 2e-3) << name << " " << i;
  }
}

// ONNX Runtime crashes on this model, unless one of its passes is disabled.
TEST(ImageEncoder, OpensTransposed16BitModelsOfPyTorch) {
  Bundle bundle;
  bundle.visual.file = test::toy_model("half_transposes.onnx");
  bundle.tensor.size = 32;
  const auto encoder = ImageEncoder::open(bundle, kCpu);
  ASSERT_TRUE(encoder) << encoder.error().message;
  EXPECT_EQ((*encoder)->embedding_size(), 16);
}

TEST(ImageEncoder, RunsPicturesOneByOneWhenBatchesAreWrong) {
  const auto model = Model::open(ToyBundle("first_of_batch.onnx").path(), kCpu);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_FALSE((*model)->encoder().takes_batches());
  std::vector<float> pictures = plain(0.9f, 0, 0), embeddings(16), alone(8);
  const std::vector<float> second = plain(0, 0.5f, 0.5f);
  pictures.insert(pictures.end(), second.begin(), second.end());
  ASSERT_TRUE((*model)->encoder().encode(pictures, 2, embeddings));
  ASSERT_TRUE((*model)->encoder().encode(second, 1, alone));
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(embeddings[8 + i], alone[i], 1e-6);
  EXPECT_EQ(best_label(**model, alone), "cyan");
}

// As in Hugging Face's cache: every file is a link to one named after its content.
TEST(ImageEncoder, FindsTheWeightsOfAPartBehindLinks) {
  const test::TemporaryDirectory cache;
  test::write(cache / "blobs/aaaa", test::read(test::toy_model("outside.onnx")));
  test::write(cache / "blobs/bbbb", test::read(test::toy_model("outside.onnx_data")));
  std::filesystem::create_directories(cache / "snapshot");
  std::filesystem::create_symlink("../blobs/aaaa", cache / "snapshot/model.onnx");
  std::filesystem::create_symlink("../blobs/bbbb", cache / "snapshot/outside.onnx_data");
  Bundle bundle;
  bundle.visual.file = cache / "snapshot/model.onnx";
  bundle.tensor.size = 32;
  const auto encoder = ImageEncoder::open(bundle, kCpu);
  ASSERT_TRUE(encoder) << encoder.error().message;
  EXPECT_EQ((*encoder)->embedding_size(), 8);
}

TEST(Limits, StopAnEndlessRun) {
  onnx::SessionOptions options = kCpu;
  options.max_run = std::chrono::milliseconds(200);
  const auto model = Model::open(ToyBundle("loops_for_ever.onnx").path(), options);
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().message.find("took longer than 200 ms"), std::string::npos) << model.error().message;
}

TEST(Limits, StopARunThatTakesTooMuchMemory) {
  expect_fault(ToyBundle("grows_for_ever.onnx"), {"visual.onnx", "self-test", "memory"});
}

TEST(Limits, HoldForFunctionsToo) {
  expect_fault(ToyBundle("functions_for_ever.onnx"), {"visual.onnx", "functions", "20,000"});
}

TEST(Limits, HoldForConstantsToo) {
  expect_fault(ToyBundle("constant_for_ever.onnx"), {"visual.onnx", "self-test", "memory"});
}

TEST(TowerTensors, WithANameThatDoesNotExistAreRefused) {
  ToyBundle bundle;
  bundle.manifest["visual"]["input"] = "image";
  expect_fault(bundle, {"no input \"image\"", "\"pixel_values\"", "visual.input"});
  ToyBundle wrong("rank_three.onnx");
  wrong.manifest["visual"]["output"] = "image_embeds";
  expect_fault(wrong, {"\"image_embeds\" float [?, 3, 32]", "float [batch, 8]"});
}

TEST(Model, RefusesATruncatedTower) {
  expect_fault(ToyBundle("truncated.onnx"), {"not an ONNX file", "visual.onnx", "export it again"});
  ToyBundle empty;
  empty.put("visual.onnx", "");
  expect_fault(empty, {"not an ONNX file", "visual.onnx"});
  ToyBundle text;
  text.put("visual.onnx", "this is not a model");
  expect_fault(text, {"not an ONNX file", "visual.onnx"});
}

TEST(Model, RefusesATextBankOfAnotherWidth) {
  ToyBundle bundle;
  bundle.manifest["embedding_size"] = 12;
  bundle.put("visual.onnx", test::read(test::toy_model("other_width.onnx")));
  expect_fault(bundle, {"text_bank.safetensors", "8", "12", "same model"});
}

TEST(Model, SaysThatAModelIsMissing) {
  const auto model = Model::open("/no/such/model", kCpu);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, ErrorCode::kNotFound);
  EXPECT_NE(model.error().message.find("/no/such/model"), std::string::npos);
}

bool library_has_cuda() {
  const auto providers = onnx::providers();
  return std::find(providers.begin(), providers.end(), "CUDAExecutionProvider") != providers.end();
}

bool library_has_openvino() {
  return onnx::has_provider(onnx::providers(), onnx::kOpenVinoProvider);
}

// The behaviour of a named provider on any library and machine; suite cuda has the real errors.
TEST(ExecutionProvider, CudaIsUsedOrRefusedWithTheLibrarysReason) {
  const auto model = Model::open(toy("toy"), {.provider = onnx::Provider::kCuda});
  if (model) {
    EXPECT_TRUE(library_has_cuda());
    EXPECT_EQ((*model)->encoder().provider(), "cuda");
    return;
  }
  const std::string& message = model.error().message;
  EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
  for (const char* part : {"CUDA device 0", "execution-provider=auto or cpu"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  const bool not_built_in = message.find("CUDA execution provider is not enabled in this build") != std::string::npos;
  EXPECT_NE(not_built_in, library_has_cuda()) << message;
}

TEST(ExecutionProvider, AutoReportsTheProviderAndTheReason) {
  const auto model = Model::open(toy("toy"), {.provider = onnx::Provider::kAuto});
  ASSERT_TRUE(model) << model.error().message;
  const std::string& provider = (*model)->encoder().provider();
  const std::string& note = (*model)->encoder().provider_note();
  const std::map<std::string, std::string> beginnings = {
      {"cuda", "running on CUDA device 0"}, {"openvino", "running on OpenVINO in "}, {"cpu", "running on the CPU: "}};
  EXPECT_TRUE(note.starts_with(beginnings.at(provider))) << note;
  if (!library_has_cuda() && !library_has_openvino()) {
    EXPECT_EQ(note, "running on the CPU: this ONNX Runtime has no CUDA and no OpenVINO provider");
  }
}

// Suite openvino has the real library.
TEST(ExecutionProvider, OpenVinoIsUsedOrFailsWithTheReasonAndAdvice) {
  const auto model = Model::open(toy("toy"), {.provider = onnx::Provider::kOpenVino});
  if (model) {
    EXPECT_TRUE(library_has_openvino());
    EXPECT_EQ((*model)->encoder().provider(), "openvino");
    return;
  }
  EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
  for (const char* part : {"with OpenVINO: ", "was built without OpenVINO", "execution-provider=auto or cpu",
                           "scripts/setup.sh --openvino"})
    EXPECT_NE(model.error().message.find(part), std::string::npos) << model.error().message;
}

TEST(Precision, Bf16IsRefusedWithTheCpuProvider) {
  const auto model = Model::open(toy("toy"), {.provider = onnx::Provider::kCpu, .precision = onnx::Precision::kBf16});
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(model.error().message.find("execution-provider=openvino"), std::string::npos) << model.error().message;
}

TEST(Precision, Bf16WithAutoIsRefusedWhereNoProviderHasIt) {
  const auto model = Model::open(toy("toy"), {.precision = onnx::Precision::kBf16});
  if (model) {
    EXPECT_EQ((*model)->encoder().precision(), "bf16");
    return;
  }
  EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
}

TEST(Precision, IsThatOfTheModelOnTheCpu) {
  for (const auto precision : {onnx::Precision::kAuto, onnx::Precision::kFp32}) {
    const auto model = Model::open(toy("toy"), {.provider = onnx::Provider::kCpu, .precision = precision});
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ((*model)->encoder().precision(), "fp32");
  }
}

TEST(Precision, Int8IsRefusedWhenTheBundleHasNoVariant) {
  const auto model = Model::open(toy("toy"), {.precision = onnx::Precision::kInt8});
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().code, ErrorCode::kUnsupported);
  for (const char* part : {"visual.onnx", "models/quantise.py", "precision=auto"})
    EXPECT_NE(model.error().message.find(part), std::string::npos) << model.error().message;
}

TEST(Precision, Int8OpensTheFileOfThatVariant) {
  ToyBundle bundle;
  bundle.put("visual_int8.onnx", test::read(test::toy_model("toy.onnx")));
  const auto plain = Model::open(bundle.path(), kCpu);
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ((*plain)->encoder().precision(), "fp32");
  const auto model =
      Model::open(bundle.path(), {.provider = onnx::Provider::kCpu, .precision = onnx::Precision::kInt8});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_TRUE((*model)->bundle().visual.file.ends_with("visual_int8.onnx"));
  EXPECT_EQ((*model)->encoder().precision(), "int8");
}

TEST(Precision, Int8IsReadFromTheManifest) {
  ToyBundle bundle;
  bundle.manifest["variant"] = {{"of", "toy"}, {"precision", "int8"}};
  const auto model =
      Model::open(bundle.path(), {.provider = onnx::Provider::kCpu, .precision = onnx::Precision::kInt8});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ((*model)->encoder().precision(), "int8");
}

TEST(TestPicture, IsTheOneTheReadmeDefines) {
  const image::TensorSpec spec{.size = 16, .mean = {0.5f, 0, 0}, .std = {0.5f, 1, 1}};
  const std::vector<float> first = test_picture(0, spec), second = test_picture(1, spec);
  ASSERT_EQ(first.size(), 3u * 16 * 16);
  EXPECT_FLOAT_EQ(first[0], -1);  // red increases to the right
  EXPECT_FLOAT_EQ(first[15], 1);
  constexpr int kRed = 7 * 255 / 15;  // an exact byte
  EXPECT_FLOAT_EQ(first[7], (kRed / 255.0f - 0.5f) / 0.5f);
  EXPECT_FLOAT_EQ(first[256 + 15 * 16], 1);  // green downwards
  EXPECT_FLOAT_EQ(first[256 + 15], 0);
  EXPECT_FLOAT_EQ(first[512], 0);  // blue is the checkerboard, with fields of an eighth
  EXPECT_FLOAT_EQ(first[512 + 2], 1);
  EXPECT_FLOAT_EQ(first[512 + 2 * 16 + 2], 0);
  EXPECT_FLOAT_EQ(second[2], 1);  // the other one: checkerboard, leftwards, upwards
  EXPECT_FLOAT_EQ(second[256], 1);
  EXPECT_FLOAT_EQ(second[256 + 15], 0);
  EXPECT_FLOAT_EQ(second[512], 1);
  EXPECT_FLOAT_EQ(second[512 + 15 * 16], 0);
}

}  // namespace
}  // namespace bcp::clip
