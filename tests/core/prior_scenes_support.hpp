// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera that sees day and night, for tests of scenes and of a base.

#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "common/temporary.hpp"
#include "prior/group.hpp"
#include "prior_support.hpp"

namespace bcp::prior::scenes_test {

using test::Frame;
using test::kPaper;
using test::Names;

struct Folder : test::TemporaryDirectory {
  std::string file(const std::string& name) const { return *this / name; }
};

// A day shows a and b, a night c; the fourth number is of no label.
class Light {
 public:
  explicit Light(unsigned seed = 1) : random_(seed) {}
  Frame day() { return picture(0.8f, 0.4f, 0.1f, 0); }
  Frame night() { return picture(0.1f, 0.1f, 0.6f, 0.8f); }

 private:
  Frame picture(float a, float b, float c, float d) {
    Frame frame{a, b, c, d};
    for (float& x : frame) x += 0.1f * bell_(random_);
    float square = 0;
    for (const float x : frame) square += x * x;
    for (float& x : frame) x /= std::sqrt(square);
    return frame;
  }
  std::mt19937 random_;
  std::normal_distribution<float> bell_{0, 1};
};

struct Camera final : tag::StreamTagger, PriorFile::Listener {
  explicit Camera(std::size_t scenes, const Names& names = {"a", "b", "c"})
      : tag::StreamTagger(test::labels(names), test::kTen) {
    const auto alone = PriorGroup::alone("model");
    alone->set_scenes(scenes);
    join(alone);
  }
  void see(const Frame& frame, const tag::TagSettings& settings = kPaper) {
    tag::Outcome outcome;
    EXPECT_TRUE(tag(frame, {}, settings, outcome));
  }
  Result<PriorGroup::OpenedFile> open_file(const std::string& path, PriorMode mode = PriorMode::kReadWrite) {
    return group()->open_file(path, mode, "somebody", *learnt());
  }
  void save() {
    const auto file = group()->file();
    learnt()->save(*file, *this);
    file->finish();
  }
  void saved(const PriorFile&, const PriorFile::Saved& saved) noexcept override { EXPECT_TRUE(saved.status); }
  void watch_day(int frames) {
    for (int i = 0; i < frames; ++i) see(light.day());
  }
  void watch_night(int frames) {
    for (int i = 0; i < frames; ++i) see(light.night());
  }
  void watch_both() {
    watch_day(150);
    watch_night(150);
  }

  Light light;
};

}  // namespace bcp::prior::scenes_test
