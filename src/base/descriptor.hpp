// SPDX-License-Identifier: LGPL-2.1-or-later
// An open file, closed with its owner. Reads and writes are complete or fail.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/result.hpp"

namespace bcp {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // A full network disk may report its error only here.
  bool close();

  // `size` bytes from `offset` on. False: errno is set, or 0 if the file ends before.
  bool read_at(void* bytes, std::size_t size, std::uint64_t offset) const;
  // False with errno set.
  bool write_at(const void* bytes, std::size_t size, std::uint64_t offset) const;

 private:
  int fd_;
};

// The system's reason why `what` failed on the file.
Error system_error(const std::string& what, const std::string& path, int number);

}  // namespace bcp
