// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/file.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "common/temporary.hpp"
#include "onnx/session.hpp"
#include "onnx_builder.hpp"

namespace bcp::onnx {
namespace {

namespace fs = std::filesystem;
namespace build = test::onnx;
using test::TemporaryDirectory;
using Names = std::vector<std::string>;
using Shape = std::vector<std::int64_t>;

std::string data(const std::string& name) {
  return std::string(BCP_TEST_DATA) + "/onnx/" + name;
}

File open_sound(const std::string& path) {
  Result<File> file = File::open(path);
  EXPECT_TRUE(file) << file.error().message;
  return *std::move(file);
}

void expect_refused(const std::string& path, const Names& parts) {
  const Result<File> file = File::open(path);
  ASSERT_FALSE(file) << "no error; expected " << testing::PrintToString(parts);
  EXPECT_NE(file.error().message.find(path), std::string::npos) << file.error().message;
  for (const std::string& part : parts)
    EXPECT_NE(file.error().message.find(part), std::string::npos) << file.error().message;
}

Names names_of(const std::vector<TensorInfo>& tensors) {
  Names names;
  for (const TensorInfo& tensor : tensors) names.push_back(tensor.name);
  return names;
}

TEST(File, ReadsInputsOutputsAndOpset) {
  const File file = open_sound(data("two_towers.onnx"));
  EXPECT_EQ(describe(file.inputs()),
            "\"input_ids\" int64 [?, ?], \"pixel_values\" float [?, 3, 32, 32], \"attention_mask\" int64 [?, ?]");
  EXPECT_EQ(describe(file.outputs()),
            "\"logits_per_image\" float [?, ?], \"logits_per_text\" float [?, ?], \"text_embeds\" float [?, 8], "
            "\"image_embeds\" float [?, 8]");
  EXPECT_EQ(file.opset(), 17);
  EXPECT_EQ(file.path(), data("two_towers.onnx"));
  EXPECT_TRUE(file.external_files().empty());
}

TEST(File, DoesNotListWeightsAsInputs) {
  EXPECT_EQ(names_of(open_sound(data("nested.onnx")).inputs()), (Names{"x", "y"}));
}

TEST(File, FindsTheRowsOfTheTokenTable) {
  const File file = open_sound(data("two_towers.onnx"));
  EXPECT_EQ(file.table_rows("input_ids"), 20);
  EXPECT_EQ(file.table_rows("attention_mask"), std::nullopt);
  EXPECT_EQ(file.table_rows("no such input"), std::nullopt);
}

TEST(File, FindsTheLogitScale) {
  const File file = open_sound(data("two_towers.onnx"));
  ASSERT_TRUE(file.scalar("logit_scale"));
  EXPECT_NEAR(*file.scalar("logit_scale"), std::log(50.0f), 1e-6f);
  EXPECT_EQ(file.scalar("logit_bias"), std::nullopt);
  EXPECT_EQ(file.scalar("token_table"), std::nullopt);  // more than one number

  const TemporaryDirectory directory;
  const std::string path = directory / "m.onnx";
  const auto scale_of = [&](const std::string& tensor) {
    test::write(path, build::with({build::node("Relu", {"x"}, {"y"})}, {tensor}));
    return open_sound(path).scalar("logit_scale");
  };
  EXPECT_EQ(scale_of(build::tensor("model.logit_scale", 10, {}, std::string("\x00\x44", 2))), 4.0f);  // half
  EXPECT_EQ(scale_of(build::tensor("logit_scale", 11, {1}, build::raw_of<double>({4.5}))), 4.5f);
  EXPECT_EQ(scale_of(build::tensor("logit_scale", 7, {1}, build::raw_of<std::int64_t>({4}))), std::nullopt);
}

TEST(File, CutsOutOneTower) {
  const File whole = open_sound(data("two_towers.onnx"));
  const TemporaryDirectory directory;
  const auto cut = [&](const Names& outputs) {
    const Result<std::string> bytes = whole.part(outputs);
    EXPECT_TRUE(bytes) << bytes.error().message;
    test::write(directory / "part.onnx", *bytes);
    return open_sound(directory / "part.onnx");
  };
  const File image = cut({"image_embeds"});
  EXPECT_EQ(names_of(image.inputs()), Names{"pixel_values"});
  EXPECT_EQ(names_of(image.outputs()), Names{"image_embeds"});
  EXPECT_EQ(image.scalar("logit_scale"), std::nullopt);
  EXPECT_EQ(image.opset(), 17);
  EXPECT_EQ(names_of(*whole.inputs_of(Names{"image_embeds"})), Names{"pixel_values"});

  const File text = cut({"text_embeds"});
  EXPECT_EQ(names_of(text.inputs()), (Names{"input_ids", "attention_mask"}));
  EXPECT_EQ(text.table_rows("input_ids"), 20);
  EXPECT_EQ(names_of(*whole.inputs_of(Names{"text_embeds"})), (Names{"input_ids", "attention_mask"}));

  EXPECT_EQ(names_of(cut({"image_embeds", "text_embeds"}).outputs()), (Names{"text_embeds", "image_embeds"}));
  const Result<std::string> none = whole.part(Names{"pooler_output"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("\"pooler_output\""), std::string::npos) << none.error().message;
}

TEST(File, KeepsWhatBranchesUseOfTheOuterGraph) {
  const File whole = open_sound(data("nested.onnx"));
  EXPECT_EQ(names_of(*whole.inputs_of(Names{"first"})), Names{"x"});  // "deep" is an input with a value of its own
  EXPECT_EQ(names_of(*whole.inputs_of(Names{"second"})), Names{"y"});
  const std::string first = *whole.part(Names{"first"}), second = *whole.part(Names{"second"});
  for (const char* name : {"deep", "shift", "from_elsewhere", "most", "Double"})
    EXPECT_NE(first.find(name), std::string::npos) << name;
  for (const char* name : {"unused", "sparse", "second"}) EXPECT_EQ(first.find(name), std::string::npos) << name;
  EXPECT_NE(second.find("sparse"), std::string::npos);
  EXPECT_EQ(second.find("shift"), std::string::npos);
}

TEST(File, WritesPartsThatOnnxRuntimeLoads) {
  if (providers().empty()) return;  // a build without ONNX Runtime
  for (const auto& [name, output] : {std::pair("two_towers.onnx", "image_embeds"),
                                     {"two_towers.onnx", "text_embeds"},
                                     {"two_towers.onnx", "logits_per_text"},
                                     {"nested.onnx", "first"},
                                     {"nested.onnx", "second"},
                                     {"nested.onnx", "unused"}}) {
    const File whole = open_sound(data(name));
    const auto session = Session::open({.path = data(name), .bytes = *whole.part(Names{output})}, {});
    EXPECT_TRUE(session) << session.error().message;
  }
}

TEST(File, ReportsANameThatNoNodeComputes) {
  const TemporaryDirectory directory;
  test::write(directory / "m.onnx", build::with({build::node("Relu", {"lost"}, {"y"})}));
  const Result<std::string> part = open_sound(directory / "m.onnx").part(Names{"y"});
  ASSERT_FALSE(part);
  EXPECT_NE(part.error().message.find("\"lost\""), std::string::npos) << part.error().message;
}

TEST(File, RefusesFilesThatAreNotModels) {
  const TemporaryDirectory directory;
  expect_refused(directory / "none.onnx", {"cannot open"});
  expect_refused(directory.path(), {"not a file"});
  const std::string path = directory / "m.onnx";
  for (const char* text : {"", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n", "<html>",
                           "\x08\x08", "\xff\xff\xff\xff"}) {
    test::write(path, text);
    expect_refused(path, {"not an ONNX file"});
  }
}

TEST(File, RefusesAFileTruncatedAtAnyByte) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.onnx", whole = test::read(data("nested.onnx"));
  // After the version of the standard operators come those of others and the functions: a file may end before them.
  const std::size_t others = whole.find("\x0A\x05tests\x10");
  ASSERT_NE(others, std::string::npos);
  const std::size_t needed = others - 2;  // the field's tag and length
  for (std::size_t size = 0; size < needed; ++size) {
    test::write(path, whole.substr(0, size));
    expect_refused(path, {});
  }
}

TEST(File, SurvivesFlippedBits) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.onnx";
  for (const char* name : {"nested.onnx", "external.onnx"}) {
    std::string bytes = test::read(data(name));
    fs::copy_file(data("external.data"), directory / "external.data", fs::copy_options::overwrite_existing);
    for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 5) {
      const auto flip = static_cast<char>(1 << (bit % 8));
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
      test::write(path, bytes);
      if (const Result<File> file = File::open(path)) {
        for (const TensorInfo& output : file->outputs()) (void)file->part(Names{output.name});
        for (const TensorInfo& input : file->inputs()) (void)file->table_rows(input.name);
        (void)file->scalar("logit_scale");
      }
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
    }
  }
}

TEST(File, RefusesWeightsOfTheWrongSize) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.onnx", node = build::node("Add", {"x", "w"}, {"y"});
  const auto refuse = [&](const std::string& weights, const Names& parts) {
    test::write(path, build::with({node}, {weights}));
    expect_refused(path, parts);
    test::write(path, build::with({build::node("Constant", {}, {"w"}, {build::attribute("value", 5, weights)}), node}));
    expect_refused(path, parts);  // also as a Constant
  };
  refuse(build::tensor("w", 1, {2, 2}, std::string(12, '\0')), {"\"w\"", "[2, 2]", "12 bytes"});
  refuse(build::tensor("w", 1, {2, -2}, std::string(16, '\0')), {"\"w\"", "[2, -2]"});
  refuse(build::tensor("w", 10, {3}, std::string(12, '\0')), {"\"w\"", "float16", "12 bytes"});
  refuse(build::tensor("w", 1, {1 << 30, 1 << 30, 1 << 30}, ""), {"\"w\"", "1073741824"});
  refuse(build::tensor("w", 1, {std::int64_t{1} << 62, 4}, ""), {"\"w\""});
  std::string typed;  // float_data: three numbers for a shape of two
  build::pbf_writer writer(typed);
  writer.add_int64(1, 2);
  writer.add_int32(2, 1);
  const std::vector<float> three = {1, 2, 3};
  writer.add_packed_float(4, three.begin(), three.end());
  refuse(typed, {"[2]", "3 numbers"});
}

TEST(File, ListsItsExternalWeightFiles) {
  EXPECT_EQ(open_sound(data("external.onnx")).external_files(), Names{data("external.data")});
}

class ExternalWeights : public testing::Test {
 protected:
  void put(const std::string& weights) const {
    test::write(path, build::with({build::node("Add", {"x", "w"}, {"y"})}, {weights}));
  }
  TemporaryDirectory root;
  const std::string path = root / "model/m.onnx";
};

TEST_F(ExternalWeights, MustBeInTheModelsDirectory) {
  test::write(root / "secret", std::string(64, 's'));
  fs::create_directories(root / "model/sub");
  fs::create_symlink(root / "secret", root / "model/link");
  fs::create_directory_symlink(root.path(), root / "model/up");
  for (const std::string& location : Names{root / "secret", "../secret", "sub/../../secret", "link", "up/secret", "",
                                           ".", "/dev/zero", std::string("m.onnx\0../../x", 14)}) {
    put(build::external("w", {4}, {{"location", location}, {"offset", "0"}, {"length", "16"}}));
    expect_refused(path, {"\"w\""});
  }
  // Not even in a function or an unused branch.
  const std::string hidden = build::external("w", {4}, {{"location", "../secret"}});
  const std::string constant = build::node("Constant", {}, {"w"}, {build::attribute("value", 5, hidden)});
  test::write(path, build::model({{build::node("Relu", {"x"}, {"y"})}, {}, {}, {build::value("y", 1, {4})}}, constant));
  expect_refused(path, {"../secret"});
  const build::Graph branch{{constant}, {}, {}, {build::value("w", 1, {4})}};
  test::write(path,
              build::with({build::node("If", {"x"}, {"y"}, {build::attribute("then_branch", 6, branch.bytes())})}));
  expect_refused(path, {"../secret"});
}

TEST_F(ExternalWeights, MustExistAndBeLongEnough) {
  put(build::external("w", {4}, {{"location", "m.data"}}));
  expect_refused(path, {root / "model/m.data", "is missing", "fetch"});
  test::write(root / "model/m.data", std::string(20, '\0'));
  EXPECT_TRUE(File::open(path));
  using Entries = std::vector<std::pair<std::string, std::string>>;
  for (const Entries& more : {Entries{{"offset", "8"}},
                              {{"offset", "18446744073709551608"}},
                              {{"offset", "-1"}},
                              {{"offset", "1e0"}},
                              {{"offset", "21"}, {"length", "0"}},
                              {{"length", "20"}},
                              {{"length", "18446744073709551616"}}}) {
    Entries entries = {{"location", "m.data"}};
    entries.insert(entries.end(), more.begin(), more.end());
    put(build::external("w", {4}, entries));
    expect_refused(path, {"\"w\""});
  }
}

TEST_F(ExternalWeights, AreFoundThroughLinks) {
  // A directory behind a link, and Hugging Face's cache, in which every file is a link.
  fs::create_directories(root / "real");
  for (const char* name : {"external.onnx", "external.data"})
    fs::copy_file(data(name), root / ("real/" + std::string(name)));
  fs::create_directory_symlink(root / "real", root / "linked");
  EXPECT_EQ(open_sound(root / "linked/external.onnx").external_files(), Names{root / "linked/external.data"});

  const std::string repository = root / "models--a--b", snapshot = repository + "/snapshots/1f2e/onnx";
  fs::create_directories(repository + "/blobs");
  fs::create_directories(snapshot);
  fs::copy_file(data("external.onnx"), repository + "/blobs/aaaa");
  fs::copy_file(data("external.data"), repository + "/blobs/bbbb");
  fs::create_symlink("../../../blobs/aaaa", snapshot + "/external.onnx");
  fs::create_symlink("../../../blobs/bbbb", snapshot + "/external.data");
  EXPECT_EQ(open_sound(snapshot + "/external.onnx").external_files(), Names{snapshot + "/external.data"});
}

TEST(OnnxLimits, RefuseHugeTensors) {
  const TemporaryDirectory directory;
  const std::string path = directory / "m.onnx";
  constexpr std::int64_t kMany = 1 << 20;
  const auto refuse = [&](std::vector<std::string> nodes, const std::string& op,
                          std::vector<std::string> initializers = {}) {
    test::write(path, build::with(std::move(nodes), std::move(initializers)));
    expect_refused(path, {"\"the " + op + "\"", "tensor of ["});
  };
  const auto many = build::integers("n", {kMany, kMany}), no_shape = build::integers("n", {-1, 0, 4});
  refuse({build::node("ConstantOfShape", {"n"}, {"y"})}, "ConstantOfShape", {many});
  refuse({build::node("Expand", {"x", "n"}, {"y"})}, "Expand", {many});
  refuse({build::node("Tile", {"x", "n"}, {"y"})}, "Tile", {many});
  refuse({build::node("Pad", {"x", "n"}, {"y"})}, "Pad", {build::integers("n", {0, 0, 0, std::int64_t{1} << 40})});
  refuse({build::node("Resize", {"x", "", "", "n"}, {"y"})}, "Resize", {many});
  refuse({build::node("Resize", {"x", "", "n"}, {"y"})}, "Resize", {build::floats("n", {1e6f, 1e6f})});
  refuse({build::node("Range", {"a", "b", "c"}, {"y"})}, "Range",
         {build::integers("a", {0}), build::integers("b", {std::int64_t{1} << 40}), build::integers("c", {1})});
  refuse({build::node("RandomNormal", {}, {"y"}, {build::attribute("shape", {kMany, kMany})})}, "RandomNormal");
  refuse({build::node("Conv", {"x", "w"}, {"y"}, {build::attribute("pads", {kMany, kMany, kMany, kMany})})}, "Conv");
  // The shape behind a Constant, a Cast, a Concat with an unknown part, and in a branch.
  const std::string constant = build::node("Constant", {}, {"c"}, {build::attribute("value_ints", {kMany})});
  const std::string joined = build::node("Concat", {"x", "c", "c"}, {"n"});
  refuse({constant, joined, build::node("Cast", {"n"}, {"m"}), build::node("Expand", {"x", "m"}, {"y"})}, "Expand");
  const build::Graph branch{{build::node("Expand", {"x", "n"}, {"z"})}, {}, {}, {build::value("z", 1, {4})}};
  refuse({constant, joined, build::node("If", {"x"}, {"y"}, {build::attribute("then_branch", 6, branch.bytes())})},
         "Expand");
  test::write(path, build::with({build::node("Reshape", {"x", "n"}, {"y"})}, {many}));
  EXPECT_TRUE(File::open(path));  // creates nothing new
  test::write(path, build::with({build::node("Expand", {"x", "n"}, {"y"})}, {no_shape}));
  EXPECT_TRUE(File::open(path));
}

TEST(OnnxLimits, RefuseLongOrInvalidNames) {
  const TemporaryDirectory directory;
  for (const std::string& name : {std::string(5000, 'n'), std::string("caf\xE9")}) {
    test::write(directory / "m.onnx", build::with({build::node("Relu", {"x"}, {name})}));
    expect_refused(directory / "m.onnx", {"a name"});
  }
}

TEST(OnnxLimits, RefuseDeeplyNestedGraphs) {
  const TemporaryDirectory directory;
  build::Graph graph{{build::node("Relu", {"x"}, {"y"})}, {}, {}, {build::value("y", 1, {4})}};
  for (int depth = 0; depth < 1000; ++depth) {
    graph.nodes = {build::node("If", {"x"}, {"y"}, {build::attribute("then_branch", 6, graph.bytes())})};
  }
  test::write(directory / "m.onnx", build::model(graph));
  expect_refused(directory / "m.onnx", {"nested"});
}

}  // namespace
}  // namespace bcp::onnx
