// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "base/npy.hpp"
#include "common/npy.hpp"
#include "common/temporary.hpp"

namespace bcp {
namespace {

using test::TemporaryDirectory;

// A file with this description and these bytes of numbers.
std::string file_of(const std::string& description, const std::string& numbers, int version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) bytes += static_cast<char>(description.size() >> (8 * i) & 0xff);
  return bytes + description + numbers;
}

std::string description(const std::string& type, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

template <typename Number>
std::string bytes_of(std::initializer_list<Number> numbers, bool big_endian = false) {
  std::string bytes;
  for (const Number number : numbers) {
    std::string one(sizeof number, '\0');
    std::memcpy(one.data(), &number, sizeof number);
    bytes += big_endian ? std::string(one.rbegin(), one.rend()) : one;
  }
  return bytes;
}

class Npy : public testing::Test {
 protected:
  Result<NpyReader> open(const std::string& bytes) {
    test::write(path(), bytes);
    return NpyReader::open(path());
  }
  std::vector<double> all(const std::string& bytes) {
    Result<NpyReader> file = open(bytes);
    if (!file) {
      ADD_FAILURE() << file.error().message;
      return {};
    }
    std::vector<double> numbers, row(file->width());
    for (std::size_t i = 0; i < file->rows(); ++i) {
      EXPECT_TRUE(file->row(i, row));
      numbers.insert(numbers.end(), row.begin(), row.end());
    }
    return numbers;
  }
  // The message names the file, contains `what`, and says what to do after a colon.
  void expect_refusal(const std::string& bytes, const std::string& what) {
    const Result<NpyReader> file = open(bytes);
    ASSERT_FALSE(file) << what;
    const std::string& message = file.error().message;
    EXPECT_TRUE(message.starts_with(path())) << message;
    EXPECT_NE(message.find(what), std::string::npos) << message;
    EXPECT_NE(message.find(": "), std::string::npos) << message;
  }
  std::string path() const { return directory_ / "a.npy"; }

  TemporaryDirectory directory_;
};

TEST_F(Npy, ReadsEveryTypeOfNumberInBothByteOrders) {
  const std::vector<double> signs = {1, -2}, counts = {1, 2};
  const auto one_side = [](const std::string& type) { return description(type, "(2,)"); };
  EXPECT_EQ(all(file_of(one_side("<f4"), bytes_of<float>({1, -2}))), signs);
  EXPECT_EQ(all(file_of(one_side(">f4"), bytes_of<float>({1, -2}, true))), signs);
  EXPECT_EQ(all(file_of(one_side("<f8"), bytes_of<double>({1, -2}))), signs);
  EXPECT_EQ(all(file_of(one_side(">f8"), bytes_of<double>({1, -2}, true))), signs);
  EXPECT_EQ(all(file_of(one_side("<f2"), bytes_of<std::uint16_t>({0x3c00, 0xc000}))), signs);
  EXPECT_EQ(all(file_of(one_side(">f2"), bytes_of<std::uint16_t>({0x3c00, 0xc000}, true))), signs);
  EXPECT_EQ(all(file_of(one_side("|i1"), bytes_of<std::int8_t>({1, -2}))), signs);
  EXPECT_EQ(all(file_of(one_side("<i2"), bytes_of<std::int16_t>({1, -2}))), signs);
  EXPECT_EQ(all(file_of(one_side(">i4"), bytes_of<std::int32_t>({1, -2}, true))), signs);
  EXPECT_EQ(all(file_of(one_side("<i8"), bytes_of<std::int64_t>({1, -2}))), signs);
  EXPECT_EQ(all(file_of(one_side("|u1"), bytes_of<std::uint8_t>({1, 2}))), counts);
  EXPECT_EQ(all(file_of(one_side(">u2"), bytes_of<std::uint16_t>({1, 2}, true))), counts);
  EXPECT_EQ(all(file_of(one_side("<u4"), bytes_of<std::uint32_t>({1, 2}))), counts);
  EXPECT_EQ(all(file_of(one_side("<u8"), bytes_of<std::uint64_t>({1, 2}))), counts);
  EXPECT_EQ(all(file_of(one_side("|b1"), std::string("\x01\x00", 2))), (std::vector<double>{1, 0}));
}

TEST_F(Npy, KeepsNonFiniteNumbers) {
  const std::vector<double> numbers =
      all(file_of(description("<f4", "(2,)"), bytes_of<float>({NAN, -std::numeric_limits<float>::infinity()})));
  ASSERT_EQ(numbers.size(), 2u);
  EXPECT_TRUE(std::isnan(numbers[0]));
  EXPECT_EQ(numbers[1], -std::numeric_limits<double>::infinity());
}

TEST_F(Npy, ReadsFortranOrderAsIfItWereC) {
  EXPECT_EQ(all(file_of(description("|i1", "(2, 3)", "True"), bytes_of<char>({1, 4, 2, 5, 3, 6}))),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
  // Of shape (2, 2, 3), with number c + 3 b + 6 a at [a, b, c].
  EXPECT_EQ(
      all(file_of(description("|i1", "(2, 2, 3)", "True"), bytes_of<char>({0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11}))),
      (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(all(file_of(description("|i1", "(3,)", "True"), bytes_of<char>({1, 2, 3}))),
            (std::vector<double>{1, 2, 3}));
}

TEST_F(Npy, ReadsAllVersionsAndSpellingsOfTheHeader) {
  const std::vector<double> expected = {7, 8};
  const std::string numbers = "\x07\x08";
  for (const int version : {1, 2, 3})
    EXPECT_EQ(all(file_of(description("|i1", "(2,)"), numbers, version)), expected) << version;
  EXPECT_EQ(all(file_of("{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"|i1\"}", numbers)), expected);
  EXPECT_EQ(all(file_of(description("|i1", "()"), "\x07")), (std::vector<double>{7}));
}

TEST_F(Npy, GivesRowsInAnyOrder) {
  constexpr std::size_t kRows = 5000, kWidth = 100;  // more than one buffer
  Result<NpyWriter> writer = NpyWriter::create(path(), NpyType::kFloat64, {kRows, kWidth});
  ASSERT_TRUE(writer) << writer.error().message;
  std::vector<double> row(kWidth);
  const auto fill = [&](std::size_t i) { std::iota(row.begin(), row.end(), static_cast<double>(i) * 1000); };
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::size_t at = i * 7 % kRows;
    fill(at);
    ASSERT_TRUE(writer->row(at, row));
  }
  ASSERT_TRUE(writer->finish());
  Result<NpyReader> reader = NpyReader::open(path());
  ASSERT_TRUE(reader) << reader.error().message;
  std::vector<double> read(kWidth);
  for (const std::size_t step : {1u, 3u, 4999u}) {
    for (std::size_t i = 0; i < kRows; ++i) {
      ASSERT_TRUE(reader->row(i * step % kRows, read));
      fill(i * step % kRows);
      ASSERT_EQ(read, row);
    }
  }
}

TEST_F(Npy, WritesWhatTheIndependentReaderReads) {
  for (const NpyType type : {NpyType::kFloat32, NpyType::kFloat64, NpyType::kInt32}) {
    Result<NpyWriter> writer = NpyWriter::create(path(), type, {3, 2});
    ASSERT_TRUE(writer) << writer.error().message;
    ASSERT_TRUE(writer->row(2, std::vector<double>{-5, 6}));
    ASSERT_TRUE(writer->row(0, std::vector<double>{1, 2}));
    ASSERT_TRUE(writer->finish());
    const test::Npy array = test::load_npy(path());
    EXPECT_EQ(array.shape, (std::vector<std::size_t>{3, 2}));
    EXPECT_EQ(array.data, (std::vector<double>{1, 2, 0, 0, -5, 6})) << "a row that is not written is zeros";
  }
}

TEST_F(Npy, LeavesTheOldFileUntilTheNewOneIsFinished) {
  test::write(path(), "old");
  {
    Result<NpyWriter> writer = NpyWriter::create(path(), NpyType::kFloat32, {1, 1});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->row(0, std::vector<double>{1}));
    EXPECT_EQ(test::read(path()), "old");
  }
  EXPECT_EQ(test::read(path()), "old");
  EXPECT_EQ(test::files_in(directory_.path()), 1u);
}

TEST_F(Npy, MayBeReadWhileItIsReplaced) {
  ASSERT_TRUE(write_npy(path(), std::vector<float>{1, 2}, {2}));
  Result<NpyReader> reader = NpyReader::open(path());
  ASSERT_TRUE(reader);
  ASSERT_TRUE(write_npy(path(), std::vector<float>{3}, {1}));
  std::vector<double> row(1);
  ASSERT_TRUE(reader->row(1, row));
  EXPECT_EQ(row[0], 2);
}

TEST_F(Npy, ReportsAFileTruncatedWhileItIsRead) {
  Result<NpyReader> reader = open(file_of(description("|i1", "(2,)"), "\x01\x02"));
  ASSERT_TRUE(reader);
  test::write(path(), "short");
  std::vector<double> row(1);
  const Status read = reader->row(1, row);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("was truncated while it was read"), std::string::npos) << read.error().message;
}

TEST_F(Npy, RefusesFilesThatAreNotArrays) {
  expect_refusal("", "is empty");
  expect_refusal("0.1 0.2\n0.3 0.4\n", "is not a NumPy array");
  expect_refusal("PK\x03\x04rest of an archive", "(.npz)");
  expect_refusal("\x93NUMPY", "ends inside its header");
  expect_refusal(file_of(description("<f4", "(1,)"), "abcd", 9), "version 9.0");
}

TEST_F(Npy, RefusesAPathThatIsNotAFile) {
  const Result<NpyReader> folder = NpyReader::open(directory_.path());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().message, directory_.path() + " is a directory: name a .npy file");
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  const Result<NpyReader> pipe = NpyReader::open(path());
  ASSERT_FALSE(pipe);
  EXPECT_NE(pipe.error().message.find("is a pipe"), std::string::npos) << pipe.error().message;
  const Result<NpyReader> missing = NpyReader::open(directory_ / "none.npy");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  ASSERT_FALSE(NpyWriter::create(directory_.path(), NpyType::kFloat32, {1}));
  ASSERT_FALSE(NpyWriter::create(path(), NpyType::kFloat32, {1}));
}

TEST_F(Npy, ChecksEveryPartOfTheHeader) {
  const std::string four = "abcd";
  expect_refusal(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12) + four,
                 "a damaged header, which claims 4294967295 bytes");
  expect_refusal(std::string("\x93NUMPY\x01\x00\xff\x0f", 10) + four, "ends inside its header");
  expect_refusal(file_of("nonsense", four), "not a dictionary");
  expect_refusal(file_of("{'descr': '<f4'", four), "not a dictionary");
  expect_refusal(file_of("{'descr': '<f4', 'fortran_order': False, }", four), "without \"shape\"");
  expect_refusal(file_of("{'descr': '<f4', 'shape': (1,), }", four), "without \"fortran_order\"");
  expect_refusal(file_of("{'fortran_order': False, 'shape': (1,), }", four), "without \"descr\"");
  expect_refusal(file_of("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }", four), "neither True nor False");
  expect_refusal(file_of("{'shape': (1,), 'colour': 'red', }", four), "the unknown key \"colour\"");
  expect_refusal(file_of("{'shape': (1,), 'shape': (1,), }", four), "has \"shape\" twice");
  expect_refusal(file_of(description("<f4", "(1,)") + "more", four), "data after the dictionary");
  expect_refusal(file_of(description("<f4", "1"), four), "without a shape");
  expect_refusal(file_of(description("<f4", "(-1,)"), four), "a dimension that is not a non-negative integer");
  expect_refusal(file_of(description("<f4", "(99999999999999999999999,)"), four), "not a non-negative integer");
  expect_refusal(file_of(description("<f4", "(1 1)"), four), "not a list of numbers");
  expect_refusal(file_of(description("<f4", "(" + std::string(200, '1') + ")"), four), "not a non-negative integer");
  std::string many;
  for (int i = 0; i < 65; ++i) many += "1,";
  expect_refusal(file_of(description("<f4", "(" + many + ")"), four), "more than 64 dimensions");
}

TEST_F(Npy, RefusesShapesThatTheFileDoesNotHold) {
  const std::string four = "abcd";
  expect_refusal(file_of(description("<f4", "(2,)"), four), "it is incomplete");
  expect_refusal(file_of(description("<f4", "(1,)"), four + "e"), "extra data at its end");
  expect_refusal(file_of(description("<f4", "(4294967296, 4294967296)"), four), "too large for a file");
  expect_refusal(file_of(description("<f4", "(9223372036854775807,)"), four), "too large for a file");
  expect_refusal(file_of(description("<f4", "(0, 4294967296, 4294967296)"), ""), "too large for a file");
  expect_refusal(file_of(description("<f4", "(1000000000000, 0)"), ""), "is empty: its shape is (1000000000000, 0)");
  EXPECT_FALSE(NpyWriter::create(path(), NpyType::kFloat32, {std::size_t{1} << 40, std::size_t{1} << 40}));
}

TEST_F(Npy, RefusesOtherTypesAndSaysWhatToSave) {
  expect_refusal(file_of(description("|O", "(1,)"), "abcd"), "Python objects");
  expect_refusal(file_of("{'descr': [('x', '<f4'), ('y', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd"),
                 "records of several fields");
  for (const char* type : {"<c8", "<U4", "|S4", "<M8[ns]", "<f16", "|V2", "<f3", "<i", "<", "<f44"})
    expect_refusal(file_of(description(type, "(1,)"), "abcd"), "astype('float32')");
  expect_refusal(file_of(description("", "(1,)"), "abcd"), "without the type");
}

TEST_F(Npy, RefusesAFileTruncatedAtAnyByte) {
  const std::string whole = file_of(description("<f4", "(2, 2)"), bytes_of<float>({1, 2, 3, 4}));
  ASSERT_TRUE(open(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(open(whole.substr(0, size))) << size;
}

TEST_F(Npy, SurvivesEveryChangeOfOneByteOfTheHeader) {
  const std::string whole = file_of(description("<f4", "(2, 2)"), bytes_of<float>({1, 2, 3, 4}));
  for (std::size_t at = 0; at < whole.size() - 16; ++at) {
    for (const char value : std::string("\0\1\xff 019-,:'\"(){}[]LTf<>|O", 26)) {
      std::string changed = whole;
      changed[at] = value;
      Result<NpyReader> file = open(changed);
      if (!file) continue;
      std::vector<double> row(file->width());
      EXPECT_LE(file->width(), 16u);
      EXPECT_TRUE(file->row(file->rows() - 1, row));
    }
  }
}

}  // namespace
}  // namespace bcp
