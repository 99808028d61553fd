// SPDX-License-Identifier: LGPL-2.1-or-later
// The resize on this machine's fastest instructions against the portable one.

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "image/passes.hpp"

namespace bcp::image {
namespace {

class Avx2Passes : public testing::Test {
 protected:
  void SetUp() override {
    if (avx2_passes() == nullptr) GTEST_SKIP() << "this processor has no AVX2";
  }

  std::vector<Pixel> noise(std::size_t count) {
    std::vector<Pixel> pixels(count);
    for (Pixel& p : pixels)
      for (int lane = 0; lane < 4; ++lane) p.lanes[lane] = static_cast<float>(random_() % 256);
    return pixels;
  }

  static bool same(const std::vector<Pixel>& a, const std::vector<Pixel>& b) {
    return std::memcmp(a.data(), b.data(), a.size() * sizeof(Pixel)) == 0;
  }

 private:
  std::mt19937 random_{5};
};

TEST_F(Avx2Passes, GiveTheSameBitsAlongRows) {
  for (const int target : {5, 32, 63, 100, 224}) {
    std::vector<int> outputs(static_cast<std::size_t>(target));
    std::iota(outputs.begin(), outputs.end(), 0);
    const FilterTable table = filter_table(Filter::kBicubic, 101, target, outputs);
    const auto in = noise(101 + static_cast<std::size_t>(table.taps));
    std::vector<Pixel> portable(outputs.size()), fast(outputs.size());
    portable_passes().along(table, in.data(), portable.data());
    avx2_passes()->along(table, in.data(), fast.data());
    EXPECT_TRUE(same(portable, fast)) << target;
  }
}

TEST_F(Avx2Passes, GiveTheSameBitsAcrossRows) {
  for (const std::size_t width : {1U, 7U, 8U, 13U, 224U}) {
    std::vector<std::vector<Pixel>> rows;
    std::vector<const Pixel*> starts;
    for (int k = 0; k < 7; ++k) starts.push_back(rows.emplace_back(noise(width)).data());
    const float weights[] = {-0.01F, -0.07F, 0.3F, 0.56F, 0.3F, -0.07F, -0.01F};
    std::vector<Pixel> portable(width), fast(width);
    portable_passes().across(starts, weights, portable);
    avx2_passes()->across(starts, weights, fast);
    EXPECT_TRUE(same(portable, fast)) << width;
  }
}

}  // namespace
}  // namespace bcp::image
