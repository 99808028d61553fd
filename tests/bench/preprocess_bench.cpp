// SPDX-License-Identifier: LGPL-2.1-or-later
// How long a frame takes to become CLIP's input.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "benchmark_main.hpp"
#include "image/preprocessor.hpp"

namespace {

using namespace bcp::image;

std::vector<std::uint8_t> noise(std::size_t bytes) {
  std::mt19937 random(1);
  std::vector<std::uint8_t> result(bytes);
  for (std::uint8_t& b : result) b = static_cast<std::uint8_t>(random());
  return result;
}

void run(benchmark::State& state, const PictureFormat& format, const Picture& picture, Coverage coverage) {
  auto preprocessor = Preprocessor::make(format, TensorSpec{}, coverage);
  bench::require(static_cast<bool>(preprocessor), preprocessor ? "" : preprocessor.error().message);
  std::vector<float> tensor(preprocessor->tensor_size(), std::numeric_limits<float>::quiet_NaN());
  for (auto _ : state) {
    preprocessor->run(picture, tensor);
    benchmark::ClobberMemory();
  }
  const auto is_number = [](float value) { return std::isfinite(value); };
  bench::require(std::all_of(tensor.begin(), tensor.end(), is_number), "parts of the tensor were not written");
  const auto [least, most] = std::minmax_element(tensor.begin(), tensor.end());
  bench::require(*most - *least > 0.1F, "the tensor does not show the noise of the picture");
}

void nv12(benchmark::State& state, Coverage coverage) {
  const int width = static_cast<int>(state.range(0)), height = static_cast<int>(state.range(1));
  const auto bytes = noise(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3 / 2);
  PictureFormat format;
  format.layout = Layout::kYuv;
  format.width = width;
  format.height = height;
  format.chroma_step = 2;
  const std::uint8_t* chroma = bytes.data() + std::ptrdiff_t{width} * height;
  run(state, format, Picture{{bytes.data(), chroma, chroma + 1}, {width, width, width}}, coverage);
}

void yuy2(benchmark::State& state) {
  const int width = static_cast<int>(state.range(0)), height = static_cast<int>(state.range(1));
  const auto bytes = noise(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 2);
  PictureFormat format;
  format.layout = Layout::kYuv;
  format.width = width;
  format.height = height;
  format.luma_step = 2;
  format.chroma_step = 4;
  format.chroma_shift_y = 0;
  const std::ptrdiff_t stride = std::ptrdiff_t{width} * 2;
  run(state, format, Picture{{bytes.data(), bytes.data() + 1, bytes.data() + 3}, {stride, stride, stride}},
      Coverage::kCentre);
}

void packed(benchmark::State& state, int step) {
  const int width = static_cast<int>(state.range(0)), height = static_cast<int>(state.range(1));
  const auto bytes = noise(static_cast<std::size_t>(width * step) * static_cast<std::size_t>(height));
  PictureFormat format;
  format.width = width;
  format.height = height;
  format.pixel_step = step;
  run(state, format, Picture{{bytes.data()}, {std::ptrdiff_t{width} * step}}, Coverage::kCentre);
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const auto& size : {std::pair{640, 360}, {1280, 720}, {1920, 1080}, {3840, 2160}})
    b->Args({size.first, size.second});
  b->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(nv12, centre, Coverage::kCentre)->Apply(sizes);
BENCHMARK_CAPTURE(nv12, squash, Coverage::kSquash)->Apply(sizes);
BENCHMARK_CAPTURE(nv12, tiles, Coverage::kTiles)->Apply(sizes);
BENCHMARK(yuy2)->Apply(sizes);
BENCHMARK_CAPTURE(packed, rgb_centre, 3)->Apply(sizes);
BENCHMARK_CAPTURE(packed, bgrx_centre, 4)->Apply(sizes);

}  // namespace

int main(int argc, char** argv) {
  return bench::run_benchmarks(argc, argv, "/640/360$");
}
