// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Large vocabularies: how far sparse statistics are from dense ones, and what 20,000 labels cost.
//
//   bench-vocabulary [--quick] [storages|costs]
//
// 1. Planted streams, scored twice, with dense and with sparse statistics: mAP by logits and by probability, and how
// far
//    the corrections differ. More samples than groups (adapt/sample_groups.hpp) are merged, but labels that were strong
//    have a row (adapt/label_rows.hpp).
// 2. A stream with the default settings, presence included: time per result, resident memory.
// 3. Half-life and novelty at 2,000 labels: neither adds a pass over all pairs to a frame.
// 4. A change of labels beside a running stream.

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "adapt/bcp.hpp"
#include "decide/context_words.hpp"
#include "eval/average_precision.hpp"
#include "tag/stream_tagger.hpp"
#include "work.hpp"

namespace {

using namespace bcp;
using adapt::BcpSettings;
using Storage = adapt::Cooccurrence::Storage;

// Processor time of this thread in milliseconds: other work on the machine does not count.
double milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// Resident memory in MB.
double resident() {
  std::ifstream file("/proc/self/statm");
  double size = 0, pages = 0;
  file >> size >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

// Pictures of one topic each. The labels of a topic belong together, one in ten is random.
struct Planted {
  std::vector<std::vector<double>> logits;      // per sample
  std::vector<std::vector<std::int8_t>> truth;  // per label
};

Planted planted(std::size_t labels, std::size_t samples, double gain, double noise, unsigned seed) {
  constexpr std::size_t kTopics = 30, kEach = 4;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::gamma_distribution<double> visible(3, 1.0 / 3);
  std::uniform_real_distribution<double> uniform;
  Planted stream{std::vector(samples, std::vector<double>(labels)),
                 std::vector(labels, std::vector<std::int8_t>(samples))};
  for (std::size_t t = 0; t < samples; ++t) {
    const std::size_t topic = random() % kTopics;
    const double offset = 20 + 1.5 * normal(random);
    for (double& s : stream.logits[t]) s = offset + noise * normal(random);
    // A topic has twenty labels, so that labels of a topic meet often.
    for (std::size_t i = 0; i < kEach; ++i) {
      const std::size_t label =
          uniform(random) < 0.1 ? random() % labels : (topic + kTopics * (random() % 20)) % labels;
      stream.truth[label][t] = 1;
      stream.logits[t][label] += gain * visible(random);
    }
  }
  return stream;
}

struct Judged {
  double by_logits, by_probability;
  std::vector<std::vector<double>> correction;  // per sample
};

Judged judge(const Planted& stream, const BcpSettings& settings, Storage storage) {
  const std::size_t labels = stream.truth.size(), samples = stream.logits.size();
  adapt::Bcp bcp{adapt::Cooccurrence(labels, storage)};
  adapt::Scores scores;
  Judged judged{};
  std::vector<std::vector<double>> logit(labels, std::vector<double>(samples)), probability = logit;
  for (std::size_t t = 0; t < samples; ++t) {
    bench::require(static_cast<bool>(bcp.correct(stream.logits[t], settings, scores)), "a frame was refused");
    for (std::size_t k = 0; k < labels; ++k) {
      logit[k][t] = scores.corrected[k];
      probability[k][t] = scores.probability[k];
    }
    judged.correction.push_back(scores.correction);
    bcp.learn(scores, settings);
  }
  std::vector<double> first, second;
  for (std::size_t k = 0; k < labels; ++k) {
    if (std::find(stream.truth[k].begin(), stream.truth[k].end(), 1) == stream.truth[k].end()) continue;
    first.push_back(eval::average_precision(logit[k], stream.truth[k]));
    second.push_back(eval::average_precision(probability[k], stream.truth[k]));
  }
  judged.by_logits = 100 * eval::mean(first);
  judged.by_probability = 100 * eval::mean(second);
  return judged;
}

void compare_storages(bool quick) {
  struct Case {
    std::size_t labels, samples;
    double gain, noise;
    unsigned seed = 1;
  };
  std::vector<Case> cases{{3000, 400, 8, 1.5}};
  if (quick) cases = {{2100, 60, 8, 1.5}};
  if (!quick) {
    cases.push_back({3000, 400, 12, 1.5});
    cases.push_back({3000, 400, 6, 2.5});
    cases.push_back({3000, 2000, 8, 1.5});
    cases.push_back({3000, 2000, 6, 2.5});
    cases.push_back({3000, 2000, 8, 1.5, 2});
    cases.push_back({3000, 2000, 8, 1.5, 3});
  }
  std::printf(
      "| labels | samples | gain, noise | seed | preset | zero-shot | dense | sparse | dense, p | sparse, p | rms | "
      "largest "
      "|\n"
      "| ---: | ---: | --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const auto& [labels, samples, gain, noise, seed] : cases) {
    const Planted stream = planted(labels, samples, gain, noise, seed);
    for (const adapt::Preset preset : {adapt::Preset::kPaper, adapt::Preset::kVideo}) {
      BcpSettings settings = adapt::preset_settings(preset).bcp;
      BcpSettings off = settings;
      off.strength = 0;
      const double plain = judge(stream, off, Storage::kDense).by_logits;
      const Judged dense = judge(stream, settings, Storage::kDense), sparse = judge(stream, settings, Storage::kSparse);
      double squares = 0, largest = 0, count = 0;
      for (std::size_t t = 0; t < samples; ++t) {
        for (std::size_t k = 0; k < labels; ++k) {
          const double error = std::abs(sparse.correction[t][k] - dense.correction[t][k]);
          squares += error * error;
          largest = std::max(largest, error);
          count += dense.correction[t][k] != 0 ? 1 : 0;
        }
      }
      bench::require(count > 0, "nothing was corrected");
      std::printf("| %zu | %zu | %g, %g | %u | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.4f | %.2f |\n", labels,
                  samples, gain, noise, seed, preset == adapt::Preset::kPaper ? "paper" : "video", plain,
                  dense.by_logits, sparse.by_logits, dense.by_probability, sparse.by_probability,
                  std::sqrt(squares / count), largest);
      std::fflush(stdout);
    }
  }
}

// Words as unit vectors, and pictures near four of them.
struct World {
  static constexpr Eigen::Index kWidth = 512;

  explicit World(std::size_t count, std::size_t pictures) {
    const auto fill = [&](auto row) {
      for (Eigen::Index i = 0; i < kWidth; ++i) row(i) = noise(random);
      row.normalize();
    };
    labels.embeddings.resize(static_cast<Eigen::Index>(count), kWidth);
    for (std::size_t k = 0; k < count; ++k) {
      labels.labels.push_back({"word " + std::to_string(k), {}});
      fill(labels.embeddings.row(static_cast<Eigen::Index>(k)));
    }
    const std::vector<std::string> nouns = decide::default_context(*decide::PriorTable::everyday());
    context.embeddings.resize(static_cast<Eigen::Index>(nouns.size()), kWidth);
    for (std::size_t k = 0; k < nouns.size(); ++k) {
      context.labels.push_back({nouns[k], {}});
      fill(context.embeddings.row(static_cast<Eigen::Index>(k)));
    }
    for (std::size_t t = 0; t < pictures; ++t) {
      std::vector<float>& picture = frames.emplace_back(kWidth);
      Eigen::Map<Eigen::RowVectorXf> row(picture.data(), kWidth);
      fill(row);
      for (int i = 0; i < 4; ++i) row += 0.3F * labels.embeddings.row(static_cast<Eigen::Index>(random() % count));
      row.normalize();
    }
  }
  tag::Vocabulary words() const { return {.labels = labels, .context = context}; }

  std::mt19937 random{1};
  std::normal_distribution<float> noise;
  clip::LabelSet labels, context;
  std::vector<std::vector<float>> frames;
};

struct Times {
  double median, most;
  explicit Times(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    median = all[all.size() / 2];
    most = all.back();
  }
};

// Scores every picture of the world. Results are 0.1 s apart.
std::vector<double> run(tag::StreamTagger& tagger, const World& world, const tag::TagSettings& settings) {
  tag::Outcome outcome;
  std::vector<double> times;
  double time = 0;
  for (const auto& frame : world.frames) {
    const double start = milliseconds();
    const Status tagged = tagger.tag(frame, time += 0.1, settings, outcome);
    times.push_back(milliseconds() - start);
    bench::require(static_cast<bool>(tagged) && outcome.presence.probability.size() == world.labels.labels.size(),
                   "a frame has no presence probabilities");
  }
  return times;
}

void measure_stream(std::size_t labels, std::size_t pictures) {
  const double before = resident();
  World world(labels, pictures);
  tag::StreamTagger tagger(world.words(), {});
  const double words = resident();
  const Times first(run(tagger, world, {}));
  const double samples = tagger.samples();
  bench::require(samples > 0.8 * std::min(static_cast<double>(pictures), 1000.0), "the pictures were not learnt");
  const Times later(run(tagger, world, {}));
  std::printf(
      "\n%zu labels, default settings with presence: %.2f ms a result (longest %.2f), %.2f (%.2f) after %.0f samples;\n"
      "resident %.0f MB: %.0f MB for the words, %.0f MB learnt\n",
      labels, first.median, first.most, later.median, later.most, samples, resident() - before, words - before,
      resident() - words);
}

void measure_forgetting(std::size_t labels, std::size_t pictures) {
  World world(labels, pictures);
  std::printf("\n%zu labels, median of a frame:", labels);
  for (const double half_life : {0.0, 2000.0}) {
    tag::TagSettings settings;
    settings.adapter.bcp.half_life = half_life;
    tag::StreamTagger tagger(world.words(), {});
    std::printf(" %.3f ms with half-life %g,", Times(run(tagger, world, settings)).median, half_life);
  }
  tag::TagSettings settings;
  settings.adapter.novelty = {.distance = 2, .interval = 0};  // only the first picture is new
  tag::StreamTagger tagger(world.words(), {});
  const Times times(run(tagger, world, settings));
  bench::require(tagger.samples() == 1, "the novelty gate is open");
  std::printf(" %.3f ms if the novelty gate keeps it out\n", times.median);
}

void measure_change(std::size_t labels, std::size_t pictures) {
  World world(labels, pictures);
  tag::StreamTagger tagger(world.words(), {});
  run(tagger, world, {});
  tag::Vocabulary next = world.words();
  next.labels.labels.back().name = "another word";
  const double samples = tagger.samples();
  double start = milliseconds();
  prior::Successor successor = tagger.group()->prepare(tag::names_of(next.labels));
  const double beside = milliseconds() - start;
  start = milliseconds();
  bench::require(tagger.try_relabel(next, successor), "the labels could not be changed");
  const double streaming = milliseconds() - start;
  bench::require(std::abs(tagger.samples() - samples) < 1e-6 * samples, "the samples are lost");
  std::printf("%zu labels, one of them replaced: %.1f ms in the background, %.2f ms on the streaming thread\n", labels,
              beside, streaming);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::take_quick(argc, argv);
  const bool storages = argc < 2 || std::string(argv[1]) == "storages",
             costs = argc < 2 || std::string(argv[1]) == "costs";
  bench::require(storages || costs, "usage: bench-vocabulary [--quick] [storages|costs]");
  if (storages) compare_storages(quick);
  if (!costs) return 0;
  measure_stream(quick ? 2100 : 20'000, quick ? 40 : 600);
  measure_forgetting(quick ? 300 : 2000, quick ? 20 : 300);
  for (const std::size_t labels : {std::size_t{2000}, std::size_t{20'000}})
    measure_change(quick ? labels / 10 : labels, quick ? 20 : 200);
  return 0;
}
