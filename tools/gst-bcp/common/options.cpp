// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/options.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <sstream>

#include "clip/bundle/open_variant.hpp"

namespace bcp::cli {
namespace {

// One of some words.
template <typename Value>
void add_choice(CLI::App& command, const std::string& name, Value& value, const std::map<std::string, Value>& choices,
                const std::string& help) {
  std::string all;
  for (const auto& [word, meant] : choices) all += (all.empty() ? "" : "|") + word;
  const auto choose = [&value, choices, name, all](const std::string& word) {
    const auto choice = choices.find(word);
    if (choice == choices.end()) throw CLI::ValidationError(name, "\"" + word + "\" is not one of " + all);
    value = choice->second;
  };
  command.add_option_function<std::string>(name, choose, help)->type_name(all);
}

CLI::Validator ends_in_npy(const std::string& way_out) {
  const auto check = [way_out](std::string& name) -> std::string {
    if (name.size() > 4 && name.ends_with(".npy")) return {};
    return name + " does not end in .npy, so it is not written to: " + way_out;
  };
  return CLI::Validator(check, "", "output");
}

}  // namespace

void add_model(CLI::App& command, std::string& model, const std::string& names) {
  command
      .add_option(names, model,
                  "A model: its directory, or a name that `gst-bcp model list` shows (default: " +
                      std::string(clip::kBundledModel) + ")")
      ->type_name("DIR|NAME");
}

void add_execution(CLI::App& command, onnx::SessionOptions& options) {
  using onnx::Provider;
  add_choice<Provider>(command, "--provider", options.provider,
                       {{"auto", Provider::kAuto},
                        {"cpu", Provider::kCpu},
                        {"cuda", Provider::kCuda},
                        {"openvino", Provider::kOpenVino}},
                       "What runs the model; auto uses the first that works of CUDA, OpenVINO and the CPU (default: "
                       "auto)");
  using onnx::Precision;
  add_choice<Precision>(
      command, "--precision", options.precision,
      {{"auto", Precision::kAuto}, {"fp32", Precision::kFp32}, {"bf16", Precision::kBf16}, {"int8", Precision::kInt8}},
      "Number format of the model's arithmetic; auto uses bf16 with OpenVINO if the processor supports "
      "it (default: auto)");
  command.add_option("--threads", options.threads, "Threads of one inference; 0: gst-bcp chooses (default: 0)")
      ->check(CLI::Range(0, 1024).description(""))
      ->type_name("N");
}

void add_coverage(CLI::App& command, image::Coverage& coverage) {
  using image::Coverage;
  add_choice<Coverage>(
      command, "--coverage", coverage,
      {{"centre", Coverage::kCentre}, {"squash", Coverage::kSquash}, {"tiles", Coverage::kTiles}},
      "Part of the picture the model sees. centre: as the model was trained (CLIP: the middle square, SigLIP: all); "
      "squash: all, resized to a square; tiles: all, as a few squares (default: centre)");
}

void add_output(CLI::App& command, std::string& path) {
  command.add_option("OUT.npy", path, "The NumPy file to write; an existing file is replaced")
      ->required()
      ->check(ends_in_npy("give the output last, as in result.npy"))
      ->type_name(" ");
}

CLI::Option* add_output(CLI::App& command, const std::string& name, std::string& path, const std::string& help) {
  return command.add_option(name, path, help)
      ->check(ends_in_npy("give a file such as result.npy"))
      ->type_name("FILE.npy");
}

void require_between(CLI::Option& option, const Bounds& bounds) {
  const auto check = [bounds](std::string& text) -> std::string {
    double number = 0;
    if (CLI::detail::lexical_cast(text, number) && number >= bounds.least && number <= bounds.most) return {};
    std::ostringstream sentence;
    sentence << '"' << text << "\" is not a number from " << bounds.least << " to " << bounds.most << bounds.way_out;
    return sentence.str();
  };
  option.check(CLI::Validator(check, "", "number"));
}

Result<clip::Bundle> open_bundle(const std::string& model, onnx::Precision precision) {
  const Result<std::string> directory = clip::find_bundle(model);
  if (!directory) return directory.error();
  return clip::open_variant(*directory, precision);
}

}  // namespace bcp::cli
