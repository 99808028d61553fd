// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/eval/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "gst-bcp/common/options.hpp"

namespace bcp::cli {
namespace {

constexpr const char* kAll = "all";
constexpr std::array<std::string_view, 6> kOfArrays = {"--logits", "--embeddings", "--text",
                                                       "--scale",  "--truth",      "--names"};

std::string choices_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  return text;
}

// An option with values from a list of words; it may be given several times, unless one value is expected.
CLI::Option& add_words(CLI::App& command, const std::string& name, const std::vector<std::string>& choices,
                       const std::function<void(const std::string&)>& take, const std::string& help) {
  const auto take_all = [name, choices, take](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      if (std::find(choices.begin(), choices.end(), word) == choices.end())
        throw CLI::ValidationError(name, "\"" + word + "\" is not one of " + choices_of(choices));
      take(word);
    }
  };
  return *command.add_option_function<std::vector<std::string>>(name, take_all, help)
              ->allow_extra_args(false)
              ->delimiter(',')
              ->type_name(choices_of(choices));
}

template <typename Value>
void add_if_new(std::vector<Value>& values, Value value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

void add_adapters(CLI::App& command, EvalOptions& options) {
  std::vector<std::string> nicks;
  for (const eval::MethodInfo& info : eval::method_kinds()) nicks.push_back(info.nick);
  nicks.push_back(kAll);
  const auto take = [&options, first = true](const std::string& nick) mutable {
    if (std::exchange(first, false)) options.adapters.clear();
    if (nick == kAll)
      options.all_adapters = true;
    else
      add_if_new(options.adapters, eval::find_method(nick)->kind);
  };
  add_words(
      command, "--adapter", nicks, take,
      "A method to evaluate besides plain CLIP, which is always included; may be repeated. BCP is shown with both "
      "presets (default: bcp)");
}

void add_protocols(CLI::App& command, EvalOptions& options) {
  std::vector<std::string> names;
  for (const eval::ProtocolInfo& info : eval::protocols()) names.push_back(info.name);
  names.push_back(kAll);
  const auto take = [&options](const std::string& name) {
    if (name == kAll)
      options.all_protocols = true;
    else
      add_if_new(options.protocols, eval::find_protocol(name)->protocol);
  };
  add_words(command, "--protocol", names, take,
            "An additional table, listed below; all: every protocol the selected methods support; may be "
            "repeated");
}

void add_inputs(CLI::App& command, EvalOptions& options) {
  const auto file = [&](const char* name, std::string& path, const char* help) {
    command.add_option(name, path, help)->type_name("FILE");
  };
  file("--logits", options.files.logits, "The logits of a model: [samples, labels], a NumPy file");
  file("--embeddings", options.files.embeddings,
       "The pictures' embeddings [samples, numbers]: with --text instead of --logits, or besides --logits for the "
       "novelty gate and the methods that need embeddings");
  file("--text", options.files.text,
       "The labels' text embeddings [labels, numbers]: with --embeddings, instead of --logits");
  CLI::Option* const scale = command.add_option(
      "--scale", options.files.scale, "Factor for --embeddings with --text: logits = scale * cosine (default: 100)");
  require_between(*scale->type_name("NUMBER"), {1e-6, 1e6});
  file("--truth", options.truth, "Ground truth [samples, labels]: 1 present, 0 absent, -1 ignored");
  file("--names", options.names, "The labels' names, one per line");
  file("--order", options.order,
       "The order in which samples are processed: [samples], or several orders: [orders, samples] (default: the order "
       "of the file)");
}

void add_judging(CLI::App& command, EvalOptions& options) {
  command.add_option("--seed", options.seed, "Seed of random orders, shots and triples of labels (default: 0)")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  command
      .add_option(
          "--video-shots", options.video_shots,
          "Number of shots in the video of --protocol video (default: " + std::to_string(options.video_shots) + ")")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}).description(""))
      ->type_name("N");
  const auto score = [&options](const std::string& word) {
    options.score = word == "softmax" ? eval::Ranking::kSoftmax : eval::Ranking::kLogits;
  };
  add_words(command, "--score", {"logits", "softmax"}, score,
            "Ranking to print first: by logits, as in the paper, or by softmax; both are always printed "
            "(default: logits)")
      .expected(1);
  const auto difficult = [&options](const std::string& word) {
    options.difficult = word == "absent" ? eval::Difficult::kAbsent : eval::Difficult::kIgnore;
  };
  add_words(command, "--difficult", {"ignore", "absent"}, difficult,
            "How -1 in the ground truth counts: ignored, or as 0 (default: ignore)")
      .expected(1);
}

// Checks that involve several options.
void check_together(const EvalOptions& options) {
  const bool on_arrays = options.dataset.dataset.empty();
  if (on_arrays && options.files.logits.empty() && (options.files.embeddings.empty() || options.files.text.empty()))
    throw CLI::RequiredError(
        "--logits FILE, or --embeddings FILE with --text FILE, or --dataset NAME with --root DIR,");
  if (on_arrays && options.truth.empty()) throw CLI::RequiredError("--truth FILE");
  if (options.json == kStandardOutput && options.csv == kStandardOutput)
    throw CLI::ValidationError("--csv", "only one of --json and --csv can go to standard output");
  if (options.html == kStandardOutput) throw CLI::ValidationError("--html", "a page needs a file: give its name");
}

}  // namespace

void add_eval_options(CLI::App& command, EvalOptions& options) {
  add_inputs(command, options);
  add_dataset(command, options.dataset);
  add_adapters(command, options);
  add_protocols(command, options);
  add_judging(command, options);
  command.add_option("--json", options.json, "Write all results as JSON; - is standard output, instead of the tables")
      ->type_name("FILE");
  command
      .add_option("--csv", options.csv,
                  "Write all numbers as CSV, one per line; - is standard output, instead of the tables")
      ->type_name("FILE");
  command.add_option("--html", options.html, "Write an HTML page with plots: one file that needs no network")
      ->type_name("FILE");
  add_bcp(command, options.bcp);
  add_presence(command, options.presence);
  command.final_callback([&command, &options] {
    check_dataset(command, options.dataset, kOfArrays);
    check_together(options);
  });
}

const char* name_of(eval::Ranking ranking) {
  return ranking == eval::Ranking::kLogits ? "logits" : "softmax";
}

const char* name_of(eval::Difficult difficult) {
  return difficult == eval::Difficult::kIgnore ? "ignore" : "absent";
}

}  // namespace bcp::cli
