// SPDX-License-Identifier: LGPL-2.1-or-later
// Common parts of the files that read ONNX's protobuf. Only they include it: protozero stays out of every other file.

#pragma once

#include <bit>
#include <string>
#include <string_view>
#include <vector>
#define PROTOZERO_USE_VIEW std::string_view
#include <protozero/pbf_reader.hpp>

#include "onnx/proto.hpp"

namespace bcp::onnx::proto {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

static_assert(std::endian::native == std::endian::little, "numbers are copied in the byte order of the file");

// The number of a field with its wire type. The same number with another wire type is skipped as another field, as in
// protobuf.
constexpr std::uint32_t varint(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::varint);
}
constexpr std::uint32_t fixed32(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed32);
}
constexpr std::uint32_t fixed64(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::fixed64);
}
constexpr std::uint32_t block(std::uint32_t field) {
  return protozero::tag_and_type(field, pbf_wire_type::length_delimited);
}

// Repeated numbers are packed or single.
inline void add_numbers(pbf_reader& reader, std::vector<std::int64_t>& numbers, std::size_t most) {
  const auto add = [&](std::int64_t number) {
    if (numbers.size() == most) throw Damaged("a list has more than " + std::to_string(most) + " numbers");
    numbers.push_back(number);
  };
  if (reader.wire_type() == pbf_wire_type::varint) return add(reader.get_int64());
  for (const std::int64_t number : reader.get_packed_int64()) add(number);
}

}  // namespace bcp::onnx::proto
