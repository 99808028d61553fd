// SPDX-License-Identifier: LGPL-2.1-or-later
// Streams of a group, and frames for them.

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "prior/group.hpp"
#include "tag_support.hpp"

namespace bcp::test {

using prior::PriorFile;
using prior::PriorGroup;
using prior::PriorMode;
using Names = std::vector<std::string>;
using Frame = std::vector<float>;

inline std::shared_ptr<PriorGroup> group(const std::string& name) {
  auto joined = PriorGroup::join(name, "model");
  EXPECT_TRUE(joined);
  return *joined;
}

// A stream of the group; alone without a name.
struct Stream final : tag::StreamTagger, PriorFile::Listener {
  explicit Stream(const std::string& name, const Names& names = {"a", "b", "c"})
      : tag::StreamTagger(test::labels(names), kTen) {
    join(test::group(name));
  }
  adapt::Scores see(const Frame& frame, const tag::TagSettings& settings = kPaper) {
    tag::Outcome outcome;
    EXPECT_TRUE(tag(frame, {}, settings, outcome));
    return outcome.scores;
  }
  Result<PriorGroup::OpenedFile> open_file(const std::string& path, PriorMode mode = PriorMode::kReadWrite) {
    return group()->open_file(path, mode, "somebody", *learnt());
  }
  // Saves and waits.
  void save() {
    const auto file = group()->file();
    learnt()->save(*file, *this);
    file->finish();
  }
  void saved(const PriorFile&, const PriorFile::Saved& saved) noexcept override { saves += saved.status ? 1 : 0; }

  int saves = 0;
};

inline std::vector<Frame> frames(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(0, 1);
  std::vector<Frame> all(count, Frame(4));
  for (Frame& frame : all) {
    for (float& v : frame) v = value(random);
  }
  return all;
}

}  // namespace bcp::test
