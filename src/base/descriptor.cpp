// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/descriptor.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace bcp {

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

bool Descriptor::close() {
  return ::close(std::exchange(fd_, -1)) == 0;
}

bool Descriptor::read_at(void* bytes, std::size_t size, std::uint64_t offset) const {
  auto* to = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::pread(fd_, to, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = 0;
    if (count <= 0) return false;
    to += count;
    size -= static_cast<std::size_t>(count);
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

bool Descriptor::write_at(const void* bytes, std::size_t size, std::uint64_t offset) const {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t count = ::pwrite(fd_, from, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    from += count;
    size -= static_cast<std::size_t>(count);
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

Error system_error(const std::string& what, const std::string& path, int number) {
  const ErrorCode code = number == ENOENT || number == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kRuntime;
  return Error{code, what + " " + path + ": " + std::generic_category().message(number)};
}

}  // namespace bcp
