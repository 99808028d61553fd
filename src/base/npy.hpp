// SPDX-License-Identifier: LGPL-2.1-or-later
//
// NumPy's file format: arrays of numbers, read and written row by row, so that a file may exceed the memory.
//
// Supports float16/32/64, integers of 1 to 8 bytes and bool, in either byte order, in C or Fortran order, format
// versions 1 to 3; all numbers are converted to double (exact up to 2^53). Files are untrusted: the header may be up to
// 64 KiB, and the product of the dimensions must match the file size and not be zero. Errors name the file and what to
// do.
//
// Thread safety: none; a reader or writer belongs to one thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace bcp {

class NpyReader {
 public:
  static Result<NpyReader> open(const std::string& path);
  NpyReader(NpyReader&&) noexcept;
  NpyReader& operator=(NpyReader&&) noexcept;
  ~NpyReader();

  const std::string& path() const;
  const std::vector<std::size_t>& shape() const;
  const std::string& type() const;  // NumPy's name: "float32"
  std::size_t rows() const;         // the first dimension; 1 for a single number
  std::size_t width() const;        // numbers in a row

  // Row i as doubles. Rows read in order come from one buffer, other rows cost a read each; memory does not grow with
  // the file. Fails if the file was truncated since. REQUIRES: i < rows(), out.size() == width().
  Status row(std::size_t i, std::span<double> out);

 private:
  struct Impl;
  explicit NpyReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

enum class NpyType { kFloat32, kFloat64, kInt32 };

// Writes to a temporary file, which replaces `path` in finish(); without finish() `path` stays unchanged.
class NpyWriter {
 public:
  static Result<NpyWriter> create(const std::string& path, NpyType type, const std::vector<std::size_t>& shape);
  NpyWriter(NpyWriter&&) noexcept;
  NpyWriter& operator=(NpyWriter&&) noexcept;
  ~NpyWriter();

  // Row i, in any order; rows never written are zeros. REQUIRES: as NpyReader::row().
  Status row(std::size_t i, std::span<const double> values);
  // Call once, last.
  Status finish();

 private:
  struct Impl;
  explicit NpyWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Writes a whole float32 array. REQUIRES: the shape's product is values.size().
Status write_npy(const std::string& path, std::span<const float> values, const std::vector<std::size_t>& shape);

}  // namespace bcp
