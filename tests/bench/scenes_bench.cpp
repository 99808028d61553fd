// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What scenes and prior-base are worth, on streams of two worlds that alternate, as day and night do.
//
//   bench-scenes [--quick]                                       planted worlds, made from seeds
//   bench-scenes --embeddings FILE --text FILE --names FILE --truth FILE --context-text FILE --context-names FILE
//                                                                COCO pictures: indoors and outdoors
//
// Every line is the mean over the seeds. "two cameras" knows which world a picture is of and has a prior for each.
// "changes" is the number of scene changes beside the true number. F1 is of labels shown by softmax from 0.2 on, and by
// presence with stream-prior=1.

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eval/average_precision.hpp"
#include "eval/dwell.hpp"
#include "eval/presence.hpp"
#include "eval/random.hpp"
#include "eval/stream.hpp"
#include "eval/truth.hpp"
#include "tag/stream_tagger.hpp"
#include "work.hpp"

namespace {

using namespace bcp;

constexpr std::size_t kScenes = 8;

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
Data planted(std::uint64_t seed, std::size_t pictures) {
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
  bench::require(static_cast<bool>(result), result ? "" : result.error().message);
  return *std::move(result);
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

// 1 outdoors, -1 indoors, 0 either.
int place_of(const std::string& label) {
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

Data coco(const Files& files) {
  eval::Stream stream = must(eval::Stream::open(files.stream));
  const eval::Truth truth = must(eval::load_truth(files.truth, eval::Difficult::kIgnore));
  const std::vector<std::string> names = lines_of(files.names);
  bench::require(names.size() == stream.labels(), files.names + " does not match the arrays");
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

// mAP by logits, by softmax; F1 by softmax; mAP and F1 of presence.
struct Figures {
  double logits = 0, softmax = 0, f1 = 0, presence = 0, presence_f1 = 0, changes = 0;
  void add(const Figures& other, double share) {
    logits += share * other.logits;
    softmax += share * other.softmax;
    f1 += share * other.f1;
    presence += share * other.presence;
    presence_f1 += share * other.presence_f1;
    changes += share * other.changes;
  }
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

void print(const std::string& name, const Figures& f, const std::string& changes) {
  std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %s |\n", name.c_str(), f.logits, f.softmax, f.f1, f.presence,
              f.presence_f1, changes.c_str());
}

void print_head(const std::string& title) {
  std::printf(
      "\n%s\n\n| | mAP, logits | mAP, softmax | F1, softmax | mAP, presence | F1, presence | changes |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
      title.c_str());
}

template <typename Make>
void compare(const std::string& title, const Make& data_of, std::size_t block, std::uint64_t seeds) {
  const std::vector<Way> ways = {{.name = "plain CLIP", .corrects = false},
                                 {.name = "one prior"},
                                 {.name = "scenes", .scenes = kScenes},
                                 {.name = "two cameras", .by_world = true}};
  for (const auto& [preset, name] : {std::pair(adapt::Preset::kVideo, "video"), {adapt::Preset::kPaper, "paper"}}) {
    std::vector<Figures> sums(ways.size());
    double changes = 0;
    std::size_t pictures = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const Data& data = data_of(seed);
      const std::vector<Shown> stream = alternating(data, block, seed);
      pictures = stream.size();
      const std::size_t true_changes = pictures / block - 1;
      changes += static_cast<double>(true_changes) / static_cast<double>(seeds);
      for (std::size_t w = 0; w < ways.size(); ++w)
        sums[w].add(run(data, stream, preset, ways[w]), 1 / static_cast<double>(seeds));
    }
    print_head(title + ", blocks of " + std::to_string(block) + " of " + std::to_string(pictures) +
               " pictures, preset=" + name);
    for (std::size_t w = 0; w < ways.size(); ++w) {
      char text[64] = "";
      if (ways[w].scenes > 1) std::snprintf(text, sizeof text, "%.1f of %.0f", sums[w].changes, changes);
      print(ways[w].name, sums[w], text);
    }
  }
}

// A new camera in the first world: what another one has learnt there, as its base.
template <typename Make>
void compare_base(const std::string& title, const Make& data_of, std::size_t pictures, std::uint64_t seeds) {
  std::vector<Figures> sums(4);
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
    for (std::size_t w = 0; w < 4; ++w)
      sums[w].add(run(data, first, adapt::Preset::kVideo, ways[w]), 1 / static_cast<double>(seeds));
  }
  print_head(title + ", the first " + std::to_string(pictures) + " pictures of a camera, preset=video");
  const char* const names[] = {"plain CLIP", "from nothing", "prior-base", "all samples of that prior"};
  for (std::size_t w = 0; w < 4; ++w) print(names[w], sums[w], "");
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

}  // namespace

int main(int argc, char** argv) {
  const bool quick = bench::take_quick(argc, argv);
  if (argc == 1) {
    const std::uint64_t seeds = quick ? 1 : 5;
    std::map<std::uint64_t, Data> made;
    const auto data_of = [&](std::uint64_t seed) -> const Data& {
      if (!made.contains(seed)) made.emplace(seed, planted(seed, quick ? 400 : 1500));
      return made.at(seed);
    };
    compare("Planted worlds", data_of, quick ? 100 : 300, seeds);
    if (!quick) compare("Planted worlds", data_of, 100, seeds);
    compare_base("Planted world", data_of, 200, seeds);
    return 0;
  }
  Files files;
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
  const Data data = coco(files);
  const auto same = [&](std::uint64_t) -> const Data& { return data; };
  std::printf("COCO pictures: %zu outdoors, %zu indoors\n", data.worlds[0].size(), data.worlds[1].size());
  compare("COCO, outdoors and indoors", same, 150, 3);
  compare("COCO, outdoors and indoors", same, 300, 3);
  compare_base("COCO, outdoors", same, 200, 5);
  eval::Stream stream = must(eval::Stream::open(files.stream));
  std::printf("\n");
  count_in_film(data, stream, 1000, 3);
  return 0;
}
