// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/sections.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"

namespace bcp::prior {
namespace {

using adapt::LabelRow;
using adapt::SampleGroup;
using Parts = adapt::Cooccurrence::Parts;

constexpr std::string_view kGroups = "GRPS", kRows = "ROWS", kOrigins = "ORIG", kScenes = "SCEN", kShare = "SHAR";
constexpr std::size_t kMostName = 4096;
// Of sums of floats, and of the smallest floats.
constexpr double kRounding = 1e-3, kSmallest = 1e-30;
constexpr std::size_t kGroupBytes = 16, kStrongBytes = 8;

std::string encode_groups(const std::vector<SampleGroup>& groups) {
  std::size_t size = sizeof(std::uint32_t);
  for (const SampleGroup& group : groups)
    size += kGroupBytes + kStrongBytes * group.strong.size() + sizeof(float) * group.faint.size();
  Writer writer(size);
  writer.number(static_cast<std::uint32_t>(groups.size()));
  for (const SampleGroup& group : groups) {
    writer.number(group.samples);
    writer.number(group.era);
    writer.number(static_cast<std::uint32_t>(group.strong.size()));
    for (const auto& [label, mass] : group.strong) {
      writer.number(label);
      writer.number(mass);
    }
    for (const float mass : group.faint) writer.number(mass);
  }
  return std::move(writer).take();
}

std::string encode_rows(const std::vector<LabelRow>& rows) {
  std::size_t size = sizeof(std::uint32_t);
  for (const LabelRow& row : rows) size += sizeof(row.label) + sizeof(float) * row.values.size();
  Writer writer(size);
  writer.number(static_cast<std::uint32_t>(rows.size()));
  for (const LabelRow& row : rows) {
    writer.number(row.label);
    for (const float value : row.values) writer.number(value);
  }
  return std::move(writer).take();
}

std::string encode_origins(const std::vector<Origin>& origins) {
  Writer writer;
  writer.number(static_cast<std::uint32_t>(origins.size()));
  for (const Origin& origin : origins) {
    writer.name(origin.stream);
    writer.name(origin.model);
    writer.number(origin.id);
    writer.number(origin.first);
    writer.number(origin.last);
    writer.number(origin.samples);
  }
  return std::move(writer).take();
}

bool is_mass(float mass, double samples) {
  return mass >= 0 && double{mass} <= samples * (1 + 1e-5);  // NaN fails both
}

// The masses of a group exclude each other, as probabilities do.
bool is_sound(const SampleGroup& group) {
  double sum = 0;
  for (const float mass : group.faint) {
    if (!is_mass(mass, group.samples)) return false;
    sum += double{mass};
  }
  for (std::size_t i = 0; i < group.strong.size(); ++i) {
    if (!is_mass(group.strong[i].mass, group.samples)) return false;
    if (i > 0 && group.strong[i - 1].label >= group.strong[i].label) return false;
    sum += double{group.strong[i].mass};
  }
  return sum <= group.samples * (1 + 1e-4) && (group.strong.empty() || group.strong.back().label < group.faint.size());
}

Result<std::vector<SampleGroup>> decode_groups(Reader reader, const Parts& seen) {
  const Error damaged = invalid("its groups of samples do not match its length");
  const std::size_t labels = seen.came.size();
  const auto count = reader.number<std::uint32_t>();
  if (!count || *count > reader.left() / (kGroupBytes + sizeof(float) * labels)) return damaged;
  std::vector<SampleGroup> groups(*count);
  for (SampleGroup& group : groups) {
    const auto samples = reader.number<double>();
    const auto era = reader.number<std::uint32_t>(), strong = reader.number<std::uint32_t>();
    if (!samples || !era || !strong || *strong > labels ||
        reader.left() < kStrongBytes * *strong + sizeof(float) * labels)
      return damaged;
    if (!(*samples > 0) || !is_count(*samples) || *era >= seen.eras.size())
      return invalid("a group of samples has an invalid count");
    group.samples = *samples;
    group.era = *era;
    group.strong.resize(*strong);
    for (auto& [label, mass] : group.strong) {
      label = *reader.number<std::uint32_t>();
      mass = *reader.number<float>();
    }
    group.faint.resize(labels);
    for (float& mass : group.faint) mass = *reader.number<float>();
    if (!is_sound(group)) return invalid("a group of samples has an invalid label count");
  }
  if (reader.left() > 0) return damaged;
  return groups;
}

Result<std::vector<LabelRow>> decode_rows(Reader reader, const Parts& seen) {
  const Error damaged = invalid("its rows of labels do not match its length");
  const std::size_t labels = seen.came.size(), row_bytes = sizeof(LabelRow::label) + sizeof(float) * labels;
  const auto count = reader.number<std::uint32_t>();
  if (!count || *count > labels || *count > reader.left() / row_bytes || reader.left() != *count * row_bytes)
    return damaged;
  std::vector<LabelRow> rows(*count);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    LabelRow& row = rows[r];
    row.label = *reader.number<std::uint32_t>();
    if (row.label >= labels || (r > 0 && rows[r - 1].label >= row.label)) return invalid("a row has an invalid label");
    // A pair occurs at most as often as each of its labels.
    const std::vector<double>& single = seen.eras[0].single;
    row.values.resize(labels);
    for (std::size_t k = 0; k < labels; ++k) {
      row.values[k] = *reader.number<float>();
      const double most = std::min(single[row.label], single[k]);
      if (!(row.values[k] >= 0 && double{row.values[k]} <= most * (1 + kRounding) + kSmallest))
        return invalid("a row has an invalid label count");
    }
  }
  return rows;
}

bool is_name(std::string_view name) {
  return name.size() <= kMostName && utf8::valid_prefix(name) == name.size();
}

Result<std::vector<Origin>> decode_origins(Reader reader) {
  const Error damaged = invalid("the list of its streams does not match its length");
  const auto count = reader.number<std::uint32_t>();
  if (!count || *count > kMostOrigins) return damaged;
  std::vector<Origin> origins;
  for (std::uint32_t i = 0; i < *count; ++i) {
    const auto stream = reader.name(), model = stream ? reader.name() : std::nullopt;
    const auto id = reader.number<std::uint64_t>();
    const auto first = reader.number<std::uint64_t>(), last = reader.number<std::uint64_t>();
    const auto samples = reader.number<double>();
    if (!model || !samples) return damaged;
    if (!is_name(*stream) || !is_name(*model) || !is_count(*samples))
      return invalid("the description of a stream is not valid");
    origins.push_back({std::string(*stream), std::string(*model), *id, *first, *last, *samples});
  }
  if (reader.left() > 0) return damaged;
  return origins;
}

}  // namespace

bool are_groups_implied(const Parts& seen) {
  // The sums of an era are one group.
  std::vector<bool> known(seen.eras.size(), false);
  for (const SampleGroup& group : seen.groups) {
    if (known[group.era]) return false;
    known[group.era] = true;
  }
  return true;
}

std::string encode_sections(const Parts& seen, const std::vector<Origin>& origins, const SceneSections& scenes) {
  std::vector<std::pair<std::string_view, std::string>> sections;
  if (!are_groups_implied(seen) || !seen.rows.empty()) sections.emplace_back(kGroups, encode_groups(seen.groups));
  if (!seen.rows.empty()) sections.emplace_back(kRows, encode_rows(seen.rows));
  if (!origins.empty()) sections.emplace_back(kOrigins, encode_origins(origins));
  if (!scenes.scenes.empty()) sections.emplace_back(kScenes, scenes.scenes);
  if (!scenes.share.empty()) sections.emplace_back(kShare, scenes.share);
  if (sections.empty()) return {};
  Writer writer;
  writer.number(static_cast<std::uint32_t>(sections.size()));
  for (const auto& [tag, bytes] : sections) {
    writer.text(tag);
    writer.number<std::uint64_t>(bytes.size());
    writer.text(bytes);
  }
  return std::move(writer).take();
}

Status decode_sections(Reader& reader, Parts& seen, std::vector<Origin>& origins, SceneSections& scenes) {
  const auto count = reader.number<std::uint32_t>();
  for (std::uint32_t i = 0; count && i < *count; ++i) {
    const auto tag = reader.text(kGroups.size());
    const auto size = reader.number<std::uint64_t>();
    const auto bytes = tag && size ? reader.text(*size) : std::nullopt;
    if (!bytes) return invalid("it ends inside its sections");
    if (*tag == kGroups && !seen.dense) {
      auto groups = decode_groups(Reader(*bytes), seen);
      if (!groups) return groups.error();
      seen.groups = *std::move(groups);
    } else if (*tag == kRows && !seen.dense) {
      auto rows = decode_rows(Reader(*bytes), seen);
      if (!rows) return rows.error();
      seen.rows = *std::move(rows);
    } else if (*tag == kOrigins) {
      auto read = decode_origins(Reader(*bytes));
      if (!read) return read.error();
      origins = *std::move(read);
    } else if (*tag == kScenes) {
      scenes.scenes = *bytes;
    } else if (*tag == kShare) {
      scenes.share = *bytes;
    }
  }
  if (!count || reader.left() > 0) return invalid("its sections do not match its length");
  return ok();
}

}  // namespace bcp::prior
