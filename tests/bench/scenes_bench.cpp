// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What scenes and prior-base are worth, on streams of two worlds that alternate, as day and night do.
//
//   bench-scenes [--quick]                                       planted worlds, made from seeds
//   bench-scenes --embeddings FILE --text FILE --names FILE --truth FILE --context-text FILE --context-names FILE
//                                                                COCO pictures: indoors and outdoors
//
// --first-seed N before the other options takes the seeds N, N + 1, ... in place of 0, 1, ...
//
// Every line is the mean over the seeds; differences are of the same streams in pairs, with the standard error of their
// mean. "two cameras" knows which world a picture is of and has a prior for each.
// "changes" is the number of scene changes beside the true number. F1 is of labels shown by softmax from 0.2 on, and by
// presence with stream-prior=1.

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "eval/average_precision.hpp"
#include "eval/dwell.hpp"
#include "eval/random.hpp"
#include "eval/stream.hpp"
#include "scenes_worlds.hpp"
#include "tag/stream_tagger.hpp"
#include "work.hpp"

namespace {

using namespace bcp;
using bench::Data;
using bench::must;
using bench::Picture;

constexpr std::size_t kScenes = 8;

struct Shown {
  const Picture* picture;
  int world;
};

// Blocks of `block` pictures of each world in turn.
std::vector<Shown> alternating(const Data& data, std::size_t block, std::uint64_t seed) {
  eval::Random random(seed);
  std::vector<const Picture*> orders[2];
  for (int w = 0; w < 2; ++w) {
    for (const Picture& picture : data.worlds[w]) orders[w].push_back(&picture);
    random.shuffle(orders[w]);
  }
  const std::size_t blocks = std::min(orders[0].size(), orders[1].size()) / block;
  std::vector<Shown> all;
  for (std::size_t b = 0; b < blocks; ++b)
    for (int w = 0; w < 2; ++w)
      for (std::size_t i = b * block; i < (b + 1) * block; ++i) all.push_back({orders[w][i], w});
  return all;
}

// In the order of kColumns.
using Figures = std::array<double, 6>;
constexpr const char* kColumns[] = {"mAP, logits",   "mAP, softmax", "F1, softmax",
                                    "mAP, presence", "F1, presence", "changes"};
constexpr std::size_t kChanges = 5;

// Of several runs: one for each seed.
class Runs {
 public:
  void add(const Figures& figures) { all_.push_back(figures); }
  double mean(std::size_t column) const {
    double sum = 0;
    for (const Figures& each : all_) sum += each[column];
    return sum / static_cast<double>(all_.size());
  }
  // Of the mean. 0 for a single run.
  double standard_error(std::size_t column) const {
    const double n = static_cast<double>(all_.size()), centre = mean(column);
    double squares = 0;
    for (const Figures& each : all_) squares += (each[column] - centre) * (each[column] - centre);
    return n > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  }
  // Run by run: both have the same seeds.
  Runs minus(const Runs& other) const {
    Runs difference = *this;
    for (std::size_t i = 0; i < all_.size(); ++i)
      for (std::size_t c = 0; c < kChanges; ++c) difference.all_[i][c] -= other.all_[i][c];
    return difference;
  }

 private:
  std::vector<Figures> all_;
};

class Score {
 public:
  explicit Score(std::size_t labels) : values_(labels) {}
  void add(std::size_t k, double value, bool shown, std::int8_t truth) {
    values_[k].first.push_back(value);
    values_[k].second.push_back(truth);
    if (truth < 0) return;
    right_ += shown && truth == 1 ? 1 : 0;
    sum_ += (shown ? 1 : 0) + (truth == 1 ? 1 : 0);
  }
  double map() const {
    std::vector<double> each;
    for (const auto& [values, truth] : values_) each.push_back(eval::average_precision(values, truth));
    return 100 * eval::mean(each);
  }
  double f1() const { return 200 * right_ / sum_; }

 private:
  std::vector<std::pair<std::vector<double>, std::vector<std::int8_t>>> values_;
  double right_ = 0, sum_ = 0;
};

struct Way {
  std::string name;
  std::size_t scenes = 1;
  bool by_world = false;  // a camera for each
  bool corrects = true;
  std::shared_ptr<const adapt::Others> base = nullptr;
};

tag::TagSettings settings_of(adapt::Preset preset, bool corrects) {
  tag::TagSettings settings;
  settings.adapter = adapt::preset_settings(preset);
  settings.smoothing = 0;
  settings.stream_prior = corrects ? 1 : 0;
  if (!corrects) settings.correction = adapt::Correction::kNone;
  return settings;
}

std::unique_ptr<tag::StreamTagger> tagger_of(const Data& data, const Way& way) {
  auto tagger = std::make_unique<tag::StreamTagger>(data.words, data.encoder);
  tagger->learnt()->set_scenes(way.scenes);
  if (way.base) tagger->learnt()->set_base(way.base);
  return tagger;
}

Figures run(const Data& data, std::span<const Shown> stream, adapt::Preset preset, const Way& way) {
  const std::size_t labels = data.words.labels.labels.size();
  std::unique_ptr<tag::StreamTagger> cameras[] = {tagger_of(data, way), tagger_of(data, way)};
  const tag::TagSettings settings = settings_of(preset, way.corrects);
  Score logits(labels), softmax(labels), presence(labels);
  tag::Outcome outcome;
  for (const auto& [picture, world] : stream) {
    tag::StreamTagger& camera = *cameras[way.by_world ? world : 0];
    bench::require(static_cast<bool>(camera.tag(picture->embedding, {}, settings, outcome)), "a picture was refused");
    for (std::size_t k = 0; k < labels; ++k) {
      const double p = outcome.scores.probability[k], q = outcome.presence.probability[k];
      logits.add(k, outcome.scores.corrected[k], false, picture->truth[k]);
      softmax.add(k, p, p >= 0.2, picture->truth[k]);
      presence.add(k, q, q >= 0.5, picture->truth[k]);
    }
  }
  bench::require(cameras[0]->samples() > 0, "nothing was learnt");
  return {logits.map(),   softmax.map(), softmax.f1(),
          presence.map(), presence.f1(), static_cast<double>(cameras[0]->learnt()->scene().changes)};
}

void print(const std::string& name, const Runs& runs, const std::string& changes) {
  std::printf("| %s |", name.c_str());
  for (std::size_t c = 0; c < kChanges; ++c) std::printf(" %.2f |", runs.mean(c));
  std::printf(" %s |\n", changes.c_str());
}

void print_difference(const std::string& name, const Runs& runs) {
  std::printf("| %s |", name.c_str());
  for (std::size_t c = 0; c < kChanges; ++c) std::printf(" %+.2f ± %.2f |", runs.mean(c), runs.standard_error(c));
  std::printf(" |\n");
}

void print_head(const std::string& title) {
  std::printf("\n%s\n\n| |", title.c_str());
  for (const char* column : kColumns) std::printf(" %s |", column);
  std::printf("\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
}

struct Seeds {
  std::uint64_t first, count;
};

template <typename Make>
void compare(const std::string& title, const Make& data_of, std::size_t block, Seeds seeds) {
  enum { kPlain, kOne, kApart, kTwo, kWays };
  const Way ways[kWays] = {{.name = "plain CLIP", .corrects = false},
                           {.name = "one prior"},
                           {.name = "scenes", .scenes = kScenes},
                           {.name = "two cameras", .by_world = true}};
  for (const auto& [preset, name] : {std::pair(adapt::Preset::kVideo, "video"), {adapt::Preset::kPaper, "paper"}}) {
    Runs runs[kWays];
    double changes = 0;
    std::size_t pictures = 0;
    for (std::uint64_t seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
      const Data& data = data_of(seed);
      const std::vector<Shown> stream = alternating(data, block, seed);
      pictures = stream.size();
      const std::size_t true_changes = pictures / block - 1;
      changes += static_cast<double>(true_changes) / static_cast<double>(seeds.count);
      for (std::size_t w = 0; w < kWays; ++w) runs[w].add(run(data, stream, preset, ways[w]));
    }
    print_head(title + ", blocks of " + std::to_string(block) + " of " + std::to_string(pictures) +
               " pictures, preset=" + name);
    for (std::size_t w = 0; w < kWays; ++w) {
      char text[64] = "";
      if (ways[w].scenes > 1) std::snprintf(text, sizeof text, "%.1f of %.0f", runs[w].mean(kChanges), changes);
      print(ways[w].name, runs[w], text);
    }
    print_difference("scenes minus one prior", runs[kApart].minus(runs[kOne]));
    print_difference("two cameras minus one prior", runs[kTwo].minus(runs[kOne]));
  }
}

// A new camera in the first world: what another one has learnt there, as its base.
template <typename Make>
void compare_base(const std::string& title, const Make& data_of, std::size_t pictures, std::uint64_t seeds) {
  Runs runs[4];
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Data& data = data_of(seed);
    std::vector<Shown> stream;
    for (const Picture& picture : data.worlds[0]) stream.push_back({&picture, 0});
    eval::Random random(seed);
    random.shuffle(stream);
    const auto first = std::span(stream).first(pictures), rest = std::span(stream).subspan(pictures);
    const auto other = tagger_of(data, {});
    tag::Outcome outcome;
    const tag::TagSettings settings = settings_of(adapt::Preset::kVideo, true);
    for (const Shown& each : rest) {
      const Status done = other->tag(each.picture->embedding, {}, settings, outcome);
      bench::require(static_cast<bool>(done), "a picture was refused");
    }
    const auto learnt = adapt::Cooccurrence(other->learnt()->snapshot().seen);
    const Way ways[] = {{.name = "", .corrects = false},
                        {.name = ""},
                        {.name = "", .base = prior::bounded(learnt, false)},
                        {.name = "", .base = std::make_shared<adapt::Others>(adapt::Others{learnt})}};
    for (std::size_t w = 0; w < 4; ++w) runs[w].add(run(data, first, adapt::Preset::kVideo, ways[w]));
  }
  print_head(title + ", the first " + std::to_string(pictures) + " pictures of a camera, preset=video");
  const char* const names[] = {"plain CLIP", "from nothing", "prior-base", "all samples of that prior"};
  for (std::size_t w = 0; w < 4; ++w) print(names[w], runs[w], "");
}

// A film: shots of 1 to 300 frames of one picture, ten frames a second. Every change of scene is false.
void count_in_film(const Data& data, eval::Stream& stream, std::size_t shots, std::uint64_t seeds) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    eval::DwellSettings dwell;
    dwell.shots = shots;
    dwell.seed = seed;
    const std::vector<eval::Shot> drawn = eval::draw_shots(stream.samples(), dwell);
    eval::DwellStream film(stream, drawn, dwell);
    const auto tagger = tagger_of(data, {.name = "", .scenes = kScenes});
    tag::Outcome outcome;
    double time = 0, learnt = 0;
    for (;;) {
      const eval::DwellStream::Frame* frame = must(film.next());
      if (!frame) break;
      time = frame->time;
      const Status done = tagger->tag(frame->sample.embedding, time, settings_of(adapt::Preset::kVideo, true), outcome);
      bench::require(static_cast<bool>(done), "a frame was refused");
      learnt += outcome.learnt ? 1 : 0;
    }
    std::printf("A film of %zu shots (seed %llu): %.0f minutes, %.0f frames learnt, %llu scene changes\n", shots,
                static_cast<unsigned long long>(seed), time / 60, learnt,
                static_cast<unsigned long long>(tagger->learnt()->scene().changes));
  }
}

// Processor time of a frame that is corrected and learnt, with preset=paper: 300 frames in two worlds, the last 80
// count.
void print_cost(std::size_t labels) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < labels; ++k) names.push_back("label " + std::to_string(k));
  double milliseconds[2] = {};
  for (const std::size_t scenes : {std::size_t{1}, kScenes}) {
    prior::Learnt learnt(names);
    learnt.set_scenes(scenes);
    eval::Random random(1);
    std::vector<double> logits(labels);
    adapt::Scores scores;
    const auto now = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
    for (int t = 0; t < 300; ++t) {
      for (double& x : logits) x = random.uniform();
      for (int i = 0; i < 5; ++i) logits[random.below(50)] = 12 + i;
      const std::vector<float> embedding = {t < 150 ? 1.0f : 0.0f, t < 150 ? 0.0f : 1.0f};
      const double begin = now();
      bench::require(static_cast<bool>(learnt.tag(logits, {}, scores, [] { return true; })), "a frame was refused");
      if (t >= 220) milliseconds[scenes > 1] += 1000 * (now() - begin) / 80;
      learnt.follow(embedding, {});
    }
    bench::require(scenes == 1 || learnt.scene().count == 2, "the change of scene was missed");
  }
  std::printf("%zu labels: %.3f ms a frame with one prior, %.3f ms with scenes\n", labels, milliseconds[0],
              milliseconds[1]);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::take_quick(argc, argv);
  std::uint64_t first = 0;
  if (argc > 2 && std::string(argv[1]) == "--first-seed") {
    first = std::strtoull(argv[2], nullptr, 10);
    argc -= 2;
    argv += 2;
  }
  if (argc == 1) {
    const Seeds seeds{first, quick ? 1u : 10u};
    std::map<std::uint64_t, Data> made;
    const auto data_of = [&](std::uint64_t seed) -> const Data& {
      if (!made.contains(seed)) made.emplace(seed, bench::planted(seed, quick ? 400 : 1500));
      return made.at(seed);
    };
    compare("Planted worlds", data_of, quick ? 100 : 300, seeds);
    if (!quick) compare("Planted worlds", data_of, 100, seeds);
    compare_base("Planted world", data_of, 200, quick ? 1 : 5);
    std::printf("\n");
    for (const std::size_t labels : {std::size_t{80}, std::size_t{2000}, std::size_t{20000}})
      if (!quick || labels < 1000) print_cost(labels);
    return 0;
  }
  bench::Files files;
  std::map<std::string, std::string*> options = {{"--embeddings", &files.stream.embeddings},
                                                 {"--text", &files.stream.text},
                                                 {"--names", &files.names},
                                                 {"--truth", &files.truth},
                                                 {"--context-text", &files.presence.context_text},
                                                 {"--context-names", &files.presence.context_names}};
  for (int i = 1; i + 1 < argc; i += 2) {
    bench::require(options.contains(argv[i]), std::string("unknown option ") + argv[i]);
    *options[argv[i]] = argv[i + 1];
  }
  const Data data = bench::coco(files);
  const auto same = [&](std::uint64_t) -> const Data& { return data; };
  std::printf("COCO pictures: %zu outdoors, %zu indoors\n", data.worlds[0].size(), data.worlds[1].size());
  compare("COCO, outdoors and indoors", same, 150, {first, 10});
  compare("COCO, outdoors and indoors", same, 300, {first, 10});
  compare_base("COCO, outdoors", same, 200, 5);
  eval::Stream stream = must(eval::Stream::open(files.stream));
  std::printf("\n");
  count_in_film(data, stream, 1000, 3);
  return 0;
}
