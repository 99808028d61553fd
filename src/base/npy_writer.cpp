// SPDX-License-Identifier: LGPL-2.1-or-later
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "base/npy.hpp"
#include "base/npy_header.hpp"

namespace bcp {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written in the byte order of this machine");

constexpr std::size_t kWriteBuffer = std::size_t{1} << 18;

npy::Header header_of(NpyType type, const std::vector<std::size_t>& shape) {
  npy::Header header{.shape = shape};
  header.kind = type == NpyType::kInt32 ? 'i' : 'f';
  header.size = type == NpyType::kFloat64 ? 8 : 4;
  return header;
}

template <typename Number>
void append(std::span<const double> values, std::vector<char>& bytes) {
  const std::size_t at = bytes.size();
  bytes.resize(at + values.size() * sizeof(Number));
  char* to = bytes.data() + at;
  for (const double value : values) {
    const auto number = static_cast<Number>(value);
    std::memcpy(to, &number, sizeof number);
    to += sizeof number;
  }
}

}  // namespace

struct NpyWriter::Impl {
  Replacement file;
  NpyType type;
  std::uint64_t offset;  // of the first number
  std::size_t row_bytes;
  std::vector<char> waiting = {};  // consecutive rows from `first` on
  std::size_t first = 0, next = 0;

  Status flush() {
    const std::uint64_t at = offset + std::uint64_t{first} * row_bytes;
    if (!file.descriptor().write_at(waiting.data(), waiting.size(), at))
      return system_error("cannot write", file.path(), errno);
    waiting.clear();
    return ok();
  }
};

NpyWriter::NpyWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NpyWriter::NpyWriter(NpyWriter&&) noexcept = default;
NpyWriter& NpyWriter::operator=(NpyWriter&&) noexcept = default;
NpyWriter::~NpyWriter() = default;

Result<NpyWriter> NpyWriter::create(const std::string& path, NpyType type, const std::vector<std::size_t>& shape) {
  const npy::Header header = header_of(type, shape);
  const std::optional<std::size_t> count = npy::product(shape);
  std::size_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, header.size, &bytes))
    return Error{ErrorCode::kInvalid,
                 path + " cannot be written: the array is too large for a file, with shape " + npy::shape_text(shape)};
  Result<Replacement> file = Replacement::begin(path);
  if (!file) return file.error();
  const std::string front = npy::encode(header);
  // Sets the final length now: rows never written are zeros.
  if (!file->descriptor().write_at(front.data(), front.size(), 0) ||
      ::ftruncate(file->descriptor().get(), static_cast<off_t>(front.size() + bytes)) != 0)
    return system_error("cannot write", path, errno);
  const std::size_t rows = shape.empty() || shape[0] == 0 ? 1 : shape[0];
  return NpyWriter(std::unique_ptr<Impl>(new Impl{std::move(*file), type, front.size(), bytes / rows}));
}

Status NpyWriter::row(std::size_t i, std::span<const double> values) {
  Impl& npy = *impl_;
  if (i != npy.next || npy.waiting.size() >= kWriteBuffer) {
    if (Status flushed = npy.flush(); !flushed) return flushed;
  }
  if (npy.waiting.empty()) npy.first = i;
  npy.next = i + 1;
  switch (npy.type) {
    case NpyType::kFloat32:
      append<float>(values, npy.waiting);
      break;
    case NpyType::kFloat64:
      append<double>(values, npy.waiting);
      break;
    case NpyType::kInt32:
      append<std::int32_t>(values, npy.waiting);
      break;
  }
  return ok();
}

Status NpyWriter::finish() {
  if (Status flushed = impl_->flush(); !flushed) return flushed;
  return impl_->file.commit();
}

Status write_npy(const std::string& path, std::span<const float> values, const std::vector<std::size_t>& shape) {
  Result<NpyWriter> file = NpyWriter::create(path, NpyType::kFloat32, shape);
  if (!file) return file.error();
  const std::size_t rows = shape.empty() || shape[0] == 0 ? 1 : shape[0];
  std::vector<double> row(values.size() / rows);
  for (std::size_t i = 0; i < rows; ++i) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * row.size()), row.size(), row.begin());
    if (Status written = file->row(i, row); !written) return written;
  }
  return file->finish();
}

}  // namespace bcp
