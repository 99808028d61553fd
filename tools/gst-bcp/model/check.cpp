// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp model check: whether a model works, and its properties.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "gst-bcp/common/options.hpp"
#include "gst-bcp/common/report.hpp"
#include "gst-bcp/model/commands.hpp"
#include "gst-bcp/model/findings.hpp"
#include "gst-bcp/model/golden.hpp"

namespace bcp::cli {
namespace {

struct CheckOptions {
  std::string model = clip::kBundledModel;
  onnx::SessionOptions execution;
  bool json = false, golden = false;
  std::string golden_file;  // empty: the file for this model
};

Result<Golden> open_golden(const CheckOptions& options, const clip::Bundle& bundle) {
  if (options.golden_file.empty()) return Golden::find(bundle.name);
  std::error_code ignored;
  if (std::filesystem::exists(options.golden_file, ignored)) return Golden::read(options.golden_file);
  return Error{ErrorCode::kNotFound, "there is no file of reference values " + options.golden_file +
                                         ": check the path; give the name of a model before --golden"};
}

Status check_golden(const Golden& golden, clip::Model& model, clip::TextEncoder* text_encoder, Report& report) {
  const Result<std::vector<Compared>> rows = compare(golden, model, text_encoder);
  if (!rows) return rows.error();
  const std::size_t wrong = add_comparison(golden, *rows, report);
  if (wrong == 0) return ok();
  return Error{ErrorCode::kInvalid,
               "the model " + model.bundle().name + " does not compute what " + golden.file +
                   " expects: " + std::to_string(wrong) + " of " + std::to_string(rows->size()) +
                   " values differ by more than the tolerance; check that the file is for this model, "
                   "and how the model was exported"};
}

// Puts all findings into `report`, up to the first error.
Status check(const CheckOptions& options, Report& report) {
  const Result<clip::Bundle> bundle = open_bundle(options.model, options.execution.precision);
  if (!bundle) return bundle.error();
  std::optional<Golden> golden;  // first: a missing file is found quickly
  if (options.golden) {
    Result<Golden> found = open_golden(options, *bundle);
    if (!found) return found.error();
    golden = *std::move(found);
  }
  add_bundle(*bundle, report);
  if (const Status sound = add_tensors(*bundle, report); !sound) return sound;

  const Result<std::shared_ptr<clip::Model>> model = clip::Model::open(options.model, options.execution);
  if (!model) return model.error();
  if (const Status fit = add_image_tower(**model, report); !fit) return fit;
  std::unique_ptr<clip::TextEncoder> text_encoder;
  if (bundle->textual) {
    Result<std::unique_ptr<clip::TextEncoder>> opened = clip::TextEncoder::open((*model)->bundle(), options.execution);
    if (!opened) return opened.error();
    text_encoder = *std::move(opened);
    if (const Status fit = add_text_tower((*model)->bundle(), *text_encoder, report); !fit) return fit;
  }
  std::size_t labels = 0;
  if (!bundle->text_bank.empty()) {
    const Result<std::size_t> count = add_text_bank(*bundle, report);
    if (!count) return count.error();
    labels = *count;
  }
  add_presence(*bundle, labels, report);
  add_notes(*bundle, report);
  if (golden) return check_golden(*golden, **model, text_encoder.get(), report);
  return ok();
}

Status check_and_print(const CheckOptions& options) {
  Report report;
  const Status fit = check(options, report);
  if (fit)
    report.add("fit", true, "verdict", "fit");
  else if (options.json)
    report.add("fit", false, "verdict", "unfit"), report.add("reason", fit.error().message, "reason");
  if (options.json)
    report.print_json(std::cout);
  else
    report.print_table(std::cout);
  return fit;
}

}  // namespace

Command model_check(CLI::App& group) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App& command = *group.add_subcommand(
      "check",
      "Load a model, run its self-tests and show its properties: files, tensors, sizes, provider and speed. "
      "Fails with the reason if the model does not work.");
  add_model(command, options->model, "MODEL,--model");
  add_execution(command, options->execution);
  command.add_flag("--json", options->json, "Print the findings as JSON");
  CLI::Option& golden = *command.add_option(
      "--golden", options->golden_file,
      "Also compare with reference values in FILE (default: the values for this model in models/golden): logits and "
      "embeddings of the original model");
  golden.expected(0, 1)->type_name("[FILE]");
  command.footer(
      "Examples:\n  gst-bcp model check mini\n  gst-bcp model check ./my-clip --provider cpu --threads 2\n"
      "  gst-bcp model check clip-vit-b32 --golden");
  return {&command, [options, &golden] {
            options->golden = golden.count() > 0;
            return check_and_print(*options);
          }};
}

}  // namespace bcp::cli
