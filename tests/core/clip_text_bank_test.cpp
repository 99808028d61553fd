// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "clip/safetensors.hpp"
#include "clip/text_bank.hpp"
#include "common/temporary.hpp"

namespace bcp::clip {
namespace {

using nlohmann::json;
using test::TemporaryDirectory;

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string safetensors(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

// A valid bank of two labels in two dimensions, (3, 4) and (0, 2), for a test to change.
struct BankFile {
  json labels = {"car", "dog"};
  json header = {{"embeddings", {{"dtype", "F32"}, {"shape", {2, 2}}, {"data_offsets", {0, 16}}}}};
  std::string data = bytes_of<float>({3, 4, 0, 2});

  std::string bytes() const {
    json all = header;
    if (!labels.is_null())
      all["__metadata__"]["labels"] = labels.is_string() ? labels.get<std::string>() : labels.dump();
    return safetensors(all.dump(), data);
  }
  Result<TextBank> open() const {
    const TemporaryDirectory directory;
    test::write(directory / "bank.safetensors", bytes());
    return TextBank::open(directory / "bank.safetensors");
  }
};

template <typename T>
void expect_fault(const Result<T>& result, const std::vector<std::string>& parts) {
  ASSERT_FALSE(result) << "no error";
  for (const std::string& part : parts)
    EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

TEST(TextBank, NormalisesItsRowsAndKeepsTheirOrder) {
  const auto bank = BankFile().open();
  ASSERT_TRUE(bank) << bank.error().message;
  ASSERT_EQ(bank->all().labels.size(), 2u);
  EXPECT_EQ(bank->all().labels[0].name, "car");
  EXPECT_EQ(bank->embedding_size(), 2);
  EXPECT_FLOAT_EQ(bank->all().embeddings(0, 0), 0.6f);
  EXPECT_FLOAT_EQ(bank->all().embeddings(0, 1), 0.8f);
  EXPECT_FLOAT_EQ(bank->all().embeddings(1, 1), 1.0f);
}

TEST(TextBank, ReadsHalfAndBrainFloats) {
  BankFile half;
  half.header["embeddings"] = {{"dtype", "F16"}, {"shape", {2, 2}}, {"data_offsets", {0, 8}}};
  half.data = bytes_of<std::uint16_t>({0x4200, 0xC400, 0x0001, 0x0000});  // 3, -4, 2^-24, 0
  expect_fault(half.open(), {"\"dog\"", "zero"});                         // 2^-24 is read, but too short
  half.data = bytes_of<std::uint16_t>({0x4200, 0xC400, 0x0000, 0x4000});
  auto bank = half.open();
  ASSERT_TRUE(bank) << bank.error().message;
  EXPECT_FLOAT_EQ(bank->all().embeddings(0, 0), 0.6f);
  EXPECT_FLOAT_EQ(bank->all().embeddings(0, 1), -0.8f);

  BankFile brain = half;
  brain.header["embeddings"]["dtype"] = "BF16";
  brain.data = bytes_of<std::uint16_t>({0x4040, 0xC080, 0x0000, 0x4000});
  bank = brain.open();
  ASSERT_TRUE(bank) << bank.error().message;
  EXPECT_FLOAT_EQ(bank->all().embeddings(0, 0), 0.6f);
  EXPECT_FLOAT_EQ(bank->all().embeddings(0, 1), -0.8f);
}

TEST(Safetensors, ConvertsEveryKindOfHalfFloat) {
  const TemporaryDirectory directory;
  const std::vector<std::uint16_t> raw = {0x0000, 0x8000, 0x0001, 0x03FF, 0x0400, 0x3C00, 0x7BFF, 0xFC00, 0x7E00};
  test::write(directory / "t",
              safetensors(R"({"x":{"dtype":"F16","shape":[9],"data_offsets":[0,18]}})", bytes_of(raw)));
  const auto file = Safetensors::open(directory / "t");
  ASSERT_TRUE(file) << file.error().message;
  const auto x = file->floats("x");
  ASSERT_TRUE(x) << x.error().message;
  EXPECT_EQ(x->values[0], 0.0f);
  EXPECT_TRUE(std::signbit(x->values[1]));
  EXPECT_EQ(x->values[2], std::ldexp(1.0f, -24));
  EXPECT_EQ(x->values[3], std::ldexp(1023.0f, -24));
  EXPECT_EQ(x->values[4], std::ldexp(1.0f, -14));
  EXPECT_EQ(x->values[5], 1.0f);
  EXPECT_EQ(x->values[6], 65504.0f);
  EXPECT_EQ(x->values[7], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(x->values[8]));
}

TEST(TextBank, RefusesAFileTruncatedAtAnyByte) {
  const std::string whole = BankFile().bytes();
  const TemporaryDirectory directory;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    test::write(directory / "bank", whole.substr(0, length));
    expect_fault(TextBank::open(directory / "bank"), {directory / "bank", "damaged"});
  }
}

TEST(TextBank, RefusesOrSafelyReadsAFileWithOneBitOfItsHeaderChanged) {
  const std::string whole = BankFile().bytes();
  const TemporaryDirectory directory;
  for (std::size_t at = 0; at < whole.size() - 16; ++at) {
    for (const int bit : {0, 2, 5}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      test::write(directory / "bank", changed);
      const auto bank = TextBank::open(directory / "bank");  // the sanitizers check this
      const auto rows = bank ? static_cast<std::size_t>(bank->all().embeddings.rows()) : 0;
      EXPECT_EQ(rows, bank ? bank->all().labels.size() : 0);
    }
  }
}

TEST(TextBank, RefusesAHeaderThatDoesNotDescribeTheFile) {
  const auto fault_of = [](json embeddings, const std::vector<std::string>& parts) {
    BankFile file;
    file.header["embeddings"] = std::move(embeddings);
    expect_fault(file.open(), parts);
  };
  const json offsets = {0, 16};
  fault_of({{"dtype", "F32"}, {"shape", {2, 2}}, {"data_offsets", {0, 17}}}, {"\"embeddings\"", "0 to 17 of 16"});
  fault_of({{"dtype", "F32"}, {"shape", {2, 2}}, {"data_offsets", {16, 0}}}, {"\"embeddings\""});
  fault_of({{"dtype", "F32"}, {"shape", {2, 2}}, {"data_offsets", {-16, 0}}}, {"\"embeddings\"", "data_offsets"});
  fault_of({{"dtype", "F32"}, {"shape", {2, 3}}, {"data_offsets", offsets}}, {"needs 24 bytes", "has 16"});
  fault_of({{"dtype", "F32"}, {"shape", {-2, -2}}, {"data_offsets", offsets}}, {"shape", "-2"});
  // 2^62 + 2 rows times 4 bytes would overflow to 8.
  fault_of({{"dtype", "F32"}, {"shape", {4611686018427387906u, 1}}, {"data_offsets", {0, 8}}}, {"too large"});
  fault_of({{"dtype", "F32"}, {"shape", {4294967295u, 4294967295u, 2}}, {"data_offsets", {0, 8}}}, {"too large"});
  fault_of({{"dtype", "I64"}, {"shape", {1, 2}}, {"data_offsets", offsets}}, {"I64", "F32, F16"});
  fault_of({{"dtype", "F32"}, {"shape", {4}}, {"data_offsets", offsets}}, {"[4]", "[labels, numbers]"});
  fault_of({{"dtype", "F32"}, {"shape", {0, 2}}, {"data_offsets", {0, 0}}}, {"[0, 2]"});
  fault_of({{"shape", {2, 2}}, {"data_offsets", offsets}}, {"dtype"});
  fault_of("text", {"damaged"});
}

TEST(TextBank, RefusesDeeplyNestedLists) {
  BankFile file;
  file.labels = test::nested_lists();
  expect_fault(file.open(), {"\"labels\"", "levels deep"});
  const TemporaryDirectory directory;
  test::write(directory / "bank.safetensors",
              safetensors("{\"embeddings\": {\"dtype\": \"F32\", \"shape\": " + test::nested_lists() + "}}", ""));
  expect_fault(TextBank::open(directory / "bank.safetensors"), {"bank.safetensors", "levels deep"});
}

TEST(TextBank, ListsTheTensorsWhenItsOwnIsMissing) {
  BankFile file;
  file.header["text_features"] = file.header["embeddings"];
  file.header.erase("embeddings");
  expect_fault(file.open(), {"no tensor \"embeddings\"", "text_features"});
}

TEST(TextBank, RefusesLabelsThatDoNotFitTheRows) {
  BankFile file;
  file.labels = nullptr;
  expect_fault(file.open(), {"no metadata key \"labels\""});
  file.labels = "car, dog";
  expect_fault(file.open(), {"\"labels\"", "JSON array of strings"});
  file.labels = {"car", 3};
  expect_fault(file.open(), {"\"labels\"", "JSON array of strings"});
  file.labels = {"car"};
  expect_fault(file.open(), {"2 embeddings", "1 labels"});
  file.labels = {"car", " \t"};
  expect_fault(file.open(), {"row 1", "empty"});
  file.labels = {"traffic light", " traffic  light"};
  expect_fault(file.open(), {"\"traffic light\"", "rows 0 and 1"});
}

TEST(TextBank, RefusesRowsThatAreZeroOrNotFinite) {
  for (const float bad : {0.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    BankFile file;
    file.data = bytes_of<float>({3, 4, 0, bad});
    expect_fault(file.open(), {"\"dog\"", "zero or not finite"});
  }
}

TEST(TextBank, SelectsInTheGivenOrderAndKeepsThresholds) {
  const auto bank = BankFile().open();
  const std::vector<Label> wanted = {{"dog", 0.3}, {"car", {}}};
  const auto chosen = bank->select(wanted);
  ASSERT_TRUE(chosen) << chosen.error().message;
  EXPECT_EQ(chosen->labels[0].name, "dog");
  EXPECT_EQ(chosen->labels[0].threshold, 0.3);
  EXPECT_FLOAT_EQ(chosen->embeddings(0, 1), 1.0f);
  EXPECT_FLOAT_EQ(chosen->embeddings(1, 0), 0.6f);
}

TEST(TextBank, NamesSimilarEntriesForALabelItDoesNotKnow) {
  BankFile file;
  file.labels = {"motorcycle", "bicycle", "traffic light", "Tram"};
  file.header["embeddings"]["shape"] = {4, 1};
  file.data = bytes_of<float>({1, 1, 1, 1});
  const auto bank = file.open();
  ASSERT_TRUE(bank) << bank.error().message;
  const std::vector<Label> misspelt = {{"bycicle", {}}}, other_case = {{"tram", {}}};
  expect_fault(bank->select(misspelt), {"\"bycicle\"", "not among the 4", "did you mean \"bicycle\"?"});
  expect_fault(bank->select(other_case), {"\"tram\"", "did you mean \"Tram\"?"});
  const std::vector<Label> beginning = {{"traffic", {}}}, other = {{"zebra", {}}};
  expect_fault(bank->select(beginning), {"did you mean \"traffic light\"?"});
  expect_fault(bank->select(other),
               {"\"zebra\" is not among the 4 that this model knows (\"motorcycle\", \"bicycle\", ",
                "A model with a text tower takes any words", "gst-bcp model get clip-vit-b32"});
  EXPECT_EQ(bank->select(other).error().message.find("did you mean"), std::string::npos);
  expect_fault(bank->select({}), {"no labels"});
}

TEST(Score, IsTheScaledCosine) {
  TextMatrix text(2, 2);
  text << 0.6f, 0.8f, 0, 1;
  const std::vector<float> image = {1, 0};
  std::vector<double> logits(2);
  score(text, image, 100, logits);
  EXPECT_NEAR(logits[0], 60, 1e-5);
  EXPECT_EQ(logits[1], 0);
}

}  // namespace
}  // namespace bcp::clip
