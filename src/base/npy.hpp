// SPDX-License-Identifier: LGPL-2.1-or-later
//
// NumPy's file format: arrays of numbers, read and written row by row, so that a file may be larger than the memory.
//
// Read are float16/32/64, integers of 1 to 8 bytes and bool, of either byte order, in C or Fortran order, of format
// versions 1 to 3; everything is widened to double (exact up to 2^53). Nothing in a file is believed: the header may be
// up to 64 KiB, the sides must multiply to what the file holds to the byte, and to more than nothing. Errors name the
// file and what to do.
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
  const std::string& type() const;  // as NumPy names it: "float32"
  std::size_t rows() const;         // the first side; 1 for a single number
  std::size_t width() const;        // numbers in a row

  // Row i, widened. Rows read in turn come from one buffer, others cost a read each; memory does not grow with the
  // file. An error: the file was cut meanwhile. REQUIRES: i < rows(), out.size() == width().
  Status row(std::size_t i, std::span<double> out);

 private:
  struct Impl;
  explicit NpyReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

enum class NpyType { kFloat32, kFloat64, kInt32 };

// Writes beside the file and puts it in place whole when finish() is called; without that, whatever was at `path`
// stays.
class NpyWriter {
 public:
  static Result<NpyWriter> create(const std::string& path, NpyType type, const std::vector<std::size_t>& shape);
  NpyWriter(NpyWriter&&) noexcept;
  NpyWriter& operator=(NpyWriter&&) noexcept;
  ~NpyWriter();

  // Row i, in any order; a row that is never written is zeros. REQUIRES: as NpyReader::row().
  Status row(std::size_t i, std::span<const double> values);
  // To be called once, last.
  Status finish();

 private:
  struct Impl;
  explicit NpyWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// All of a float32 array that is at hand. REQUIRES: the shape's product is values.size().
Status write_npy(const std::string& path, std::span<const float> values, const std::vector<std::size_t>& shape);

}  // namespace bcp
