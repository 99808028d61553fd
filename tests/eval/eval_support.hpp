// SPDX-License-Identifier: LGPL-2.1-or-later
// Made-up streams for tests of the evaluation.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/npy.hpp"
#include "common/temporary.hpp"
#include "eval/evaluate.hpp"

namespace bcp::eval::test {

inline Truth truth_of(const std::vector<std::vector<int>>& rows) {
  Truth truth{rows.size(), rows.at(0).size(), {}};
  for (const auto& row : rows)
    for (const int value : row) truth.values.push_back(static_cast<std::int8_t>(value));
  return truth;
}

// A model's scores, and the ground truth.
struct Made {
  std::vector<std::vector<float>> logits;
  Truth truth;
  std::vector<std::vector<float>> embeddings = {};  // may be empty

  // Evaluates the request; missing label names are made up.
  Result<Results> try_evaluate(Request request) const {
    const bcp::test::TemporaryDirectory directory;
    StreamFiles files{.logits = save(directory / "logits.npy", logits), .embeddings = {}, .text = {}};
    if (!embeddings.empty()) files.embeddings = save(directory / "embeddings.npy", embeddings);
    Result<Stream> stream = Stream::open(files);
    if (!stream) return stream.error();
    for (std::size_t k = request.names.size(); k < truth.labels; ++k)
      request.names.push_back(std::string("l").append(std::to_string(k)));
    return bcp::eval::evaluate(request, *stream, truth);
  }
  Results evaluate(const Request& request = {}) const {
    Result<Results> results = try_evaluate(request);
    if (!results) throw std::runtime_error(results.error().message);
    return *results;
  }

 private:
  static std::string save(const std::string& path, const std::vector<std::vector<float>>& rows) {
    std::vector<float> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    if (const Status written = write_npy(path, all, {rows.size(), rows[0].size()}); !written)
      throw std::runtime_error(written.error().message);
    return path;
  }
};

inline Request request_for(std::vector<Protocol> protocols) {
  Request request;
  request.protocols = std::move(protocols);
  return request;
}

// The number in this line and column.
inline double number(const Table& table, const std::string& line, const std::string& column) {
  for (const Line& each : table.lines)
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (each.name == line && table.columns[i].key == column) return each.numbers[i];
  throw std::runtime_error("no " + line + ", " + column + " in " + table.key);
}

inline const Table& table(const Results& results, std::string_view key) {
  for (const Table& each : results.protocols)
    if (each.key == key) return each;
  throw std::runtime_error("no table " + std::string(key));
}

// How far the logits of present labels are above the noise, whose deviation is 1.
struct Visible {
  float first = 7, others = 1.5F;  // one that the model sees well, and two that are hardly above absent labels
};

// Pictures with three labels each. With topics, labels come from one topic; without, from all.
inline Made three_labels(std::size_t samples, std::size_t labels, std::size_t topics, std::uint64_t seed,
                         const Visible& visible = {}) {
  std::mt19937_64 engine(seed);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(engine() % bound); };
  const auto noise = [&] {  // nearly normal, and the same everywhere
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(engine() >> 11) * 0x1p-53;
    return sum;
  };
  Made made{{}, {samples, labels, std::vector<std::int8_t>(samples * labels)}};
  const std::size_t in_topic = labels / std::max<std::size_t>(1, topics);
  for (std::size_t t = 0; t < samples; ++t) {
    const std::size_t first = topics > 0 ? below(topics) * in_topic : 0;
    const std::size_t choice = topics > 0 ? in_topic : labels;
    std::vector<float> row(labels);
    for (float& s : row) s = static_cast<float>(20 + noise());
    for (int found = 0; found < 3;) {
      const std::size_t k = first + below(choice);
      std::int8_t& there = made.truth.values[t * labels + k];
      if (there == 1) continue;
      there = 1;
      row[k] += found++ == 0 ? visible.first : visible.others;
    }
    made.logits.push_back(std::move(row));
  }
  return made;
}

}  // namespace bcp::eval::test
