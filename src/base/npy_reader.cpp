// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <concepts>
#include <optional>
#include <utility>

#include "base/descriptor.hpp"
#include "base/half.hpp"
#include "base/npy.hpp"
#include "base/npy_header.hpp"

namespace bcp {
namespace {

static_assert(std::endian::native == std::endian::little, "'<' is the byte order of this machine");

constexpr std::size_t kReadBuffer = std::size_t{1} << 18;

template <typename Bits>
Bits load(const char* bytes, bool swap) {
  std::array<char, sizeof(Bits)> copy;
  std::copy_n(bytes, sizeof(Bits), copy.begin());
  if (swap) std::reverse(copy.begin(), copy.end());
  return std::bit_cast<Bits>(copy);
}

struct Half {};

// `count` numbers that are `step` bytes apart.
template <typename Number>
void widen(const char* bytes, std::size_t step, std::size_t count, bool swap, double* out) {
  for (std::size_t i = 0; i < count; ++i, bytes += step) {
    if constexpr (std::same_as<Number, Half>) {
      out[i] = static_cast<double>(from_half(load<std::uint16_t>(bytes, swap)));
    } else if constexpr (std::same_as<Number, bool>) {
      out[i] = *bytes != 0;
    } else {
      out[i] = static_cast<double>(load<Number>(bytes, swap));
    }
  }
}

using Widen = decltype(&widen<double>);

Widen widener(const npy::Header& header) {
  switch (header.kind) {
    case 'f':
      return header.size == 2 ? widen<Half> : header.size == 4 ? widen<float> : widen<double>;
    case 'i':
      return header.size == 1   ? widen<std::int8_t>
             : header.size == 2 ? widen<std::int16_t>
             : header.size == 4 ? widen<std::int32_t>
                                : widen<std::int64_t>;
    case 'u':
      return header.size == 1   ? widen<std::uint8_t>
             : header.size == 2 ? widen<std::uint16_t>
             : header.size == 4 ? widen<std::uint32_t>
                                : widen<std::uint64_t>;
    default:
      return widen<bool>;
  }
}

// The position of each number of a row (C order) in Fortran order, counted in columns of one number per row.
std::vector<std::size_t> fortran_columns(const std::vector<std::size_t>& shape, std::size_t width) {
  std::vector<std::size_t> columns(width), index(shape.size(), 0);
  for (std::size_t c = 0; c < width; ++c) {
    std::size_t stride = 1;
    for (std::size_t axis = 1; axis < shape.size(); stride *= shape[axis++]) columns[c] += index[axis] * stride;
    for (std::size_t axis = shape.size(); axis-- > 1 && ++index[axis] == shape[axis];) index[axis] = 0;
  }
  return columns;
}

Status check_is_file(const std::string& path, mode_t mode) {
  if (S_ISREG(mode)) return ok();
  if (S_ISDIR(mode)) return Error{ErrorCode::kInvalid, path + " is a directory: name a .npy file"};
  return Error{ErrorCode::kInvalid,
               path + " is a pipe, a device or a socket: save its data to a .npy file and name that file"};
}

}  // namespace

struct NpyReader::Impl {
  std::string path, type;
  Descriptor file{-1};
  npy::Header header;
  std::uint64_t offset = 0;  // of the first number
  std::size_t rows = 1, width = 1;
  Widen widen = nullptr;
  std::vector<std::size_t> columns;  // Fortran order: of the numbers of a row; empty if in C order

  std::vector<char> buffer;  // rows `first` to `first + held`, in the order of the file
  std::size_t first = 0, held = 0, expected = 0;

  Status fill(std::size_t row);
  bool fill_columns();
};

Status NpyReader::Impl::fill(std::size_t row) {
  const std::size_t row_bytes = width * header.size;
  // After a jump to another row the order may be shuffled: reading ahead would be wasted.
  const std::size_t ahead = row == expected ? std::max<std::size_t>(kReadBuffer / row_bytes, 1) : 1;
  first = row;
  held = std::min(ahead, rows - row);
  buffer.resize(held * row_bytes);
  const bool read = header.fortran_order && width > 1
                        ? fill_columns()
                        : file.read_at(buffer.data(), buffer.size(), offset + std::uint64_t{row} * row_bytes);
  if (read) return ok();
  held = 0;
  if (errno != 0) return system_error("cannot read", path, errno);
  return Error{ErrorCode::kRuntime, path + " was truncated while it was read: do not change it during a run"};
}

// Each column of the rows is contiguous.
bool NpyReader::Impl::fill_columns() {
  const std::size_t piece = held * header.size;
  for (std::size_t c = 0; c < width; ++c) {
    const std::uint64_t at = offset + (std::uint64_t{c} * rows + first) * header.size;
    if (!file.read_at(buffer.data() + c * piece, piece, at)) return false;
  }
  return true;
}

NpyReader::NpyReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
NpyReader::NpyReader(NpyReader&&) noexcept = default;
NpyReader& NpyReader::operator=(NpyReader&&) noexcept = default;
NpyReader::~NpyReader() = default;

Result<NpyReader> NpyReader::open(const std::string& path) {
  auto impl = std::make_unique<Impl>();
  const auto refuse = [&](const Error& error) { return Error{error.code, path + " " + error.message}; };
  impl->path = path;
  // O_NONBLOCK: opening a pipe would wait for a writer.
  impl->file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!impl->file.is_open() || ::fstat(impl->file.get(), &info) != 0) return system_error("cannot open", path, errno);
  if (const Status file = check_is_file(path, info.st_mode); !file) return file.error();
  const auto size = static_cast<std::size_t>(info.st_size);

  std::string bytes(std::min(size, npy::kMostPreamble), '\0');
  if (!impl->file.read_at(bytes.data(), bytes.size(), 0)) return system_error("cannot read", path, errno);
  const Result<npy::Preamble> preamble = npy::parse_preamble(bytes);
  if (!preamble) return refuse(preamble.error());
  if (preamble->length > size - preamble->offset)
    return refuse({ErrorCode::kInvalid, "ends inside its header: copy it again, or save it again with numpy.save()"});
  bytes.resize(preamble->length);
  if (!impl->file.read_at(bytes.data(), bytes.size(), preamble->offset))
    return system_error("cannot read", path, errno);
  Result<npy::Header> header = npy::parse_description(bytes);
  if (!header) return refuse(header.error());
  impl->header = std::move(*header);
  impl->offset = preamble->offset + preamble->length;

  const std::vector<std::size_t>& shape = impl->header.shape;
  const std::string shown = npy::shape_text(shape);
  const std::optional<std::size_t> count = npy::product(shape);
  std::size_t promised = 0;
  if (!count || __builtin_mul_overflow(*count, impl->header.size, &promised))
    return refuse(
        {ErrorCode::kInvalid, "claims the shape " + shown +
                                  ", which is too large for a file: its header is damaged; save it again with "
                                  "numpy.save()"});
  const std::size_t there = size - impl->offset;
  const std::string amounts = "has the shape " + shown + ", that is " + std::to_string(promised) +
                              " bytes of numbers, but contains " + std::to_string(there) + ": ";
  if (there < promised)
    return refuse(
        {ErrorCode::kInvalid, amounts + "it is incomplete; copy it again, or save it again with numpy.save()"});
  if (there > promised)
    return refuse({ErrorCode::kInvalid, amounts + "it has extra data at its end; save it again with numpy.save()"});
  if (*count == 0)
    return refuse({ErrorCode::kInvalid, "is empty: its shape is " + shown + "; check the program that saved it"});

  impl->rows = shape.empty() ? 1 : shape[0];
  impl->width = *count / impl->rows;
  impl->type = npy::type_name(impl->header);
  impl->widen = widener(impl->header);
  if (impl->header.fortran_order && shape.size() > 2) impl->columns = fortran_columns(shape, impl->width);
  return NpyReader(std::move(impl));
}

const std::string& NpyReader::path() const {
  return impl_->path;
}
const std::vector<std::size_t>& NpyReader::shape() const {
  return impl_->header.shape;
}
const std::string& NpyReader::type() const {
  return impl_->type;
}
std::size_t NpyReader::rows() const {
  return impl_->rows;
}
std::size_t NpyReader::width() const {
  return impl_->width;
}

Status NpyReader::row(std::size_t i, std::span<double> out) {
  Impl& npy = *impl_;
  if (i < npy.first || i >= npy.first + npy.held) {
    if (const Status filled = npy.fill(i); !filled) return filled;
  }
  npy.expected = i + 1;
  const std::size_t size = npy.header.size;
  const bool swap = npy.header.order == '>' && size > 1, by_columns = npy.header.fortran_order && npy.width > 1;
  const std::size_t within = i - npy.first;
  if (!by_columns) {
    npy.widen(npy.buffer.data() + within * npy.width * size, size, npy.width, swap, out.data());
  } else if (npy.columns.empty()) {
    npy.widen(npy.buffer.data() + within * size, npy.held * size, npy.width, swap, out.data());
  } else {
    for (std::size_t c = 0; c < npy.width; ++c)
      npy.widen(npy.buffer.data() + (npy.columns[c] * npy.held + within) * size, size, 1, swap, &out[c]);
  }
  return ok();
}

}  // namespace bcp
