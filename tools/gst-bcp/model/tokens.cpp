// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp model tokens: the token ids of a text.

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <vector>

#include "clip/text_input.hpp"
#include "gst-bcp/common/options.hpp"
#include "gst-bcp/model/commands.hpp"
#include "onnx/file.hpp"

namespace bcp::cli {
namespace {

struct TokensOptions {
  std::vector<std::string> texts;
  std::string file, model;
  std::size_t length = 0;  // 0: the model's own
};

Result<clip::TextInput> open_input(const std::string& model) {
  if (model.empty()) {
    Result<tokenize::Tokenizer> tokenizer = tokenize::Tokenizer::clip();
    if (!tokenizer) return tokenizer.error();
    return clip::TextInput{.tokenizer = *std::move(tokenizer)};
  }
  const Result<clip::Bundle> bundle = open_bundle(model);
  if (!bundle) return bundle.error();
  if (!bundle->textual)
    return Error{ErrorCode::kInvalid, "the model " + bundle->name +
                                          " has no text tower, so it has no tokens: leave out --model for CLIP's own "
                                          "vocabulary, or give a model with a text tower"};
  const Result<onnx::File> tower = onnx::File::open(bundle->textual->file);
  if (!tower) return tower.error();
  const Result<clip::TextTensors> tensors = clip::choose_text_tensors(*tower, *bundle);
  if (!tensors) return tensors.error();
  return clip::TextInput::open(*bundle, tensors->ids);
}

void print_ids(const clip::TextInput& input, std::string_view text) {
  std::string line;
  for (const tokenize::TokenId id : input.ids(text)) {
    if (!line.empty()) line += ' ';
    line += std::to_string(id);
  }
  std::cout << line << '\n';
}

// One text per line; lines are not kept in memory.
Status print_lines(const clip::TextInput& input, std::istream& lines, const std::string& name) {
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    print_ids(input, line);
    if (!std::cout) return ok();  // standard output is closed: the program reports it
  }
  if (lines.bad()) return Error{ErrorCode::kRuntime, "cannot read " + name + ": " + std::strerror(errno)};
  return ok();
}

Status tokens(const TokensOptions& options) {
  Result<clip::TextInput> input = open_input(options.model);
  if (!input) return input.error();
  if (options.length > 0) input->length = options.length;

  if (options.file.empty()) {
    for (const std::string& text : options.texts) print_ids(*input, text);
    return ok();
  }
  std::ios::sync_with_stdio(false);
  if (options.file == "-") return print_lines(*input, std::cin, "standard input");
  std::ifstream file(options.file);
  // A directory can be opened, but fails at the first read.
  if (!file || (file.peek(), file.bad()))
    return Error{ErrorCode::kNotFound, "cannot read " + options.file + ": " + std::strerror(errno) +
                                           "; give a file with one text per line, or - for standard input"};
  file.clear();
  return print_lines(*input, file, options.file);
}

}  // namespace

Command model_tokens(CLI::App& group) {
  const auto options = std::make_shared<TokensOptions>();
  CLI::App& command = *group.add_subcommand(
      "tokens",
      "Print the token ids of texts, with start and end tokens, one line per text. Without --model, CLIP's own "
      "vocabulary is used. No model is loaded.");
  const std::string texts_help = "The texts, each in quotes";
  CLI::Option& texts = *command.add_option("TEXT", texts_help)->type_name(" ");
  texts.expected(CLI::detail::expected_max_vector_size);
  // One by one: in a vector, a single "{}" would become no text.
  texts.each([options](const std::string& text) { options->texts.push_back(text); });
  CLI::Option& file =
      *command.add_option("--file", options->file, "Read the texts from a file, one per line (- is standard input)");
  file.type_name("FILE")->excludes(&texts);
  command
      .add_option("--model", options->model,
                  "Use this model's vocabulary and length: its directory, or a name that `gst-bcp model list` shows")
      ->type_name("DIR|NAME");
  command
      .add_option("--length", options->length,
                  "Maximum number of ids; longer texts are truncated and keep the end token (default: the model's)")
      ->check(CLI::Range(2, 4096).description(""))
      ->type_name("N");
  command.footer("Example: gst-bcp model tokens \"a photo of a cat\"");
  command.callback([&texts, &file] {
    if (texts.empty() && file.empty()) throw CLI::RequiredError("A text in quotes, or --file");
  });
  return {&command, [options] { return tokens(*options); }};
}

}  // namespace bcp::cli
