// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onnx/provider_library.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/mapped_file.hpp"
#include "base/sha256.hpp"
#include "base/user_cache.hpp"

namespace bcp::onnx {
namespace {

constexpr off_t kMostCrashes = 2;

template <typename T>
bool read_at(std::string_view bytes, std::uint64_t offset, T& into) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof into) return false;
  std::memcpy(&into, bytes.data() + offset, sizeof into);
  return true;
}

// Whether every segment is within the file. The loader does not check this, and a page past the end is SIGBUS.
bool is_whole(std::string_view bytes) {
  Elf64_Ehdr header{};
  if (!read_at(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return true;  // the loader checks this
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_at(bytes, header.e_phoff + i * sizeof segment, segment)) return false;
    if (segment.p_offset > bytes.size() || segment.p_filesz > bytes.size() - segment.p_offset) return false;
  }
  return true;
}

std::string record_of(const std::string& library) {
  struct stat info {};
  if (::stat(library.c_str(), &info) != 0) return {};
  const Result<std::string> name =
      sha256(library + "\n" + std::to_string(info.st_size) + "\n" + std::to_string(info.st_mtim.tv_sec) + "." +
             std::to_string(info.st_mtim.tv_nsec));
  return name ? user_cache("loading/" + *name) : std::string();
}

}  // namespace

Status check_provider_library(const std::string& path, const std::string& version) {
  const Result<MappedFile> file = MappedFile::open(path, std::numeric_limits<std::size_t>::max());
  if (!file) return Error{ErrorCode::kNotFound, file.error().message};
  if (!is_whole(file->bytes()))
    return Error{ErrorCode::kInvalid, path + " is not a complete library: it is damaged or truncated"};
  // With zero bytes around it: "1.24.1" must not be found in "11.24.10".
  const std::string text = std::string(1, '\0') + version + std::string(1, '\0');
  if (file->bytes().find(text) == std::string_view::npos)
    return Error{ErrorCode::kInvalid,
                 path + " was built for another version of ONNX Runtime than the " + version + " in use"};
  return ok();
}

LoadCount::LoadCount(const std::string& library) : library_(library), path_(record_of(library)) {}

// The file has one byte per load in progress. Loaders share the lock; a process that gets the exclusive lock knows that
// the other counted loads have ended without removing their byte.
Status LoadCount::begin() {
  if (path_.empty()) return ok();
  Descriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return ok();
  struct stat info {};
  const bool alone = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
  if (alone && ::fstat(file.get(), &info) == 0 && info.st_size >= kMostCrashes)
    return Error{ErrorCode::kRuntime, library_ + " crashed the process the last " + std::to_string(info.st_size) +
                                          " times it was loaded, and is not loaded again (remove " + path_ +
                                          " to try again)"};
  if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0) return ok();
  if (::fstat(file.get(), &info) == 0) (void)file.write_at("x", 1, static_cast<std::uint64_t>(info.st_size));
  file_ = std::move(file);
  return ok();
}

// The load succeeded, so none of the bytes means a crash of this file.
LoadCount::~LoadCount() {
  if (file_.is_open()) (void)!::ftruncate(file_.get(), 0);
}

}  // namespace bcp::onnx
