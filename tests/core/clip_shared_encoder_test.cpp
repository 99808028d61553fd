// SPDX-License-Identifier: LGPL-2.1-or-later
#include "clip/shared_encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "clip/model.hpp"
#include "toy_bundle.hpp"

namespace bcp::clip {
namespace {

constexpr onnx::SessionOptions kCpu{.provider = onnx::Provider::kCpu, .threads = 1};
const Batching kTogether{.across_streams = true, .patience = Batching::Duration()};
constexpr std::size_t kPicture = 3 * 32 * 32;
constexpr std::size_t kWidth = 8;

std::shared_ptr<Model> toy(const std::string& name) {
  auto model = Model::open(std::string(BCP_TEST_DATA) + "/bundles/" + name, kCpu);
  EXPECT_TRUE(model) << model.error().message;
  return model ? *model : nullptr;
}

// Pictures that differ between streams and over time.
std::vector<float> picture(std::size_t stream, std::size_t turn, int count = 1) {
  std::vector<float> pixels(static_cast<std::size_t>(count) * kPicture);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<float>((i / 1024 + 3 * stream + 5 * turn + i / kPicture) % 11) / 12;
  return pixels;
}

class SharedTower : public testing::TestWithParam<const char*> {};

TEST_P(SharedTower, GivesEveryStreamItsOwnEmbeddings) {
  const auto alone = toy(GetParam()), shared = toy(GetParam());
  ASSERT_TRUE(alone && shared);
  SharedEncoder encoder(shared->encoder(), kTogether);
  constexpr std::size_t kStreams = 6, kTurns = 60;
  std::vector<std::vector<float>> found(kStreams * kTurns);
  std::vector<std::thread> streams;
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    streams.emplace_back([&, stream] {
      for (std::size_t turn = 0; turn < kTurns; ++turn) {
        const int count = stream == 5 ? 3 : 1;  // one stream has tiles
        std::vector<float> embeddings(static_cast<std::size_t>(count) * kWidth);
        EXPECT_TRUE(encoder.encode(picture(stream, turn, count), count, embeddings));
        found[stream * kTurns + turn] = std::move(embeddings);
      }
    });
  }
  for (std::thread& each : streams) each.join();
  EXPECT_LE(encoder.runs(), kStreams * kTurns);
  for (std::size_t stream = 0; stream < kStreams; ++stream) {
    for (std::size_t turn = 0; turn < kTurns; ++turn) {
      const int count = stream == 5 ? 3 : 1;
      std::vector<float> expected(static_cast<std::size_t>(count) * kWidth);
      ASSERT_TRUE(alone->encoder().encode(picture(stream, turn, count), count, expected));
      const std::vector<float>& got = found[stream * kTurns + turn];
      for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-5) << stream << " " << turn;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Toy, SharedTower, testing::Values("toy", "toy-fixed"), [](const auto& each) {
  return std::string(each.param) == "toy" ? "WithADynamicBatch" : "WithABatchOfOne";
});

// While the first run is held up, the other requests queue and then share one run.
TEST(SharedEncoder, CombinesRequestsThatCameWhileBusy) {
  const auto model = toy("toy");
  ASSERT_TRUE(model);
  SharedEncoder encoder(model->encoder(), kTogether);
  constexpr std::size_t kStreams = 8;
  std::uint64_t fewest = 1000;
  for (int attempt = 0; attempt < 20 && fewest > 3; ++attempt) {
    const std::uint64_t before = encoder.runs();
    std::atomic<bool> go = false;
    std::vector<std::thread> streams;
    for (std::size_t stream = 0; stream < kStreams; ++stream) {
      streams.emplace_back([&, stream] {
        // The first brings a slow batch; the others come meanwhile.
        const int count = stream == 0 ? 2000 : 1;
        const std::vector<float> pixels = picture(stream, 0, count);
        std::vector<float> embeddings(static_cast<std::size_t>(count) * kWidth);
        while (stream > 0 && !go) std::this_thread::yield();
        go = true;
        EXPECT_TRUE(encoder.encode(pixels, count, embeddings));
      });
    }
    for (std::thread& each : streams) each.join();
    fewest = std::min(fewest, encoder.runs() - before);
  }
  EXPECT_LE(fewest, 3u) << "eight requests, and never fewer runs";
}

TEST(SharedEncoder, GivesOneThreadTheResultsOfSeveralStreams) {
  const auto model = toy("toy-nan-when-bright");
  ASSERT_TRUE(model);
  for (const Batching& batching : {kTogether, Batching()}) {
    SharedEncoder encoder(model->encoder(), batching);
    const std::vector<float> dark(kPicture, 0.2f), grey(2 * kPicture, 0.5f), bright(kPicture, 1.0f);
    std::vector<float> first(kWidth), second(2 * kWidth), third(kWidth), expected(2 * kWidth);
    const std::vector<Pictures> requests{{dark, 1, first}, {grey, 2, second}, {bright, 1, third}};
    std::vector<Status> results(3, Error{ErrorCode::kRuntime, "not run"});
    encoder.encode(std::span(requests).first(2), std::span(results).first(2));
    EXPECT_EQ(encoder.runs(), batching.across_streams ? 1u : 2u);
    EXPECT_TRUE(results[0] && results[1]);
    ASSERT_TRUE(model->encoder().encode(grey, 2, expected));
    for (std::size_t i = 0; i < second.size(); ++i) EXPECT_NEAR(second[i], expected[i], 1e-5);

    encoder.encode(requests, results);
    EXPECT_TRUE(results[0] && results[1]);
    ASSERT_FALSE(results[2]);
    EXPECT_NE(results[2].error().message.find("no usable embedding"), std::string::npos);
    encoder.encode(std::span(requests).first(0), std::span(results).first(0));
  }
}

TEST(SharedEncoder, BatchesAcrossStreamsOnCudaAndNeverOnTheCpu) {
  EXPECT_TRUE(Batching::on("cuda").across_streams);
  EXPECT_FALSE(Batching::on("cpu").across_streams);
  // Also with more threads, and for a longer time.
  auto model = Model::open(std::string(BCP_TEST_DATA) + "/bundles/toy",
                           {.provider = onnx::Provider::kCpu, .device_id = 0, .threads = 4});
  ASSERT_TRUE(model) << model.error().message;
  SharedEncoder encoder((*model)->encoder());
  const std::vector<float> pixels(kPicture, 0.4f);
  std::vector<float> first(kWidth), second(kWidth);
  const std::vector<Pictures> requests{{pixels, 1, first}, {pixels, 1, second}};
  std::vector<Status> results(2, ok());
  for (int turn = 0; turn < 40; ++turn) encoder.encode(requests, results);
  EXPECT_EQ(encoder.runs(), 80u);
  EXPECT_EQ(encoder.batch_size(), 1);
  EXPECT_EQ(encoder.patience(), Batching::Duration::zero());
}

TEST(SharedEncoder, WaitsForABatchAtMostAnEighthOfTheLastRun) {
  const auto model = toy("toy");
  ASSERT_TRUE(model);
  SharedEncoder encoder(model->encoder(), Batching::on("cuda"));
  EXPECT_EQ(encoder.patience(), Batching::Duration::zero()) << "nothing has run";
  std::vector<float> embeddings(4000 * kWidth);
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(encoder.encode(picture(0, 0, 4000), 4000, embeddings));
  const auto run = std::chrono::steady_clock::now() - start;
  EXPECT_GT(encoder.patience(), Batching::Duration::zero());
  EXPECT_LE(encoder.patience(), std::min<Batching::Duration>(run / 8, SharedEncoder::kLongestPatience));
}

TEST(SharedEncoder, ReportsOnlyTheFaultyPicture) {
  const auto model = toy("toy-nan-when-bright");
  ASSERT_TRUE(model);
  SharedEncoder encoder(model->encoder(), kTogether);
  std::atomic<int> faults = 0, sound = 0;
  std::vector<std::thread> streams;
  for (int stream = 0; stream < 4; ++stream) {
    streams.emplace_back([&, stream] {
      const std::vector<float> pixels(kPicture, stream == 2 ? 1.0f : 0.2f + 0.1f * static_cast<float>(stream));
      std::vector<float> embedding(kWidth);
      for (int turn = 0; turn < 50; ++turn) ++(encoder.encode(pixels, 1, embedding) ? sound : faults);
    });
  }
  for (std::thread& each : streams) each.join();
  EXPECT_EQ(faults, 50);
  EXPECT_EQ(sound, 150);
}

}  // namespace
}  // namespace bcp::clip
