// SPDX-License-Identifier: LGPL-2.1-or-later
// How long a frame takes to become CLIP's input, on one core: by format, coverage and size, with OpenCV, and with
// GStreamer's videoconvertscale. The label of a row is the instruction set in use.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "benchmark_main.hpp"
#include "image/kernels.hpp"
#include "image/preprocessor.hpp"
#include "preprocess_gstreamer.hpp"
#include "preprocess_opencv.hpp"

namespace {

using namespace bcp::image;
using bench::Format;

const TensorSpec kClip{224, {0.48145466F, 0.4578275F, 0.40821073F}, {0.26862954F, 0.26130258F, 0.27577711F}};

TensorSpec close_spec() {
  TensorSpec spec = kClip;
  spec.accuracy = Accuracy::kClose;
  return spec;
}

std::vector<std::uint8_t> noise(std::size_t bytes) {
  std::mt19937 random(1);
  std::vector<std::uint8_t> result(bytes);
  for (std::uint8_t& b : result) b = static_cast<std::uint8_t>(random());
  return result;
}

// A frame of noise.
struct Frame {
  Frame(Format stored, int width, int height)
      : bytes(noise(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4)) {
    format.width = width;
    format.height = height;
    const std::uint8_t* const first = bytes.data();
    const std::uint8_t* const chroma = first + std::ptrdiff_t{width} * height;
    const std::ptrdiff_t row = width;
    if (stored == Format::kRgb || stored == Format::kBgrx) {
      format.pixel_step = stored == Format::kRgb ? 3 : 4;
      if (stored == Format::kBgrx) format.rgb_offset = {2, 1, 0};
      picture = {{first}, {row * format.pixel_step}};
      return;
    }
    format.layout = Layout::kYuv;
    if (stored == Format::kNv12) {
      format.chroma_step = 2;
      picture = {{first, chroma, chroma + 1}, {row, row, row}};
    } else if (stored == Format::kI420) {
      picture = {{first, chroma, chroma + row * height / 4}, {row, row / 2, row / 2}};
    } else {
      format.luma_step = 2;
      format.chroma_step = 4;
      format.chroma_shift_y = 0;
      picture = {{first, first + 1, first + 3}, {2 * row, 2 * row, 2 * row}};
    }
  }

  std::vector<std::uint8_t> bytes;
  PictureFormat format;
  Picture picture;
};

Frame frame_of(const benchmark::State& state, Format format) {
  return {format, static_cast<int>(state.range(0)), static_cast<int>(state.range(1))};
}

std::vector<float> empty_tensor(const Preprocessor& preprocessor) {
  return std::vector<float>(preprocessor.tensor_size(), std::numeric_limits<float>::quiet_NaN());
}

// The result of plain C++ for the frame.
std::vector<float> reference(const Frame& frame, const TensorSpec& spec, Coverage coverage) {
  auto plain = Preprocessor::make(frame.format, whole(frame.format), spec, coverage, plain_kernels());
  bench::require(static_cast<bool>(plain), plain ? "" : plain.error().message);
  std::vector<float> tensor = empty_tensor(*plain);
  plain->run(frame.picture, tensor);
  const auto is_number = [](float value) { return std::isfinite(value); };
  bench::require(std::all_of(tensor.begin(), tensor.end(), is_number), "parts of the tensor were not written");
  const auto [least, most] = std::minmax_element(tensor.begin(), tensor.end());
  bench::require(*most - *least > 0.1F, "the tensor does not show the noise of the picture");
  return tensor;
}

void preprocess(benchmark::State& state, Format format, const TensorSpec& spec, Coverage coverage) {
  const Frame frame = frame_of(state, format);
  auto preprocessor = Preprocessor::make(frame.format, spec, coverage);
  bench::require(static_cast<bool>(preprocessor), preprocessor ? "" : preprocessor.error().message);
  std::vector<float> tensor = empty_tensor(*preprocessor);
  for (auto _ : state) {
    preprocessor->run(frame.picture, tensor);
    benchmark::ClobberMemory();
  }
  bench::require(tensor == reference(frame, spec, coverage),
                 std::string("the tensor of ") + fastest_kernels().name + " is not that of plain C++");
  state.SetLabel(fastest_kernels().name);
}

// The middle square with OpenCV's conversion and INTER_AREA. Its pixels differ; the mean of the picture does not.
void opencv(benchmark::State& state, Format format) {
  const Frame frame = frame_of(state, format);
  std::vector<float> tensor(3UL * 224 * 224, std::numeric_limits<float>::quiet_NaN());
  for (auto _ : state) {
    bench::preprocess_with_opencv(format, frame.bytes, frame.format.width, frame.format.height, kClip, tensor);
    benchmark::ClobberMemory();
  }
  const std::vector<float> expected = reference(frame, kClip, Coverage::kCentre);
  const auto mean = [](const std::vector<float>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  bench::require(std::abs(mean(tensor) - mean(expected)) < 0.1,  // false for a NaN
                 "the tensor made with OpenCV shows another picture: its mean is " + std::to_string(mean(tensor)) +
                     " instead of " + std::to_string(mean(expected)));
}

// The middle square as bytes, with GStreamer's elements. Noise has a mean of about 128 before and after scaling.
void videoconvertscale(benchmark::State& state, Format format) {
  Frame frame = frame_of(state, format);
  bench::GStreamerScaler scaler(format, frame.bytes, frame.format.width, frame.format.height, kClip.size);
  double mean = 0;
  for (auto _ : state) mean = scaler.run();
  bench::require(mean > 64 && mean < 192,
                 "videoconvertscale shows another picture: its mean is " + std::to_string(mean));
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const auto& size : {std::pair{640, 360}, {1920, 1080}, {3840, 2160}}) b->Args({size.first, size.second});
  b->Unit(benchmark::kMillisecond);
}

void add_rows() {
  const std::pair<const char*, Format> formats[] = {{"nv12", Format::kNv12},
                                                    {"i420", Format::kI420},
                                                    {"yuy2", Format::kYuy2},
                                                    {"rgb", Format::kRgb},
                                                    {"bgrx", Format::kBgrx}};
  const std::pair<const char*, Coverage> coverages[] = {
      {"centre", Coverage::kCentre}, {"squash", Coverage::kSquash}, {"tiles", Coverage::kTiles}};
  for (const auto& [name, format] : formats) {
    for (const auto& [shape, coverage] : coverages) {
      const std::string row = std::string(name) + "/" + shape;
      benchmark::RegisterBenchmark(row.c_str(), preprocess, format, kClip, coverage)->Apply(sizes);
      if (format == Format::kNv12 || format == Format::kI420)
        benchmark::RegisterBenchmark((row + "/close").c_str(), preprocess, format, close_spec(), coverage)
            ->Apply(sizes);
    }
    if (bench::kHasOpenCv)
      benchmark::RegisterBenchmark((std::string(name) + "/opencv").c_str(), opencv, format)->Apply(sizes);
    if (bench::kHasGStreamer)
      benchmark::RegisterBenchmark((std::string(name) + "/videoconvertscale").c_str(), videoconvertscale, format)
          ->Apply(sizes);
  }
}

}  // namespace

int main(int argc, char** argv) {
  add_rows();
  return bench::run_benchmarks(argc, argv, "/640/360$");
}
