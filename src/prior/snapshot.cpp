// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/snapshot.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include "base/crc32.hpp"
#include "base/file.hpp"
#include "base/utf8.hpp"
#include "prior/bytes.hpp"
#include "prior/sections.hpp"
#include "prior/taught_bytes.hpp"

namespace bcp::prior {
namespace {

constexpr std::string_view kMagic = "BCPPRIOR";
constexpr std::size_t kHeaderBytes = 48, kPairBytes = 16, kChecksumBytes = 4;
constexpr std::size_t kVersionAt = 8, kLengthAt = 16;
constexpr std::uint32_t kSparse = 1, kSettled = 2;  // flags

constexpr std::size_t triangle_size(std::size_t labels) {
  return labels * (labels + 1) / 2;
}

Error damaged(const std::string& how) {
  return {ErrorCode::kInvalid, "is damaged: " + how};
}

// Checks that come before reading anything else.
Status check_frame(std::string_view bytes) {
  if (!bytes.starts_with(kMagic.substr(0, bytes.size())) || bytes.empty())
    return Error{ErrorCode::kInvalid, "is not a prior of gst-bcp: it does not begin with " + std::string(kMagic)};
  const Error cut = damaged("it is truncated, at " + std::to_string(bytes.size()) + " bytes");
  if (bytes.size() < kVersionAt + sizeof kSnapshotVersion) return cut;
  const auto version = number_at<std::uint32_t>(bytes, kVersionAt);
  if (version > kSnapshotVersion) {
    return Error{ErrorCode::kUnsupported, "was written by a newer gst-bcp: its format version is " +
                                              std::to_string(version) + ", but this one reads up to " +
                                              std::to_string(kSnapshotVersion)};
  }
  if (version == 0) return damaged("its version is 0");
  if (bytes.size() < kHeaderBytes + kChecksumBytes) return cut;
  const auto length = number_at<std::uint64_t>(bytes, kLengthAt);
  if (length != bytes.size()) {
    return damaged("it has " + std::to_string(bytes.size()) + " bytes, but its header claims " +
                   std::to_string(length));
  }
  const std::size_t end = bytes.size() - kChecksumBytes;
  if (crc32(bytes.substr(0, end)) != number_at<std::uint32_t>(bytes, end)) return damaged("its checksum is wrong");
  return ok();
}

Result<std::vector<std::string>> read_labels(Reader& reader, std::size_t count) {
  std::vector<std::string> labels;
  std::unordered_set<std::string_view> known;
  labels.reserve(count);  // `known` refers to it
  for (std::size_t i = 0; i < count; ++i) {
    const std::string which = "label number " + std::to_string(i);
    const auto length = reader.number<std::uint32_t>();
    if (length && *length > kMaxSnapshotText) return damaged(which + " is longer than a label may be");
    const auto name = length ? reader.text(*length) : std::nullopt;
    if (!name) return damaged("it ends inside its labels");
    if (name->empty() || utf8::valid_prefix(*name) != name->size()) return damaged(which + " is not valid text");
    if (!known.insert(labels.emplace_back(*name)).second) return damaged(which + " occurs twice");
  }
  return labels;
}

// Sums that should be ordered may differ by rounding.
bool at_most(double value, double bound) {
  return value <= bound * (1 + 1e-6) + 1e-9;
}

// m_i <= n, and the same for their sum. NaN fails each comparison.
Status check_era(const adapt::Cooccurrence::Era& era, bool dense) {
  const auto fits = [](double value, double bound) { return value >= 0 && at_most(value, bound); };
  if (!is_count(era.samples)) return damaged("its sample count is not a number from 0 to 1e30");
  const bool none = era.samples == 0;
  double sum = 0;
  for (std::size_t k = 0; k < era.single.size(); ++k) {
    if (!fits(era.single[k], era.samples) || (none && era.single[k] > 0))
      return damaged("label number " + std::to_string(k) + " has an invalid count");
    if (!dense && !fits(era.faint[k], era.single[k]))
      return damaged("the faint part of label number " + std::to_string(k) + " has an invalid count");
    sum += era.single[k];
  }
  if (!at_most(sum, era.samples)) return damaged("its label counts exceed its sample count");
  return ok();
}

// 0 <= U[i,j] <= min(m_i, m_j) in the era of the pair.
Status check_values(const adapt::Cooccurrence::Parts& seen) {
  for (std::size_t e = 0; e < seen.eras.size(); ++e) {
    if (Status sound = check_era(seen.eras[e], seen.dense); !sound) return sound;
    if (e > 0 && !at_most(seen.eras[e].samples, seen.eras[e - 1].samples)) return damaged("its eras are out of order");
  }
  const auto wrong_pair = [&](std::size_t i, std::size_t j, double value) {
    const std::vector<double>& single = seen.eras[std::max(seen.came[i], seen.came[j])].single;
    return !(value >= 0 && at_most(value, std::min(single[i], single[j])));
  };
  const auto name_pair = [](std::size_t i, std::size_t j) {
    return damaged("labels number " + std::to_string(i) + " and " + std::to_string(j) +
                   " have an invalid count together");
  };
  const double* row = seen.triangle.data();
  for (std::size_t i = 0; seen.dense && i < seen.came.size(); row += ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (wrong_pair(i, j, row[j])) return name_pair(i, j);
    }
  }
  for (const auto& [i, j, value] : seen.stored) {
    if (wrong_pair(i, j, value)) return name_pair(i, j);
  }
  return ok();
}

// Bytes of the eras after the first, with their number.
constexpr std::size_t eras_size(std::size_t later, std::size_t labels, bool dense) {
  if (later == 0) return sizeof(std::uint32_t);
  return sizeof(std::uint32_t) * (1 + labels) + later * sizeof(double) * (1 + labels * (dense ? 1 : 2));
}

// In version 2 they are at the end of the file, and there is at least one.
Status read_eras(Reader& reader, std::uint32_t version, adapt::Cooccurrence::Parts& seen) {
  const std::size_t labels = seen.came.size(), left = reader.left();
  const auto later = reader.number<std::uint32_t>();
  const bool last = version == 2;
  if (!later || *later >= adapt::kMostEras || left < eras_size(*later, labels, seen.dense) ||
      (last && (*later == 0 || left != eras_size(*later, labels, seen.dense))))
    return damaged("its eras do not match its length");
  if (*later == 0) return ok();
  for (std::size_t k = 0; k < labels; ++k) {
    seen.came[k] = *reader.number<std::uint32_t>();
    if (seen.came[k] > *later) return damaged("label number " + std::to_string(k) + " belongs to a missing era");
  }
  for (std::uint32_t e = 0; e < *later; ++e) {
    adapt::Cooccurrence::Era& era = seen.eras.emplace_back();
    era.samples = *reader.number<double>();
    era.single = reader.numbers(labels);
    if (!seen.dense) era.faint = reader.numbers(labels);
  }
  return ok();
}

// Pairs are sorted, so that none can occur twice.
Result<std::vector<adapt::Cooccurrence::StoredPair>> read_pairs(Reader& reader, std::size_t count, std::size_t labels) {
  std::vector<adapt::Cooccurrence::StoredPair> pairs(count);
  for (std::size_t at = 0; at < count; ++at) {
    auto& pair = pairs[at];
    pair = {*reader.number<std::uint32_t>(), *reader.number<std::uint32_t>(), *reader.number<double>()};
    const bool after = at == 0 || std::pair(pairs[at - 1].i, pairs[at - 1].j) < std::pair(pair.i, pair.j);
    if (pair.i > pair.j || pair.j >= labels || !after) return damaged("its pairs are out of order");
  }
  return pairs;
}

Error with_name(const std::string& path, const Error& error) {
  const char* way_out = error.code == ErrorCode::kUnsupported
                            ? " (update gst-bcp, or use another file)"
                            : " (restore a copy of it, or move it away to start again)";
  return {error.code, path + " " + error.message + way_out};
}

}  // namespace

std::string encode_snapshot(SnapshotParts parts) {
  adapt::Cooccurrence::Parts& seen = parts.seen;
  std::sort(seen.stored.begin(), seen.stored.end(),
            [](const auto& a, const auto& b) { return std::pair(a.i, a.j) < std::pair(b.i, b.j); });
  const adapt::Cooccurrence::Era& whole = seen.eras[0];
  const std::size_t later = seen.eras.size() - 1;
  SceneSections scenes;
  if (!parts.scenes.empty()) scenes = {encode_scenes(parts.scenes, parts.labels), encode_share(parts.share)};
  const std::string sections = encode_sections(seen, parts.origins, scenes);
  const std::string taught = parts.taught.empty() && sections.empty() ? std::string() : encode_taught(parts.taught);
  const std::uint32_t version = !sections.empty() ? 4 : !taught.empty() ? 3 : later > 0 ? 2 : 1;
  std::size_t size = kHeaderBytes + parts.model.size() + kPairBytes * seen.stored.size() + kChecksumBytes +
                     sizeof(double) * (whole.single.size() + whole.faint.size() + seen.triangle.size()) +
                     (version > 1 ? eras_size(later, seen.came.size(), seen.dense) : 0) + taught.size() +
                     sections.size();
  for (const std::string& label : parts.labels) size += sizeof(std::uint32_t) + label.size();

  Writer writer(size);
  writer.text(kMagic);
  writer.number(version);
  writer.number((seen.dense ? 0 : kSparse) | (parts.settled ? kSettled : 0));
  writer.number<std::uint64_t>(size);
  writer.number(static_cast<std::uint32_t>(parts.labels.size()));
  writer.number(static_cast<std::uint32_t>(parts.model.size()));
  writer.number<std::uint64_t>(seen.dense ? seen.triangle.size() : seen.stored.size());
  writer.number(whole.samples);
  writer.text(parts.model);
  for (const std::string& label : parts.labels) writer.name(label);
  writer.numbers(whole.single);
  writer.numbers(seen.triangle);
  writer.numbers(whole.faint);
  for (const auto& [i, j, value] : seen.stored) {
    writer.number(i);
    writer.number(j);
    writer.number(value);
  }
  if (version > 1) writer.number(static_cast<std::uint32_t>(later));
  if (later > 0) {
    for (const std::uint32_t era : seen.came) writer.number(era);
    for (const auto& era : std::span(seen.eras).subspan(1)) {
      writer.number(era.samples);
      writer.numbers(era.single);
      writer.numbers(era.faint);
    }
  }
  writer.text(taught);
  writer.text(sections);
  writer.number(crc32(writer.bytes()));
  return std::move(writer).take();
}

std::string encode_snapshot(const Snapshot& snapshot) {
  return encode_snapshot(SnapshotParts{snapshot.model, snapshot.labels, snapshot.seen.parts(), snapshot.settled,
                                       snapshot.taught, snapshot.origins, snapshot.scenes, snapshot.share});
}

Result<Snapshot> decode_snapshot(std::string_view bytes, SnapshotKind kind) {
  if (Status framed = check_frame(bytes); !framed) return framed.error();
  // check_frame() has checked the header.
  Reader reader(bytes.substr(0, bytes.size() - kChecksumBytes));
  reader.text(kVersionAt);
  const auto version = *reader.number<std::uint32_t>();
  const auto flags = *reader.number<std::uint32_t>();
  reader.number<std::uint64_t>();  // its length
  const std::size_t count = *reader.number<std::uint32_t>();
  const std::size_t model_size = *reader.number<std::uint32_t>();
  const auto pairs = *reader.number<std::uint64_t>();
  adapt::Cooccurrence::Parts seen;
  seen.dense = !(flags & kSparse);
  seen.eras[0].samples = *reader.number<double>();

  if (flags & ~(kSparse | kSettled)) return damaged("it has unknown flags");
  if (count > kMaxSnapshotLabels || model_size > kMaxSnapshotText) return damaged("its sizes exceed the limits");
  const auto model = reader.text(model_size);
  if (!model || utf8::valid_prefix(*model) != model->size()) return damaged("the name of its model is not valid text");
  Result<std::vector<std::string>> labels = read_labels(reader, count);
  if (!labels) return labels.error();

  // No product can overflow in this order.
  const std::size_t row_bytes = sizeof(double) * count * (seen.dense ? 1 : 2);
  const std::size_t pair_bytes = seen.dense ? sizeof(double) : kPairBytes;
  const bool fits =
      (!seen.dense || pairs == triangle_size(count)) && pairs <= reader.left() / pair_bytes &&
      (version == 1 ? reader.left() == row_bytes + pair_bytes * pairs : reader.left() > row_bytes + pair_bytes * pairs);
  if (!fits) return damaged("its labels and pairs do not match its length");
  seen.eras[0].single = reader.numbers(count);
  if (seen.dense) {
    seen.triangle = reader.numbers(pairs);
  } else {
    seen.eras[0].faint = reader.numbers(count);
    auto stored = read_pairs(reader, pairs, count);
    if (!stored) return stored.error();
    seen.stored = *std::move(stored);
  }
  seen.came.assign(count, 0);
  if (version > 1) {
    if (Status read = read_eras(reader, version, seen); !read) return read.error();
  }
  decide::Taught taught;
  if (version > 2) {
    Result<decide::Taught> read = decode_taught(reader);
    if (!read) return damaged(read.error().message);
    taught = *std::move(read);
  }
  std::vector<Origin> origins;
  std::vector<StoredScene> scenes;
  adapt::SceneShare share;
  if (version > 3) {
    SceneSections read_scenes;
    if (Status read = decode_sections(reader, seen, origins, read_scenes); !read) return damaged(read.error().message);
    if (!read_scenes.share.empty()) {
      Result<adapt::SceneShare> read = decode_share(read_scenes.share);
      if (!read) return damaged(read.error().message);
      share = *std::move(read);
    }
    if (!read_scenes.scenes.empty()) {
      if (kind == SnapshotKind::kScene) return damaged("a scene has scenes");
      Result<std::vector<StoredScene>> read = decode_scenes(read_scenes.scenes, *labels);
      if (!read) return damaged(read.error().message);
      scenes = *std::move(read);
    }
  }
  if (reader.left() > 0) return damaged("it has data after its end");
  if (Status sound = check_values(seen); !sound) return sound.error();
  return Snapshot{std::string(*model),     *std::move(labels), adapt::Cooccurrence(std::move(seen)),
                  (flags & kSettled) != 0, std::move(taught),  std::move(origins),
                  std::move(scenes),       std::move(share)};
}

Status save_snapshot(const std::string& path, SnapshotParts parts) {
  const std::size_t labels = parts.labels.size();
  const std::string bytes = encode_snapshot(std::move(parts));
  if (bytes.size() > kMaxSnapshotBytes || labels > kMaxSnapshotLabels) {
    return Error{ErrorCode::kRuntime, "cannot write " + path + ": the statistics of " + std::to_string(labels) +
                                          " labels take " + std::to_string(bytes.size()) +
                                          " bytes, more than can be read again; use fewer labels"};
  }
  return replace_file(path, bytes);
}

Status save_snapshot(const std::string& path, const Snapshot& snapshot) {
  return save_snapshot(path, SnapshotParts{snapshot.model, snapshot.labels, snapshot.seen.parts(), snapshot.settled,
                                           snapshot.taught, snapshot.origins, snapshot.scenes, snapshot.share});
}

Result<Snapshot> load_snapshot(const std::string& path) {
  const Result<std::string> bytes = read_file(path, kMaxSnapshotBytes);
  if (!bytes) return bytes.error();
  Result<Snapshot> snapshot = decode_snapshot(*bytes);
  if (!snapshot) return with_name(path, snapshot.error());
  return snapshot;
}

}  // namespace bcp::prior
