// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/findings.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <sstream>

#include "clip/bundle/variant.hpp"
#include "clip/tensor_roles.hpp"
#include "clip/text_bank.hpp"
#include "decide/context_words.hpp"
#include "decide/presence.hpp"
#include "gst-bcp/model/files.hpp"
#include "onnx/file.hpp"
#include "onnx/session.hpp"
#include "tag/stream_tagger.hpp"

namespace bcp::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMinRuns = 5, kMaxRuns = 100;
constexpr std::chrono::milliseconds kMeasuringTime{1000};  // of measuring

std::string number(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

std::string three(const std::array<float, 3>& values) {
  return number(values[0], 8) + " " + number(values[1], 8) + " " + number(values[2], 8);
}

void add_tensor(const std::string& key, const std::string& label, const std::string& role,
                const onnx::TensorInfo& tensor, Report& report) {
  report.add(key, {{"name", tensor.name}, {"type", tensor.type}, {"shape", tensor.shape}}, label,
             role + ": " + describe(tensor));
}

struct Timing {
  double median_ms = 0;
  int runs = 0;
};

// The median of many runs: the first ones are slow, and other programs use the machine too.
Result<Timing> measure(const std::function<Status()>& run) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kMinRuns || (i < kMaxRuns && Clock::now() - start < kMeasuringTime); ++i) {
    const Clock::time_point before = Clock::now();
    if (const Status ran = run(); !ran) return ran.error();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - before).count());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return Timing{*middle, static_cast<int>(times.size())};
}

void add_timing(const std::string& key, const std::string& label, const Timing& timing, Report& report) {
  report.add(key, timing.median_ms, label,
             number(timing.median_ms, 3) + " ms (inference alone, median of " + std::to_string(timing.runs) + " runs)");
}

// The file of the image tower, and its int8 variant where there is one.
void add_variant(const clip::Bundle& bundle, Report& report) {
  const auto inside = [&bundle](const std::string& path) {
    return std::filesystem::path(path).lexically_relative(bundle.directory).string();
  };
  const std::string& file = bundle.visual.file;
  report.add("visual.file", inside(file), "image tower", "file " + inside(file));
  const std::string int8 = bundle.int8 ? file : clip::int8_variant(file);
  std::string text = "int8 variant " + (int8.empty() ? "" : inside(int8)) + ", for precision=int8";
  if (bundle.int8) text = "this is an int8 variant";
  if (int8.empty()) text = "no int8 variant: models/quantise.py makes one";
  report.add("visual.int8", int8.empty() ? Json() : Json(inside(int8)), "image tower", std::move(text));
}

// For a model that scores each label independently.
void add_sigmoid_presence(const clip::Bundle& bundle, Report& report) {
  const auto sigmoid = tag::encoder_of(bundle).sigmoid.value_or(decide::Presence::Sigmoid{});
  report.add("presence.slope", sigmoid.slope, "presence", "slope " + number(sigmoid.slope, 4));
  report.add("presence.offset", sigmoid.offset, "presence", "offset " + number(sigmoid.offset, 4));
  report.add("presence.context_words", 0, "presence", "no context words: labels do not compete");
  report.add("presence.calibrated", sigmoid.measured, "presence",
             sigmoid.measured ? "calibrated"
                              : "not calibrated: the model has no presence.slope and presence.offset, so its own "
                                "sigmoid is used");
}

}  // namespace

void add_bundle(const clip::Bundle& bundle, Report& report) {
  report.add("name", bundle.name, "model");
  if (!bundle.description.empty()) report.add("description", bundle.description, "knows");
  report.add("directory", bundle.directory, "directory");
  report.add("layout", bundle.layout, "layout");
  report.add("licence", bundle.licence.empty() ? Json() : Json(bundle.licence), "licence",
             bundle.licence.empty() ? "unknown" : bundle.licence);
  for (const BundleFile& file : files_of(bundle)) {
    const std::string name = std::filesystem::path(file.path).lexically_relative(bundle.directory).string();
    report.append("files", {{"file", name.empty() ? file.path : name}, {"bytes", file.bytes}}, "files",
                  (name.empty() ? file.path : name) + ", " + bytes_for_people(file.bytes));
  }
  const std::string side = std::to_string(bundle.tensor.size);
  report.add("image.size", bundle.tensor.size, "image size", side + " x " + side);
  report.add("image.mean", bundle.tensor.mean, "mean", three(bundle.tensor.mean));
  report.add("image.std", bundle.tensor.std, "std", three(bundle.tensor.std));
  report.add("image.crop", bundle.tensor.crop == image::Crop::kRounded ? "rounded" : "clip", "crop");
  report.add("image.filter", bundle.tensor.filter == image::Filter::kBilinear ? "bilinear" : "bicubic", "filter");
  report.add("image.resize", bundle.tensor.resize == image::Resize::kSquash ? "squash" : "shortest", "resize",
             bundle.tensor.resize == image::Resize::kSquash ? "squash: the whole picture, to a square"
                                                            : "shortest: the shorter side, then the middle square");
  if (bundle.tensor.resize_to != 0)
    report.add("image.resize_to", bundle.tensor.resize_to, "resize",
               "to " + std::to_string(bundle.tensor.resize_to) + " pixels, of which the centre is used");
  const bool sigmoid = bundle.scoring == clip::Scoring::kSigmoid;
  report.add("scoring", sigmoid ? "sigmoid" : "softmax", "scoring",
             sigmoid ? "sigmoid: each label independently, as SigLIP" : "softmax: labels compete, as CLIP");
  report.add("logit_scale", bundle.logit_scale, "logit scale", number(bundle.logit_scale, 6));
  if (sigmoid) report.add("logit_bias", bundle.logit_bias, "logit bias", number(bundle.logit_bias, 6));
}

Status add_tensors(const clip::Bundle& bundle, Report& report) {
  const Result<onnx::File> visual = onnx::File::open(bundle.visual.file);
  if (!visual) return visual.error();
  const Result<clip::ImageTensors> image = choose_image_tensors(*visual, bundle);
  if (!image) return image.error();
  add_tensor("visual.input", "image tower", "pictures", image->input, report);
  add_tensor("visual.output", "image tower", "embedding", image->output, report);
  report.add("visual.opset", visual->opset(), "image tower", "opset " + std::to_string(visual->opset()));
  add_variant(bundle, report);
  if (!bundle.textual) return ok();

  const Result<onnx::File> textual = onnx::File::open(bundle.textual->file);
  if (!textual) return textual.error();
  const Result<clip::TextTensors> text = choose_text_tensors(*textual, bundle);
  if (!text) return text.error();
  add_tensor("textual.ids", "text tower", "token ids", text->ids, report);
  if (text->mask) add_tensor("textual.mask", "text tower", "mask", *text->mask, report);
  add_tensor("textual.output", "text tower", "embedding", text->output, report);
  report.add("textual.opset", textual->opset(), "text tower", "opset " + std::to_string(textual->opset()));
  return ok();
}

Status add_image_tower(clip::Model& model, Report& report) {
  clip::ImageEncoder& encoder = model.encoder();
  const std::string& note = encoder.provider_note();
  report.add("provider", encoder.provider(), "provider");
  report.add("provider_note", note, "provider", note.empty() ? "as requested" : note);
  report.add("precision", encoder.precision(), "precision");
  const onnx::Processor& processor = onnx::this_processor();
  report.add("processor", {{"name", processor.name}, {"features", processor.features}}, "processor",
             processor.name + ", with " + (processor.features.empty() ? "unknown features" : processor.features));
  std::string providers;
  for (const std::string& name : onnx::providers()) providers += (providers.empty() ? "" : ", ") + name;
  report.add("providers", onnx::providers(), "runtime", "built with " + providers);
  report.add("runtime", onnx::version(), "runtime", "ONNX Runtime " + onnx::version());
  report.add("threads", encoder.threads(), "threads", std::to_string(encoder.threads()));
  report.add("embedding_size", encoder.embedding_size(), "embedding",
             std::to_string(encoder.embedding_size()) + " numbers");

  const std::vector<float> picture = clip::test_picture(0, model.bundle().tensor);
  std::vector<float> embedding(static_cast<std::size_t>(encoder.embedding_size()));
  float length = 0;
  const Result<Timing> timing = measure([&] { return encoder.encode(picture, 1, embedding, std::span(&length, 1)); });
  if (!timing) return timing.error();
  report.add("embedding_norm", length, "embedding",
             "length " + number(length, 5) + " before normalisation (test picture)");
  report.add("self_test.image", model.bundle().self_test.empty() ? "passed" : "passed, agrees with the bundle's values",
             "image self-test");
  add_timing("ms_per_frame", "time per frame", *timing, report);
  return ok();
}

Status add_text_tower(const clip::Bundle& bundle, clip::TextEncoder& encoder, Report& report) {
  const clip::TextInput& input = encoder.input();
  const std::string& source = bundle.textual->vocabulary;
  report.add("tokenizer.source", source.empty() ? Json("built-in") : Json(source), "tokenizer",
             source.empty() ? "CLIP's own vocabulary, built in" : source);
  report.add("tokenizer.size", input.tokenizer.size(), "tokenizer", std::to_string(input.tokenizer.size()) + " tokens");
  report.add("tokenizer.context_length", input.length, "tokenizer", std::to_string(input.length) + " ids per text");
  report.add("tokenizer.padding", input.padding, "tokenizer", "padded with " + std::to_string(input.padding));

  const std::string text = "a photo of a cat";
  const Result<Timing> timing = measure([&]() -> Status {
    if (const Result<clip::TextMatrix> row = encoder.encode(std::span(&text, 1)); !row) return row.error();
    return ok();
  });
  if (!timing) return timing.error();
  report.add("self_test.text",
             bundle.textual->self_test.text.empty() ? "passed" : "passed, agrees with the bundle's values",
             "text self-test");
  add_timing("ms_per_text", "time per text", *timing, report);
  return ok();
}

Result<std::size_t> add_text_bank(const clip::Bundle& bundle, Report& report) {
  const Result<clip::TextBank> bank = clip::TextBank::open(bundle.text_bank);
  if (!bank) return bank.error();
  std::string names;
  std::size_t shown = 0;
  for (const clip::Label& label : bank->all().labels) {
    if (shown == 8) break;
    names += (shown++ == 0 ? "" : ", ") + label.name;
  }
  const std::size_t count = bank->all().labels.size();
  report.add("labels", count, "labels", std::to_string(count) + ": " + names + (shown < count ? ", ..." : ""));
  return count;
}

void add_presence(const clip::Bundle& bundle, std::size_t labels, Report& report) {
  if (bundle.scoring == clip::Scoring::kSigmoid) return add_sigmoid_presence(bundle, report);
  const clip::PresenceTraits traits = clip::presence_traits(bundle);
  const bool is_default = traits.scale && !bundle.presence.scale;
  report.add("presence.scale", traits.scale ? Json(*traits.scale) : Json(), "presence",
             traits.scale ? "scale " + number(*traits.scale, 4) + (is_default ? ", as CLIP with logit scale 100" : "")
                          : "scale unknown, 1 is used: measure it with gst-bcp model calibrate");
  const double strength = traits.prior_strength.value_or(1);
  report.add("presence.prior_strength", strength, "presence", "prior strength " + number(strength, 4));
  const std::size_t everyday = decide::default_context(*decide::PriorTable::everyday()).size();
  const std::size_t words = bundle.textual ? everyday : labels;
  report.add("presence.text_tower", bundle.textual.has_value(), "presence",
             bundle.textual ? "text tower: any label, any context word"
                            : "no text tower: labels and context words are those of the model");
  report.add("presence.context_words", words, "presence", std::to_string(words) + " context words");
  const bool enough = words >= decide::Presence::kCalibrated;
  std::string reason;
  if (!traits.scale) reason = "the scale is unknown";
  if (!enough)
    reason += (reason.empty() ? "" : ", and ") + std::to_string(decide::Presence::kCalibrated) +
              " context words or more are needed";
  report.add("presence.calibrated", reason.empty(), "presence",
             reason.empty() ? "calibrated" : "not calibrated: " + reason);
}

void add_notes(const clip::Bundle& bundle, Report& report) {
  for (const std::string& note : bundle.notes) report.append("notes", note, "notes", note);
}

std::size_t add_comparison(const Golden& golden, const std::vector<Compared>& rows, Report& report) {
  report.add("golden.file", golden.file, "reference");
  std::size_t wrong = 0;
  std::vector<Row> table{{"", "expected", "found", "allowed", ""}};
  for (const Compared& row : rows) {
    if (!row.agrees()) ++wrong;
    table.push_back({row.what, number(row.expected, 6), number(row.found, 6), "+-" + number(row.tolerance, 3),
                     row.agrees() ? "agrees" : "differs"});
  }
  std::ostringstream text;
  print_table(text, table);
  std::istringstream lines(text.str());
  std::string line;
  std::getline(lines, line);
  report.add("golden.agrees", wrong == 0, "reference", line);
  for (const Compared& row : rows) {
    std::getline(lines, line);
    report.append("golden.values",
                  {{"what", row.what},
                   {"expected", row.expected},
                   {"found", row.found},
                   {"tolerance", row.tolerance},
                   {"agrees", row.agrees()}},
                  "reference", line);
  }
  return wrong;
}

}  // namespace bcp::cli
