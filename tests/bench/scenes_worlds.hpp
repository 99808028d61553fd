// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Pictures of two worlds for scenes_bench.cpp: planted ones, made from seeds, and COCO's outdoors and indoors.

#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eval/presence.hpp"
#include "eval/random.hpp"
#include "eval/stream.hpp"
#include "eval/truth.hpp"
#include "tag/stream_tagger.hpp"
#include "work.hpp"

namespace bench {

using namespace bcp;

struct Picture {
  std::vector<float> embedding;
  std::vector<std::int8_t> truth;
};

struct Data {
  tag::Vocabulary words;
  tag::Encoder encoder;
  std::vector<Picture> worlds[2];
};

// Forty labels in eight topics. A picture shows one label of a topic well and some of the others badly. Each world has
// its own topics: what a label occurs with is different there.
inline Data planted(std::uint64_t seed, std::size_t pictures) {
  constexpr std::size_t kLabels = 40, kTopic = 5, kNumbers = 128;
  eval::Random random(seed);
  const auto vector = [&](double length) {
    std::vector<double> v(kNumbers);
    for (double& x : v) x = length / std::sqrt(double{kNumbers}) * random.bell();
    return v;
  };
  std::vector<std::vector<double>> text;
  Data data;
  data.encoder.logit_scale = 15;
  data.words.labels.embeddings.resize(kLabels, kNumbers);
  for (std::size_t k = 0; k < kLabels; ++k) {
    text.push_back(vector(1));
    data.words.labels.labels.push_back({"label " + std::to_string(k), {}});
    for (std::size_t i = 0; i < kNumbers; ++i)
      data.words.labels.embeddings(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) =
          static_cast<float>(text[k][i]);
  }
  data.words.labels.embeddings.rowwise().normalize();
  for (auto& world : data.worlds) {
    std::vector<std::size_t> topics(kLabels);
    std::iota(topics.begin(), topics.end(), 0);
    random.shuffle(topics);
    const std::vector<double> look = vector(0.8);
    for (std::size_t t = 0; t < pictures; ++t) {
      Picture picture{std::vector<float>(kNumbers), std::vector<std::int8_t>(kLabels, 0)};
      const std::size_t topic = kTopic * random.below(kLabels / kTopic), main = topic + random.below(kTopic);
      std::vector<double> sum = vector(1.2);
      for (std::size_t i = topic; i < topic + kTopic; ++i) {
        if (i != main && random.uniform() > 0.6) continue;
        picture.truth[topics[i]] = 1;
        for (std::size_t x = 0; x < kNumbers; ++x) sum[x] += (i == main ? 0.7 : 0.4) * text[topics[i]][x];
      }
      double square = 0;
      for (std::size_t x = 0; x < kNumbers; ++x) square += (sum[x] += look[x]) * sum[x];
      for (std::size_t x = 0; x < kNumbers; ++x) picture.embedding[x] = static_cast<float>(sum[x] / std::sqrt(square));
      world.push_back(std::move(picture));
    }
  }
  return data;
}

struct Files {
  eval::StreamFiles stream;
  std::string names, truth;
  eval::PresenceFiles presence;
};

template <typename T>
T must(Result<T> result) {
  require(static_cast<bool>(result), result ? "" : result.error().message);
  return *std::move(result);
}

inline std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

// 1 outdoors, -1 indoors, 0 either.
inline int place_of(const std::string& label) {
  static const char* const kOutdoors[] = {
      "bicycle",       "car",          "motorcycle",   "airplane",      "bus",         "train",        "truck",
      "boat",          "bench",        "bird",         "horse",         "sheep",       "cow",          "elephant",
      "bear",          "zebra",        "giraffe",      "skis",          "snowboard",   "kite",         "frisbee",
      "traffic light", "fire hydrant", "stop sign",    "parking meter", "sports ball", "baseball bat", "baseball glove",
      "skateboard",    "surfboard",    "tennis racket"};
  static const char* const kEither[] = {"person", "backpack", "umbrella", "handbag", "tie", "suitcase", "cat", "dog"};
  for (const char* name : kOutdoors)
    if (label == name) return 1;
  for (const char* name : kEither)
    if (label == name) return 0;
  return -1;
}

inline Data coco(const Files& files) {
  eval::Stream stream = must(eval::Stream::open(files.stream));
  const eval::Truth truth = must(eval::load_truth(files.truth, eval::Difficult::kIgnore));
  const std::vector<std::string> names = lines_of(files.names);
  require(names.size() == stream.labels(), files.names + " does not match the arrays");
  eval::PresenceSettings presence = must(eval::load_presence(files.presence, {}));
  clip::LabelSet labels, context;
  labels.embeddings =
      Eigen::Map<const clip::TextMatrix>(stream.text().text.data(), static_cast<Eigen::Index>(stream.labels()),
                                         static_cast<Eigen::Index>(stream.text().width));
  for (const std::string& name : names) labels.labels.push_back({name, {}});
  context.embeddings = presence.context_text;
  for (const std::string& name : presence.context) context.labels.push_back({name, {}});
  Data data{.words = tag::make_vocabulary(std::move(labels), std::move(context), presence.table, std::nullopt),
            .encoder = {},
            .worlds = {}};
  for (std::size_t t = 0; t < stream.samples(); ++t) {
    const eval::Sample sample = must(stream.sample(t));
    Picture picture{{sample.embedding.begin(), sample.embedding.end()}, {}};
    int place = 0;
    for (std::size_t k = 0; k < names.size(); ++k) {
      picture.truth.push_back(truth.at(t, k));
      if (picture.truth[k] == 1) place += place_of(names[k]);
    }
    if (place != 0) data.worlds[place > 0 ? 0 : 1].push_back(std::move(picture));
  }
  return data;
}

}  // namespace bench
