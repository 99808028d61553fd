// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/taught_bytes.hpp"

#include <cmath>
#include <map>

#include "base/utf8.hpp"

namespace bcp::prior {
namespace {

using decide::Taught;

constexpr std::size_t kMostText = 4096;  // bytes of a name
constexpr double kMostVariance = 1e6;

void write_counts(Writer& writer, const Taught::Counts& counts) {
  writer.number(static_cast<std::uint32_t>(counts.size()));
  for (const auto& [name, count] : counts) {
    writer.name(name);
    writer.number(count);
  }
}

// Reads a list of entries, each a name and a value from `read_value`. Names are sorted, so that none can occur twice.
template <typename Value, typename Read>
Result<std::map<std::string, Value>> read_entries(Reader& reader, const std::string& what, Read&& read_value) {
  const auto count = reader.number<std::uint32_t>();
  if (!count || *count > reader.left()) return invalid("its " + what + " do not match its length");
  std::map<std::string, Value> entries;
  for (std::uint32_t i = 0; i < *count; ++i) {
    const auto name = reader.name();
    if (!name) return invalid("it ends inside its " + what);
    if (name->empty() || name->size() > kMostText || utf8::valid_prefix(*name) != name->size())
      return invalid("a name in its " + what + " is not valid text");
    if (!entries.empty() && entries.rbegin()->first >= *name) return invalid("its " + what + " are out of order");
    Result<Value> value = read_value(std::string(*name));
    if (!value) return value.error();
    entries.emplace_hint(entries.end(), *name, *std::move(value));
  }
  return entries;
}

Result<double> read_count(Reader& reader, const std::string& name) {
  const auto value = reader.number<double>();
  if (!value || !is_count(*value)) return invalid("the count of " + name + " is not a number from 0 to 1e30");
  return *value;
}

bool is_mean(double value) {
  return std::abs(value) <= kMostNumber;
}

bool is_variance(double value) {
  return value >= 1 / kMostNumber && value <= kMostVariance;
}

Result<Taught::Offset> read_offset(Reader& reader, const std::string& name) {
  const auto mean = reader.number<double>(), variance = reader.number<double>(), initial = reader.number<double>();
  if (!mean || !variance || !initial || !is_mean(*mean) || !is_variance(*variance) || !is_variance(*initial))
    return invalid("the offset of " + name + " is not a valid number");
  return Taught::Offset{*mean, *variance, *initial};
}

}  // namespace

std::string encode_taught(const Taught& taught) {
  Writer writer;
  writer.number(taught.offset());
  writer.number(taught.variance());
  writer.number(taught.statements());
  writer.number(static_cast<std::uint32_t>(taught.offsets().size()));
  for (const auto& [name, offset] : taught.offsets()) {
    writer.name(name);
    writer.number(offset.mean);
    writer.number(offset.variance);
    writer.number(offset.initial);
  }
  write_counts(writer, taught.mass());
  writer.number(static_cast<std::uint32_t>(taught.together().size()));
  for (const auto& [name, row] : taught.together()) {
    writer.name(name);
    write_counts(writer, row);
  }
  return std::move(writer).take();
}

Result<Taught> decode_taught(Reader& reader) {
  const auto g = reader.number<double>(), variance = reader.number<double>();
  const auto statements = reader.number<std::uint64_t>();
  if (!g || !variance || !statements || !is_mean(*g) || !is_variance(*variance))
    return invalid("the offset of all labels is not a valid number");
  auto offsets = read_entries<Taught::Offset>(reader, "offsets",
                                              [&](const std::string& name) { return read_offset(reader, name); });
  if (!offsets) return offsets.error();
  const auto read_counts = [&](const std::string& what) {
    return read_entries<double>(reader, what, [&](const std::string& name) { return read_count(reader, name); });
  };
  auto mass = read_counts("anchors");
  if (!mass) return mass.error();
  auto together = read_entries<Taught::Counts>(
      reader, "pairs", [&](const std::string& name) { return read_counts("pairs with " + name); });
  if (!together) return together.error();
  return Taught({*g, *variance, *statements, *std::move(offsets), *std::move(together), *std::move(mass)});
}

}  // namespace bcp::prior
