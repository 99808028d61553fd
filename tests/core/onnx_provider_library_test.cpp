// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/provider_library.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "common/temporary.hpp"

namespace bcp::onnx {
namespace {

// The parts of a library that are checked: a header, one segment, and a version in it.
std::string library(const std::string& version) {
  const std::string content = std::string(1, '\0') + version + std::string(1, '\0') + std::string(100, 'x');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = content.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) +
         std::string(reinterpret_cast<const char*>(&segment), sizeof segment) + content;
}

class ProviderLibrary : public testing::Test {
 protected:
  std::string put(const std::string& bytes) {
    test::write(directory_ / "libprovider.so", bytes);
    return directory_.path() + "/libprovider.so";
  }
  test::TemporaryDirectory directory_;
  test::EnvironmentVariable cache_{"XDG_CACHE_HOME", directory_.path() + "/cache"};
};

TEST_F(ProviderLibrary, OfTheRuntimesVersionIsAccepted) {
  const Status checked = check_provider_library(put(library("1.24.1")), "1.24.1");
  EXPECT_TRUE(checked) << checked.error().message;
}

TEST_F(ProviderLibrary, OfAnotherVersionIsRefused) {
  for (const char* other : {"1.23.0", "11.24.1", "1.24.10"}) {
    const Status checked = check_provider_library(put(library(other)), "1.24.1");
    ASSERT_FALSE(checked) << other;
    EXPECT_NE(checked.error().message.find("another version of ONNX Runtime than the 1.24.1"), std::string::npos);
  }
}

TEST_F(ProviderLibrary, ThatIsMissingIsRefusedByItsPath) {
  const std::string path = directory_.path() + "/libnone.so";
  const Status checked = check_provider_library(path, "1.24.1");
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().message.find(path), std::string::npos) << checked.error().message;
}

TEST_F(ProviderLibrary, TruncatedAnywhereIsRefused) {
  const std::string whole = library("1.24.1");
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_FALSE(check_provider_library(put(whole.substr(0, size)), "1.24.1")) << size;
  EXPECT_FALSE(check_provider_library(put(""), "1.24.1"));
  EXPECT_FALSE(check_provider_library(put("no library, 1.24.1"), "1.24.1"));
}

// A child starts to load, and ends as in a crash.
void crash_while_loading(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    LoadCount count(path);
    (void)count.begin();
    _exit(1);  // no destructor
  }
  int status = 0;
  waitpid(child, &status, 0);
}

TEST_F(ProviderLibrary, ThatCrashedTwiceIsNotLoadedAgain) {
  const std::string path = put(library("1.24.1"));
  crash_while_loading(path);
  {
    LoadCount second(path);
    EXPECT_TRUE(second.begin()) << "one may have been stopped by its user";
  }
  crash_while_loading(path);
  crash_while_loading(path);
  LoadCount third(path);
  const Status begun = third.begin();
  ASSERT_FALSE(begun);
  for (const std::string& part : {path, std::string("crashed the process the last 2 times"), std::string("remove ")})
    EXPECT_NE(begun.error().message.find(part), std::string::npos) << begun.error().message;
}

TEST_F(ProviderLibrary, ThatWasInstalledAgainIsLoadedAgain) {
  const std::string path = put(library("1.24.1"));
  crash_while_loading(path);
  crash_while_loading(path);
  put(library("1.24.1") + "more");
  LoadCount count(path);
  EXPECT_TRUE(count.begin());
}

TEST_F(ProviderLibrary, MayBeLoadedByManyAtOnce) {
  const std::string path = put(library("1.24.1"));
  LoadCount first(path), second(path), third(path), fourth(path);
  for (LoadCount* each : {&first, &second, &third, &fourth}) EXPECT_TRUE(each->begin());
}

TEST_F(ProviderLibrary, IsLoadedWithoutACache) {
  const test::EnvironmentVariable no_cache("XDG_CACHE_HOME", "/proc/none");
  const std::string path = put(library("1.24.1"));
  for (int i = 0; i < 3; ++i) {
    LoadCount count(path);
    EXPECT_TRUE(count.begin());
  }
}

}  // namespace
}  // namespace bcp::onnx
