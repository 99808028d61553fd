// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>
#include <vector>

#include "base/crc32.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/leftovers.hpp"
#include "base/log.hpp"
#include "base/number_text.hpp"
#include "base/sha256.hpp"
#include "base/spelling.hpp"
#include "base/utf8.hpp"
#include "common/temporary.hpp"

namespace bcp {
namespace {

using test::TemporaryDirectory;

TEST(ReadFile, GivesEveryByteBack) {
  const TemporaryDirectory directory;
  const std::string bytes("a\0b\r\n\xff", 6);
  test::write(directory / "file", bytes);
  const auto read = read_file(directory / "file", 6);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, bytes);
}

TEST(ReadFile, NamesAFileThatIsMissing) {
  const auto read = read_file("/no/such/file", 10);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read.error().message, "cannot open /no/such/file: No such file or directory");
}

TEST(ReadFile, RefusesADirectory) {
  const TemporaryDirectory directory;
  ASSERT_FALSE(read_file(directory.path(), 10));
}

TEST(ReadFile, StopsAtItsLimitEvenWhereAFileHasNoEnd) {
  const auto read = read_file("/dev/zero", 3'000'000);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kInvalid);
  EXPECT_NE(read.error().message.find("/dev/zero"), std::string::npos);
}

TEST(ReadFile, NeverWaitsForAPipe) {
  const TemporaryDirectory directory;
  ASSERT_EQ(mkfifo((directory / "fifo").c_str(), 0600), 0);
  const auto read = read_file(directory / "fifo", 10);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("pipe"), std::string::npos) << read.error().message;
}

TEST(Json, IsReadWithBracketsInStringsAndLongLists) {
  std::string text = R"({"a": "\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "b": [)";
  for (int i = 0; i < 100; ++i) text += "[1], ";
  const auto json = parse_json(text + "[2]]}");
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ(value_of(*json, "b").size(), 101u);
}

TEST(Json, NamesTheLineThatIsWrong) {
  for (const std::string text : {"{\"a\": 1,\n}", "[1,\n2", "[\n\"caf\xE9\"]"}) {
    const auto json = parse_json(text);
    ASSERT_FALSE(json);
    EXPECT_EQ(json.error().code, ErrorCode::kInvalid);
    EXPECT_NE(json.error().message.find("not valid JSON"), std::string::npos) << json.error().message;
    EXPECT_NE(json.error().message.find("line 2"), std::string::npos) << json.error().message;
  }
  EXPECT_LT(parse_json("[\"" + std::string(1'000'000, 'x')).error().message.size(), 300u);
}

TEST(Json, IsRefusedWhenNestedTooDeeply) {
  for (const std::string open : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i) text += open;
    const auto json = parse_json(text);
    ASSERT_FALSE(json);
    EXPECT_NE(json.error().message.find("levels deep"), std::string::npos) << json.error().message;
  }
  EXPECT_TRUE(parse_json(std::string(32, '[') + std::string(32, ']')));
  EXPECT_FALSE(parse_json(std::string(33, '[') + std::string(33, ']')));
}

TEST(Json, IsCutInMessagesBetweenCharacters) {
  EXPECT_EQ(shown({1, "x"}), "[1,\"x\"]");
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "ä";
  for (const std::string shift : {"", "x"}) {
    const std::string text = shown(shift + umlauts);
    EXPECT_LE(text.size(), 60u);
    EXPECT_TRUE(text.ends_with("ä...")) << text;
  }
}

TEST(ReplaceFile, WritesANewFileAndLeavesNothingBeside) {
  const TemporaryDirectory directory;
  ASSERT_TRUE(replace_file(directory / "state", "one"));
  ASSERT_TRUE(replace_file(directory / "state", "two"));
  EXPECT_EQ(test::read(directory / "state"), "two");
  EXPECT_EQ(test::files_in(directory.path()), 1u);
}

TEST(ReplaceFile, KeepsThePermissionsOfTheFileItReplaces) {
  const TemporaryDirectory directory;
  test::write(directory / "state", "one");
  ASSERT_EQ(chmod((directory / "state").c_str(), 0600), 0);
  ASSERT_TRUE(replace_file(directory / "state", "two"));
  struct stat info {};
  ASSERT_EQ(stat((directory / "state").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(ReplaceFile, FollowsASymbolicLink) {
  const TemporaryDirectory directory;
  test::write(directory / "disk/state", "one");
  std::filesystem::create_symlink(directory / "disk/state", directory / "state");
  ASSERT_TRUE(replace_file(directory / "state", "two"));
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "state"));
  EXPECT_EQ(test::read(directory / "disk/state"), "two");
}

TEST(ReplaceFile, FollowsASymbolicLinkToAMissingFile) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "disk");
  std::filesystem::create_symlink("disk/state", directory / "state");
  std::filesystem::create_symlink(directory / "state", directory / "link");
  EXPECT_EQ(target_of(directory / "link"), target_of(directory / "disk/state"));
  ASSERT_TRUE(replace_file(directory / "link", "one"));
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "state"));
  EXPECT_EQ(test::read(directory / "disk/state"), "one");
}

TEST(TargetOf, IsTheSameBeforeAndAfterTheFileExists) {
  const TemporaryDirectory directory;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const std::string missing = target_of("state");
  ASSERT_TRUE(replace_file("state", "one"));
  EXPECT_EQ(target_of("state"), missing);
  EXPECT_EQ(target_of(directory / "state"), missing);
  std::filesystem::current_path(before);
}

TEST(ReplaceFile, LeavesNothingBehindWhenItFails) {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory / "state/full");  // a directory that is not empty cannot be replaced
  const Status written = replace_file(directory / "state", "two");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find(directory / "state"), std::string::npos) << written.error().message;
  EXPECT_EQ(test::files_in(directory.path()), 1u);
}

TEST(ReplaceFile, LeavesPipesAndDevicesInPlace) {
  const TemporaryDirectory directory;
  ASSERT_EQ(mkfifo((directory / "pipe").c_str(), 0600), 0);
  for (const Status& refused : {replace_file(directory / "pipe", "x"), check_replaceable(directory / "pipe")}) {
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("a pipe"), std::string::npos) << refused.error().message;
  }
  EXPECT_TRUE(std::filesystem::is_fifo(directory / "pipe"));
  EXPECT_EQ(test::files_in(directory.path()), 1u);
}

TEST(ReplaceFile, NamesADirectoryThatIsMissing) {
  const Status written = replace_file("/no/such/directory/file", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kNotFound);
}

TEST(ReplaceFile, IsCheckedWithoutLeavingFiles) {
  const test::TemporaryDirectory directory;
  EXPECT_TRUE(check_replaceable(directory / "file"));
  EXPECT_EQ(test::files_in(directory.path()), 0u);
  const Status missing = check_replaceable(directory / "none/file");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("none/file"), std::string::npos);
}

TEST(ReplaceFile, NeverShowsAReaderHalfAFile) {
  const TemporaryDirectory directory;
  const std::string path = directory / "state";
  const std::string a(100'000, 'a'), b(200'000, 'b');
  ASSERT_TRUE(replace_file(path, a));
  std::vector<std::thread> writers;
  for (const std::string* bytes : {&a, &b})
    writers.emplace_back([&path, bytes] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(replace_file(path, *bytes));
    });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = test::read(path);
    EXPECT_TRUE(seen == a || seen == b) << seen.size();
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(test::files_in(directory.path()), 1u);
}

TEST(Leftovers, AreRemovedWhenOldAndNotInUse) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "state";
  auto running = Replacement::begin(path);  // of this process
  ASSERT_TRUE(running);
  test::write(path + ".7.1.tmp", "of a killed process");
  test::write(path + ".7.2.tmp", "of one that has just begun");
  for (const char* other : {".7.tmp", ".a.1.tmp", ".7.1.txt", "x.7.1.tmp"}) test::write(path + other, "another file");
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    if (entry.path() != path + ".7.2.tmp")
      std::filesystem::last_write_time(entry, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  }
  remove_leftovers(path);
  EXPECT_FALSE(std::filesystem::exists(path + ".7.1.tmp"));
  EXPECT_TRUE(std::filesystem::exists(path + ".7.2.tmp"));
  for (const char* other : {".7.tmp", ".a.1.tmp", ".7.1.txt", "x.7.1.tmp"})
    EXPECT_TRUE(std::filesystem::exists(path + other)) << other;
  EXPECT_TRUE(running->commit());
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(Crc32, MatchesTheStandardExample) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(crc32(""), 0u);
}

TEST(Sha256, MatchesTheStandardExamples) {
  EXPECT_EQ(*sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(*sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, HashesAFileOfManyPiecesAsOneText) {
  const TemporaryDirectory directory;
  const std::string bytes(333'333, 'x');
  test::write(directory / "big", bytes);
  const auto of_file = sha256_of_file(directory / "big");
  ASSERT_TRUE(of_file) << of_file.error().message;
  EXPECT_EQ(*of_file, *sha256(bytes));
  EXPECT_FALSE(sha256_of_file(directory / "none"));
}

TEST(Utf8, AcceptsEveryLengthOfCodePoint) {
  for (const char* text : {"", "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x9A\x97", "\xF4\x8F\xBF\xBF", "\xED\x9F\xBF"})
    EXPECT_EQ(utf8::valid_prefix(text), std::string_view(text).size()) << text;
  EXPECT_EQ(utf8::first("\xF0\x9F\x9A\x97")->value, U'\U0001F697');
}

TEST(Utf8, RefusesWhatRfc3629Refuses) {
  const std::vector<std::string> bad = {
      "\x80",              // a continuation with nothing to continue
      "\xC3",              // truncated
      "\xE2\x82",          // truncated
      "\xC3(",             // not continued
      "\xC0\x80",          // overlong, two bytes
      "\xE0\x80\x80",      // overlong, three
      "\xF0\x80\x80\x80",  // overlong, four
      "\xED\xA0\x80",      // a surrogate
      "\xF4\x90\x80\x80",  // past U+10FFFF
      "\xFF",
  };
  for (const std::string& text : bad) EXPECT_EQ(utf8::valid_prefix("ok" + text), 2u);
}

TEST(Utf8, CountsControlCharactersAndUnicodeSpacesAsWhiteSpace) {
  for (const char32_t space :
       {U' ', U'\t', U'\r', U'\0', U'\x7F', U'\u0085', U'\u00A0', U'\u2003', U'\u3000', U'\uFEFF'})
    EXPECT_TRUE(utf8::is_space(space)) << static_cast<unsigned>(space);
  for (const char32_t visible : {U'a', U'-', U'\u00E9', U'\u8ECA'})
    EXPECT_FALSE(utf8::is_space(visible)) << static_cast<unsigned>(visible);
}

std::vector<std::string> heard;  // NOLINT: a log sink is a plain function

TEST(Log, GoesToTheSinkAndNowhereWithoutOne) {
  heard.clear();
  log(LogLevel::kError, "lost");
  set_log_sink([](LogLevel level, std::string_view message) {
    heard.push_back(std::to_string(static_cast<int>(level)) + " " + std::string(message));
  });
  log(LogLevel::kWarning, "kept");
  set_log_sink(nullptr);
  log(LogLevel::kError, "lost");
  EXPECT_EQ(heard, std::vector<std::string>{"2 kept"});
}

TEST(NumberText, FollowsTheFormat) {
  EXPECT_EQ(number_text("%.2f", 0.125), "0.12");
  EXPECT_EQ(number_text("%+.1f %%", 3), "+3.0 %");
}

TEST(NumberText, CutsAnOverlongNumberShort) {
  EXPECT_EQ(number_text("%.0f", 1e300).size(), 63U);
}

TEST(NumberText, CountsWithAnSForAllButOne) {
  EXPECT_EQ(counted(0, "picture"), "0 pictures");
  EXPECT_EQ(counted(1, "picture"), "1 picture");
  EXPECT_EQ(counted(2, "picture"), "2 pictures");
}

TEST(Spelling, LowersAsciiLettersAlone) {
  EXPECT_EQ(lower("RTSP://Ärger 9"), "rtsp://Ärger 9");
}

TEST(Spelling, CountsTheLettersThatDiffer) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("person", "persn"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "cat"), 3u);
}

}  // namespace
}  // namespace bcp
