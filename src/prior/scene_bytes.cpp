// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/scene_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "prior/bytes.hpp"
#include "prior/snapshot.hpp"

namespace bcp::prior {
namespace {

constexpr std::uint32_t kMostNumbers = 1 << 16;  // of an embedding
constexpr double kMostEvidence = 1e6;            // log; far above what kMemory frames can add up to

Result<StoredScene> decode_scene(Reader& reader, const std::vector<std::string>& labels, bool alone) {
  const Error damaged = invalid("its scenes do not match its length");
  StoredScene read;
  const auto id = reader.number<std::uint32_t>();
  const auto last = reader.number<std::uint64_t>();
  const auto samples = reader.number<double>(), noise = reader.number<double>();
  const auto numbers = reader.number<std::uint32_t>();
  // Each: a shorter number can be read where there are too few bytes for a longer one.
  if (!id || !last || !samples || !noise || !numbers) return damaged;
  if (*numbers > kMostNumbers || reader.left() / sizeof(float) < *numbers) return damaged;
  if (*id == 0 || !is_count(*samples) || !is_count(*noise)) return invalid("a scene has an invalid number");
  read.scene = {.id = *id, .mean = std::vector<float>(*numbers), .samples = *samples, .noise = *noise, .last = *last};
  for (float& value : read.scene.mean) {
    value = *reader.number<float>();
    if (!(std::abs(value) <= 1.01f)) return invalid("the mean of a scene has an invalid number");
  }
  const auto size = reader.number<std::uint64_t>();
  const auto bytes = size ? reader.text(*size) : std::nullopt;
  if (!bytes) return damaged;
  if (alone != bytes->empty()) return invalid("the statistics of a scene are missing");
  if (alone) return read;
  Result<Snapshot> inside = decode_snapshot(*bytes, SnapshotKind::kScene);
  if (!inside) return invalid("the statistics of a scene: " + inside.error().message);
  if (inside->labels != labels) return invalid("a scene has other labels");
  read.learnt = std::make_shared<const adapt::Bcp>(std::move(inside->seen), inside->settled);
  return read;
}

}  // namespace

std::string encode_scenes(const std::vector<StoredScene>& scenes, const std::vector<std::string>& labels) {
  Writer writer;
  writer.number(static_cast<std::uint32_t>(scenes.size()));
  for (const auto& [scene, learnt] : scenes) {
    writer.number(scene.id);
    writer.number(scene.last);
    writer.number(scene.samples);
    writer.number(scene.noise);
    writer.number(static_cast<std::uint32_t>(scene.mean.size()));
    for (const float value : scene.mean) writer.number(value);
    std::string inside;
    if (scenes.size() > 1)
      inside = encode_snapshot(
          SnapshotParts{.labels = labels, .seen = learnt->seen().parts(), .settled = learnt->settled()});
    writer.number<std::uint64_t>(inside.size());
    writer.text(inside);
  }
  return std::move(writer).take();
}

Result<std::vector<StoredScene>> decode_scenes(std::string_view bytes, const std::vector<std::string>& labels) {
  Reader reader(bytes);
  const auto count = reader.number<std::uint32_t>();
  if (!count || *count == 0 || *count > adapt::kMostScenes) return invalid("its number of scenes is not valid");
  std::vector<StoredScene> scenes;
  std::set<std::uint32_t> ids;
  for (std::uint32_t i = 0; i < *count; ++i) {
    Result<StoredScene> scene = decode_scene(reader, labels, *count == 1);
    if (!scene) return scene.error();
    if (!ids.insert(scene->scene.id).second) return invalid("two of its scenes have the same number");
    scenes.push_back(*std::move(scene));
  }
  if (reader.left() > 0) return invalid("its scenes do not match its length");
  return scenes;
}

std::string encode_share(const adapt::SceneShare& share) {
  const auto& evidence = share.evidence();
  if (std::all_of(evidence.begin(), evidence.end(), [](double each) { return each == 0; })) return {};
  Writer writer;
  writer.number(static_cast<std::uint32_t>(evidence.size()));
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    writer.number(adapt::SceneShare::kSamples[i]);
    writer.number(evidence[i]);
  }
  return std::move(writer).take();
}

Result<adapt::SceneShare> decode_share(std::string_view bytes) {
  Reader reader(bytes);
  const auto count = reader.number<std::uint32_t>();
  if (!count || reader.left() != std::size_t{*count} * 2 * sizeof(double))
    return invalid("the evidence for its scenes does not match its length");
  adapt::SceneShare share;
  auto evidence = share.evidence();
  bool is_known = *count == evidence.size();
  for (std::uint32_t i = 0; i < *count; ++i) {
    const double samples = *reader.number<double>(), value = *reader.number<double>();
    if (!is_count(samples) || !(std::abs(value) <= kMostEvidence))
      return invalid("the evidence for its scenes has an invalid number");
    is_known = is_known && samples == adapt::SceneShare::kSamples[i];
    if (is_known) evidence[i] = value;
  }
  if (is_known) share.set_evidence(evidence);
  return share;
}

}  // namespace bcp::prior
