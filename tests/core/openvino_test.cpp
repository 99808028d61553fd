// SPDX-License-Identifier: LGPL-2.1-or-later
// Suite openvino: ONNX Runtime with the real OpenVINO. tests/run.sh --openvino gets the library and runs this.

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/sha256.hpp"
#include "clip/model.hpp"
#include "clip/reference.hpp"
#include "common/temporary.hpp"
#include "onnx/session.hpp"

namespace bcp::clip {
namespace {

namespace fs = std::filesystem;
using onnx::Precision;
using onnx::Provider;

constexpr onnx::SessionOptions kOnCpu{.provider = Provider::kCpu, .threads = 1};

std::string mini() {
  return std::string(BCP_MODELS) + "/mini";
}

std::string toy(const std::string& name) {
  return std::string(BCP_TEST_DATA) + "/bundles/" + name;
}

bool has_bf16() {
  return onnx::this_processor().has_bf16;
}

// The unit embeddings of both test pictures, a column each.
Eigen::MatrixXf embeddings(Model& model) {
  Eigen::MatrixXf both(model.encoder().embedding_size(), 2);
  for (int number = 0; number < 2; ++number) {
    const std::vector<float> picture = test_picture(number, model.bundle().tensor);
    const std::span into(both.col(number).data(), static_cast<std::size_t>(both.rows()));
    EXPECT_TRUE(model.encoder().encode(picture, 1, into));
  }
  return both;
}

class OpenVino : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(onnx::has_provider(onnx::providers(), onnx::kOpenVinoProvider))
        << "ONNX Runtime " << onnx::version()
        << " was loaded and has no OpenVINO provider: run tests/run.sh --openvino";
  }
  test::TemporaryDirectory directory_;
  test::EnvironmentVariable cache_{"XDG_CACHE_HOME", directory_.path() + "/cache"};
};

TEST_F(OpenVino, EncodesLikeTheCpuProviderInFp32) {
  const auto there =
      Model::open(mini(), {.provider = Provider::kOpenVino, .threads = 1, .precision = Precision::kFp32});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_EQ((*there)->encoder().provider(), "openvino");
  EXPECT_EQ((*there)->encoder().precision(), "fp32");
  EXPECT_EQ((*there)->encoder().provider_note(), "");
  const auto here = Model::open(mini(), kOnCpu);
  ASSERT_TRUE(here) << here.error().message;
  EXPECT_LT((embeddings(**there) - embeddings(**here)).cwiseAbs().maxCoeff(), 1e-4);
}

TEST_F(OpenVino, StaysNearTheCpuProviderInBf16) {
  if (!has_bf16()) GTEST_SKIP() << "this processor has no bf16";
  const auto there =
      Model::open(mini(), {.provider = Provider::kOpenVino, .threads = 1, .precision = Precision::kBf16});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_EQ((*there)->encoder().precision(), "bf16");
  const auto here = Model::open(mini(), kOnCpu);
  ASSERT_TRUE(here) << here.error().message;
  EXPECT_GE(lowest_cosine(embeddings(**there), embeddings(**here)), 0.9995);
}

TEST_F(OpenVino, IsChosenByAutoAndTheNoteHasTheCosine) {
  for (int start = 0; start < 2; ++start) {  // the second finds the reference of the first
    const auto model = Model::open(mini(), {.threads = 1});
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ((*model)->encoder().provider(), "openvino");
    EXPECT_EQ((*model)->encoder().precision(), has_bf16() ? "bf16" : "fp32");
    const std::string& note = (*model)->encoder().provider_note();
    EXPECT_TRUE(note.starts_with("running on OpenVINO in ")) << note;
    EXPECT_NE(note.find("agree with those of the CPU provider (cosine "), std::string::npos) << note;
  }
}

std::string reference_name(const Model& model, const std::string& output) {
  return model.bundle().identity + "\n" + output;
}

// A provider that disagreed on this processor is not tried at every start.
TEST_F(OpenVino, IsSkippedWhenItDisagreedBefore) {
  {
    const auto first = Model::open(toy("toy"), {.threads = 1});
    ASSERT_TRUE(first) << first.error().message;
    ASSERT_EQ((*first)->encoder().provider(), "openvino");
    const auto file = onnx::File::open((*first)->bundle().visual.file);
    ASSERT_TRUE(file);
    const std::string name = reference_name(**first, file->outputs().front().name);
    Reference reference = load_reference(name);
    ASSERT_TRUE(reference.known());
    for (auto& [way, cosine] : reference.cosines) cosine = 0.5;
    reference.cosines["openvino fp32"] = 0.75;
    store_reference(name, reference);
  }
  const auto second = Model::open(toy("toy"), {.threads = 1});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ((*second)->encoder().provider(), "cpu");
  const std::string& note = (*second)->encoder().provider_note();
  EXPECT_NE(note.find("OpenVINO in fp32 gives different embeddings from the CPU provider (cosine 0.75000"),
            std::string::npos)
      << note;
}

TEST_F(OpenVino, IsNotUsedByAutoWhenItsEmbeddingsDiffer) {
  {
    const auto first = Model::open(toy("toy"), kOnCpu);
    ASSERT_TRUE(first) << first.error().message;
    const auto file = onnx::File::open((*first)->bundle().visual.file);
    ASSERT_TRUE(file);
    // A reference that no provider can agree with.
    Reference wrong;
    wrong.embeddings = -embeddings(**first);
    store_reference(reference_name(**first, file->outputs().front().name), wrong);
  }
  const auto model = Model::open(toy("toy"), {.threads = 1});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ((*model)->encoder().provider(), "cpu");
  EXPECT_NE((*model)->encoder().provider_note().find("gives different embeddings"), std::string::npos)
      << (*model)->encoder().provider_note();
  // A named precision is still used: the user has decided.
  const auto named = Model::open(toy("toy"), {.provider = Provider::kOpenVino, .precision = Precision::kFp32});
  ASSERT_TRUE(named) << named.error().message;
  EXPECT_EQ((*named)->encoder().provider(), "openvino");
}

TEST_F(OpenVino, MeasuresAgainWhenTheReferenceIsDamaged) {
  ASSERT_TRUE(Model::open(toy("toy"), {.threads = 1}));
  int files = 0;
  for (const auto& entry : fs::directory_iterator(directory_.path() + "/cache/gst-bcp/reference")) {
    std::string bytes = test::read(entry.path());
    bytes[bytes.size() / 2] ^= 1;
    test::write(entry.path(), bytes);
    ++files;
  }
  EXPECT_EQ(files, 1);
  const auto model = Model::open(toy("toy"), {.threads = 1});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ((*model)->encoder().provider(), "openvino");
}

TEST_F(OpenVino, EncodesSeveralPicturesOneByOne) {
  const auto model = Model::open(mini(), {.provider = Provider::kOpenVino, .threads = 1});
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_FALSE((*model)->encoder().takes_batches());
  std::vector<float> pictures;
  for (int number : {0, 1}) {
    const std::vector<float> picture = test_picture(number, (*model)->bundle().tensor);
    pictures.insert(pictures.end(), picture.begin(), picture.end());
  }
  Eigen::MatrixXf both((*model)->encoder().embedding_size(), 2);
  ASSERT_TRUE((*model)->encoder().encode(pictures, 2, {both.data(), static_cast<std::size_t>(both.size())}));
  EXPECT_TRUE(both.isApprox(embeddings(**model), 1e-5f));
}

// OpenVINO reads the file's quantisation by itself: it must compute what the CPU provider does with it.
TEST_F(OpenVino, RunsAnInt8VariantAsTheCpuProviderDoes) {
  const fs::path model = directory_ / "model";
  fs::copy(toy("toy"), model);
  const std::string variant = (model / "visual_int8.onnx").string(), manifest = (model / "bundle.json").string();
  fs::copy_file(std::string(BCP_TEST_DATA) + "/models/toy_int8.onnx", variant);
  auto keys = nlohmann::json::parse(test::read(manifest));
  keys["sha256"]["visual_int8.onnx"] = *sha256(test::read(variant));
  test::write(manifest, keys.dump());
  onnx::SessionOptions options{.provider = Provider::kOpenVino, .threads = 1, .precision = Precision::kInt8};
  const auto there = Model::open(model.string(), options);
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_EQ((*there)->encoder().provider(), "openvino");
  EXPECT_EQ((*there)->encoder().precision(), "int8");
  options.provider = Provider::kAuto;
  const auto chosen = Model::open(model.string(), options);
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_TRUE((*chosen)->encoder().provider_note().starts_with("running on OpenVINO in int8: "))
      << (*chosen)->encoder().provider_note();
  options.provider = Provider::kCpu;
  const auto here = Model::open(model.string(), options);
  ASSERT_TRUE(here) << here.error().message;
  EXPECT_GE(lowest_cosine(embeddings(**there), embeddings(**here)), 0.999);
}

// Text is encoded once and cached for every provider.
TEST_F(OpenVino, LeavesTheTextTowerToTheCpuProvider) {
  const auto there = Model::open(mini(), {.provider = Provider::kOpenVino, .threads = 1}),
             here = Model::open(mini(), kOnCpu);
  ASSERT_TRUE(there && here);
  std::vector<Label> labels(1);
  labels[0].name = "a purple tractor";
  const auto theirs = (*there)->labels().encode(labels, {}, {}), ours = (*here)->labels().encode(labels, {}, {});
  ASSERT_TRUE(theirs) << theirs.error().message;
  ASSERT_TRUE(ours) << ours.error().message;
  EXPECT_EQ(theirs->embeddings, ours->embeddings);
}

// Runs DISABLED_Child of this program with the libraries of a directory.
std::string run_child(const fs::path& libraries) {
  const std::string output = (libraries / "output").string();
  const std::string command =
      "LD_LIBRARY_PATH='" + libraries.string() + "' '" + fs::canonical("/proc/self/exe").string() +
      "' --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_Child' >'" + output + "' 2>&1";
  const int status = std::system(command.c_str());
  return "status " + std::to_string(status) + "\n" + test::read(output);
}

// The same with a copy of the libraries, with the provider's changed by `change`.
template <typename Change>
std::string run_with(const fs::path& place, Change&& change) {
  fs::create_directories(place);
  for (const auto& entry : fs::directory_iterator(BCP_ORT_LIBRARIES)) {
    const fs::path target = place / entry.path().filename();
    if (entry.path().filename() == "libonnxruntime_providers_openvino.so")
      fs::copy_file(entry.path(), target);
    else
      fs::create_symlink(fs::canonical(entry.path()), target);
  }
  change(place / "libonnxruntime_providers_openvino.so");
  return run_child(place);
}

// Prints the results of a named provider and of auto; run by the tests below.
TEST(OpenVinoLibrary, DISABLED_Child) {
  const auto named = Model::open(toy("toy"), {.provider = Provider::kOpenVino, .threads = 1});
  std::cout << "named: " << (named ? "used" : named.error().message) << "\n";
  const auto chosen = Model::open(toy("toy"), {.threads = 1});
  std::cout << "auto: " << (chosen ? (*chosen)->encoder().provider_note() : chosen.error().message) << std::endl;
}

void expect_refused(const std::string& output, const std::string& cause) {
  EXPECT_TRUE(output.starts_with("status 0\n")) << output;
  EXPECT_NE(output.find("named: cannot run"), std::string::npos) << output;
  EXPECT_NE(output.find("auto: running on the CPU: OpenVINO in "), std::string::npos) << output;
  EXPECT_NE(output.find(cause), std::string::npos) << output;
  EXPECT_NE(output.find("execution-provider=auto or cpu"), std::string::npos) << output;
}

TEST_F(OpenVino, IsUsedWithLibrariesInAnotherDirectory) {
  const std::string output = run_with(directory_ / "libraries", [](const fs::path&) {});
  EXPECT_NE(output.find("named: used"), std::string::npos) << output;
}

TEST_F(OpenVino, IsRefusedWhenItsLibraryIsMissing) {
  expect_refused(run_with(directory_ / "libraries", [](const fs::path& library) { fs::remove(library); }),
                 "No such file");
}

TEST_F(OpenVino, IsRefusedWhenItsLibraryHasAnotherVersion) {
  const auto change = [](const fs::path& library) {
    std::string bytes = test::read(library.string());
    const std::string own = std::string(1, '\0') + onnx::version() + std::string(1, '\0');
    std::size_t at = 0;
    while ((at = bytes.find(own, at)) != std::string::npos) bytes[at + 1] = '9';
    test::write(library.string(), bytes);
  };
  expect_refused(run_with(directory_ / "libraries", change), "another version of ONNX Runtime");
}

TEST_F(OpenVino, IsRefusedWhenItsLibraryIsTruncated) {
  expect_refused(run_with(directory_ / "libraries",
                          [](const fs::path& library) { fs::resize_file(library, fs::file_size(library) / 3); }),
                 "damaged or truncated");
}

TEST_F(OpenVino, IsRefusedWhenALibraryOfOpenVinoIsMissing) {
  expect_refused(run_with(directory_ / "libraries",
                          [](const fs::path& library) {
                            for (const auto& entry : fs::directory_iterator(library.parent_path()))
                              if (entry.path().filename().string().starts_with("libopenvino.so"))
                                fs::remove(entry.path());
                          }),
                 "cannot open shared object file");
}

// Code that crashes the process: after two crashes the third start runs, and reports why OpenVINO is not used.
TEST_F(OpenVino, ThatCrashesAtLoadIsNotLoadedAThirdTime) {
  const auto change = [](const fs::path& library) {
    // The first segment with code, filled with traps; header, version and symbols stay.
    std::string bytes = test::read(library.string());
    std::uint64_t table = 0;
    std::uint16_t count = 0;
    std::memcpy(&table, bytes.data() + 32, sizeof table);
    std::memcpy(&count, bytes.data() + 56, sizeof count);
    for (std::uint16_t i = 0; i < count; ++i) {
      std::uint32_t type = 0, flags = 0;
      std::uint64_t offset = 0, size = 0;
      const char* const segment = bytes.data() + table + i * 56u;
      std::memcpy(&type, segment, 4);
      std::memcpy(&flags, segment + 4, 4);
      std::memcpy(&offset, segment + 8, 8);
      std::memcpy(&size, segment + 32, 8);
      if (type == 1 && (flags & 1u) != 0)
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), size, '\xcc');
    }
    test::write(library.string(), bytes);
  };
  const fs::path place = directory_ / "libraries";
  EXPECT_FALSE(run_with(place, change).starts_with("status 0\n"));
  EXPECT_FALSE(run_child(place).starts_with("status 0\n"));
  expect_refused(run_child(place), "crashed the process the last 2 times");
}

}  // namespace
}  // namespace bcp::clip
