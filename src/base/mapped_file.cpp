// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace bcp {
namespace {

Error failed(const std::string& path, int number) {
  const ErrorCode code = number == ENOENT || number == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kRuntime;
  return Error{code, "cannot open " + path + ": " + std::generic_category().message(number)};
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path, std::size_t limit) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // opening a FIFO must not block
  if (fd < 0) return failed(path, errno);
  struct stat info {};
  void* address = nullptr;
  int reason = 0;
  const bool is_file = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  const auto size = static_cast<std::size_t>(is_file ? info.st_size : 0);
  if (size > 0 && size <= limit) {
    address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED) reason = errno;
  }
  ::close(fd);
  if (!is_file) return Error{ErrorCode::kInvalid, path + " is not a file: check the path"};
  if (size > limit)
    return Error{ErrorCode::kInvalid, path + " is longer than the " + std::to_string(limit) +
                                          " bytes allowed for this kind of file: check the path"};
  if (reason != 0) return failed(path, reason);
  MappedFile file;
  if (size > 0) file.bytes_ = {static_cast<const char*>(address), size};
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace bcp
