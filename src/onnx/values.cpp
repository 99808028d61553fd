// SPDX-License-Identifier: LGPL-2.1-or-later
#include <array>
#include <cstring>

#include "base/half.hpp"
#include "onnx/wire.hpp"

namespace bcp::onnx::proto {
namespace {

template <typename T>
std::vector<T> copy_numbers(std::string_view from) {
  std::vector<T> numbers(from.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), from.data(), numbers.size() * sizeof(T));
  return numbers;
}

// The number of elements of a tensor; 0 if it is above `most`.
std::size_t small_count(const Tensor& tensor, std::size_t most) {
  std::size_t count = 1;
  for (const std::int64_t side : tensor.dims) {
    if (side <= 0 || static_cast<std::uint64_t>(side) > most) return 0;
    count *= static_cast<std::size_t>(side);
    if (count > most) return 0;
  }
  return count;
}

}  // namespace

std::string type_name(std::int32_t type) {
  switch (type) {
    case kFloat:
      return "float";
    case 2:
      return "uint8";
    case 3:
      return "int8";
    case kInt32:
      return "int32";
    case kInt64:
      return "int64";
    case kFloat16:
      return "float16";
    case kDouble:
      return "double";
    case 16:
      return "bfloat16";
    default:
      return "type " + std::to_string(type);
  }
}

unsigned type_bits(std::int32_t type) {
  // By TensorProto.DataType: undefined, float, uint8, int8, uint16, int16, int32, int64, string, bool, float16, double,
  // uint32, uint64, complex64, complex128, bfloat16, four kinds of float8, uint4, int4, float4, float8, uint2, int2.
  constexpr std::array<unsigned, 27> kBits = {0,  32,  8,  8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64,
                                              64, 128, 16, 8, 8,  8,  8,  4,  4, 4, 8,  2,  2};
  return type >= 0 && static_cast<std::size_t>(type) < kBits.size() ? kBits[static_cast<std::size_t>(type)] : 0;
}

std::optional<std::vector<std::int64_t>> integers_of(const Tensor& tensor, std::size_t most) {
  const std::size_t count = small_count(tensor, most);
  if (count == 0 || tensor.external || (tensor.type != kInt32 && tensor.type != kInt64)) return {};
  std::vector<std::int64_t> numbers;
  if (tensor.raw && tensor.raw->size() > count * sizeof(std::int64_t)) return {};
  if (tensor.raw && tensor.type == kInt64) {
    numbers = copy_numbers<std::int64_t>(*tensor.raw);
  } else if (tensor.raw) {
    for (const std::int32_t number : copy_numbers<std::int32_t>(*tensor.raw)) numbers.push_back(number);
  } else {
    for (pbf_reader reader(tensor.bytes); reader.next();) {
      const std::uint32_t field = tensor.type == kInt64 ? 7 : 5;
      if (reader.tag_and_type() == varint(field) || reader.tag_and_type() == block(field))
        add_numbers(reader, numbers, count);
      else
        reader.skip();
    }
  }
  if (numbers.size() != count) return {};
  return numbers;
}

std::optional<std::vector<double>> floats_of(const Tensor& tensor, std::size_t most) {
  const std::size_t count = small_count(tensor, most);
  if (count == 0 || tensor.external) return {};
  std::string_view from = tensor.raw.value_or(std::string_view());
  std::vector<double> numbers;
  if (!tensor.raw) {
    const std::uint32_t field = tensor.type == kFloat ? 4 : tensor.type == kDouble ? 10 : 5;
    for (pbf_reader reader(tensor.bytes); reader.next();) {
      if (reader.tag_and_type() == block(field) && tensor.type != kFloat16) {
        from = reader.get_view();
      } else if (reader.tag_and_type() == block(field)) {
        std::vector<std::int64_t> halves;
        add_numbers(reader, halves, count);
        for (const std::int64_t half : halves) numbers.push_back(from_half(static_cast<std::uint16_t>(half)));
      } else if (reader.tag_and_type() == fixed32(field)) {
        numbers.push_back(reader.get_float());
      } else if (reader.tag_and_type() == fixed64(field)) {
        numbers.push_back(reader.get_double());
      } else {
        reader.skip();
      }
      if (numbers.size() > count) return {};
    }
  }
  if (from.size() > count * sizeof(double)) return {};
  if (tensor.type == kFloat) {
    for (const float number : copy_numbers<float>(from)) numbers.push_back(number);
  } else if (tensor.type == kDouble) {
    for (const double number : copy_numbers<double>(from)) numbers.push_back(number);
  } else if (tensor.type == kFloat16) {
    for (const std::uint16_t half : copy_numbers<std::uint16_t>(from)) numbers.push_back(from_half(half));
  }
  if (numbers.size() != count) return {};
  return numbers;
}

}  // namespace bcp::onnx::proto
