// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Our contenders in tests/bench/compare: the whole element, and the bare run of its model.
//
//   contender element BUNDLE PROVIDER PRECISION CAPS FILE [STREAMS [LABELS_FILE]]   FILE: raw frames, one after the
//   other contender bare    BUNDLE PROVIDER PRECISION FILE                                FILE: float32 tensors
//
// The protocol is that of compare/contender.py: commands on standard input, one line of JSON on standard output for
// each. Everything runs on one thread, so the processor time of the process is the cost of the work.

#include <gst/bcp/gstbcpmeta.h>
#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "clip/model.hpp"
#include "gst_stats.hpp"
#include "onnx/session.hpp"

namespace {

using Embedding = std::vector<float>;

std::vector<char> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  bench::require(!bytes.empty(), path + " cannot be read, or is empty");
  return bytes;
}

double seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double resident_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmRSS:", 0) == 0) return std::atof(line.c_str() + 6) / 1024;
  return 0;
}

// Something that turns a numbered input into an embedding.
class Work {
 public:
  virtual ~Work() = default;
  virtual std::size_t inputs() const = 0;
  virtual void run(std::size_t input) = 0;  // one inference
  virtual Embedding embedding() = 0;        // of the last run
  virtual double inferences() const = 0;    // since the start, by the count of the code that makes them
  virtual std::string description() const = 0;
};

class BareRun : public Work {
 public:
  BareRun(const std::string& bundle, const bcp::onnx::SessionOptions& options, const std::string& path)
      : bytes_(contents(path)) {
    auto model = bcp::clip::Model::open(bundle, options);
    bench::require(static_cast<bool>(model), model ? "" : model.error().message);
    model_ = *model;
    const auto side = static_cast<std::size_t>(model_->bundle().tensor.size);
    tensor_bytes_ = 3 * side * side * sizeof(float);
    bench::require(bytes_.size() % tensor_bytes_ == 0, path + " does not hold whole tensors");
    output_.resize(static_cast<std::size_t>(model_->encoder().embedding_size()));
  }
  std::size_t inputs() const override { return bytes_.size() / tensor_bytes_; }
  void run(std::size_t input) override {
    const std::array pixels{static_cast<const void*>(bytes_.data() + input * tensor_bytes_)};
    bench::require(static_cast<bool>(model_->encoder().session().run(pixels, 1, output_.data())), "a run failed");
    ++runs_;
  }
  Embedding embedding() override { return output_; }
  double inferences() const override { return static_cast<double>(runs_); }
  std::string description() const override {
    return "ONNX Runtime " + bcp::onnx::version() + " " + model_->encoder().provider() + " " +
           model_->encoder().precision();
  }

 private:
  std::vector<char> bytes_;
  std::shared_ptr<bcp::clip::Model> model_;
  std::size_t tensor_bytes_ = 0, runs_ = 0;
  Embedding output_;
};

// Streams take turns: input n goes to stream n modulo their number.
class Element : public Work {
 public:
  Element(const std::string& properties, const std::string& caps, const std::string& path, int streams)
      : bytes_(contents(path)) {
    GstCaps* parsed = gst_caps_from_string(caps.c_str());
    GstVideoInfo info;
    bench::require(parsed && gst_video_info_from_caps(&info, parsed), caps + " are not caps of raw video");
    frame_bytes_ = GST_VIDEO_INFO_SIZE(&info);
    gst_caps_unref(parsed);
    bench::require(bytes_.size() % frame_bytes_ == 0, path + " does not hold whole frames");
    for (int i = 0; i < streams; ++i) {
      harnesses_.emplace_back(gst_harness_new_parse(("bcptagger " + properties).c_str()));
      bench::require(harnesses_.back() != nullptr, "no bcptagger: is GST_PLUGIN_PATH set?");
      gst_harness_set_src_caps_str(harnesses_.back().get(), caps.c_str());
    }
  }
  ~Element() override {
    if (last_) gst_buffer_unref(last_);
  }
  Element(const Element&) = delete;
  Element& operator=(const Element&) = delete;

  std::size_t inputs() const override { return bytes_.size() / frame_bytes_; }
  void run(std::size_t input) override {
    GstHarness* harness = harnesses_[frames_ % harnesses_.size()].get();
    GstBuffer* in = gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, bytes_.data() + input * frame_bytes_,
                                                frame_bytes_, 0, frame_bytes_, nullptr, nullptr);
    GST_BUFFER_PTS(in) = frames_ / harnesses_.size() * 40 * GST_MSECOND;
    ++frames_;
    GstBuffer* out = gst_harness_push_and_pull(harness, in);
    bench::require(out != nullptr, "the element returned no frame");
    if (last_) gst_buffer_unref(last_);
    last_ = out;
  }
  Embedding embedding() override {
    const GstBcpMeta* meta = last_ ? gst_buffer_get_bcp_meta(last_) : nullptr;
    guint size = 0;
    const gfloat* values = meta ? gst_bcp_result_get_embedding(meta->result, &size) : nullptr;
    bench::require(values != nullptr, "a frame carries no embedding");
    return {values, values + size};
  }
  double inferences() const override {
    double sum = 0;
    for (const auto& each : harnesses_) sum += stat(each.get(), "scored");
    return sum;
  }
  std::string description() const override {
    GstElement* tagger = gst_harness_find_element(harnesses_.front().get(), "bcptagger");
    GstStructure* stats = nullptr;
    g_object_get(tagger, "stats", &stats, nullptr);
    gst_object_unref(tagger);
    const char* provider = gst_structure_get_string(stats, "provider");
    const char* precision = gst_structure_get_string(stats, "precision");
    std::string text = std::string(provider ? provider : "") + " " + (precision ? precision : "");
    gst_structure_free(stats);
    return text;
  }

 private:
  struct Teardown {
    void operator()(GstHarness* harness) const { gst_harness_teardown(harness); }
  };
  static double stat(GstHarness* harness, const char* name) {
    GstElement* tagger = gst_harness_find_element(harness, "bcptagger");
    const double value = bench::stat(tagger, name);
    gst_object_unref(tagger);
    return value;
  }

  std::vector<char> bytes_;
  std::size_t frame_bytes_ = 0, frames_ = 0;
  std::vector<std::unique_ptr<GstHarness, Teardown>> harnesses_;
  GstBuffer* last_ = nullptr;
};

void print_embeddings(Work& work) {
  std::printf("{\"embeddings\": [");
  for (std::size_t i = 0; i < work.inputs(); ++i) {
    work.run(i);
    std::printf(i ? ", [" : "[");
    const Embedding values = work.embedding();
    for (std::size_t k = 0; k < values.size(); ++k) std::printf(k ? ", %.7g" : "%.7g", static_cast<double>(values[k]));
    std::printf("]");
  }
  std::printf("]}\n");
}

void print_cost(Work& work, std::size_t frames) {
  const double scored = work.inferences(), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
  for (std::size_t i = 0; i < frames; ++i) work.run(i % work.inputs());
  const double cpu_end = seconds(CLOCK_PROCESS_CPUTIME_ID), wall_end = seconds(CLOCK_MONOTONIC);
  std::printf("{\"frames\": %zu, \"inferences\": %.0f, \"cpu\": %.9f, \"wall\": %.9f, \"resident\": %.1f}\n", frames,
              work.inferences() - scored, cpu_end - cpu, wall_end - wall, resident_megabytes());
}

bcp::onnx::SessionOptions session_options(const std::string& provider, const std::string& precision) {
  using bcp::onnx::Precision;
  using bcp::onnx::Provider;
  bcp::onnx::SessionOptions options{.threads = 1};
  options.provider = provider == "openvino" ? Provider::kOpenVino : Provider::kCpu;
  options.precision = precision == "bf16"   ? Precision::kBf16
                      : precision == "int8" ? Precision::kInt8
                                            : Precision::kFp32;
  return options;
}

std::unique_ptr<Work> work_of(const std::vector<std::string>& arguments) {
  const std::string& bundle = arguments[1];
  if (arguments[0] == "bare")
    return std::make_unique<BareRun>(bundle, session_options(arguments[2], arguments[3]), arguments[4]);
  const int streams = arguments.size() > 6 ? std::stoi(arguments[6]) : 1;
  std::string properties =
      "mode=sync intra-op-threads=1 attach-embedding=true model-instance-id=contender model=" + bundle +
      " execution-provider=" + arguments[2] + " precision=" + arguments[3];
  if (arguments.size() > 7) properties += " labels-file=" + arguments[7];
  return std::make_unique<Element>(properties, arguments[4], arguments[5], streams);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool element = !arguments.empty() && arguments[0] == "element";
  if (arguments.size() < (element ? 6U : 5U)) {
    std::fprintf(stderr, "usage: see the top of tests/bench/contender.cpp\n");
    return 2;
  }
  gst_init(nullptr, nullptr);
  const std::unique_ptr<Work> work = work_of(arguments);
  work->run(0);  // loads what the first run loads
  std::printf("{\"ready\": \"%s\", \"inputs\": %zu}\n", work->description().c_str(), work->inputs());
  std::fflush(stdout);
  for (std::string command; std::getline(std::cin, command);) {
    if (command == "embeddings")
      print_embeddings(*work);
    else
      print_cost(*work, std::stoul(command));
    std::fflush(stdout);
  }
  return 0;
}
