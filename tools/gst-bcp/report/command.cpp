// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp report: a page about stored results.

#include "gst-bcp/report/command.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "gst-bcp/common/table.hpp"
#include "gst-bcp/report/page.hpp"

namespace bcp::cli {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  PageRequest request;
  bool force = false;
};

// The command line, to reproduce the page.
std::vector<std::string> command_of(const PageRequest& request) {
  std::vector<std::string> words = {"gst-bcp", "report", request.results};
  const auto add = [&words](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--prior", request.prior);
  add("--video", request.video);
  add("--title", request.title);
  add("--out", request.page);
  return words;
}

// Whether the page may be written there.
Status check_place(const ReportOptions& options) {
  const std::string& page = options.request.page;
  std::error_code ignored;
  for (const std::string* input : {&options.request.results, &options.request.prior, &options.request.video})
    if (fs::equivalent(page, *input, ignored))
      return Error{ErrorCode::kInvalid,
                   "the page would replace " + *input + ", which is its input: give another --out"};
  const fs::file_status there = fs::status(page, ignored);
  if (!fs::exists(there)) return ok();
  if (!fs::is_regular_file(there))
    return Error{ErrorCode::kInvalid, page + " is not a regular file: give another --out"};
  if (options.force) return ok();
  return Error{ErrorCode::kInvalid, page + " already exists: add --force to replace it, or give another --out"};
}

Status write(ReportOptions options) {
  PageRequest& request = options.request;
  std::error_code ignored;
  if (!fs::exists(request.results, ignored))
    return Error{ErrorCode::kNotFound, "there is no file " + request.results +
                                           ": give a file written by bcppublish location=FILE or gst-bcp run --jsonl"};
  if (request.page.empty()) request.page = fs::path(request.results).replace_extension(".html").string();
  if (const Status place = check_place(options); !place) return place;
  request.command = command_of(request);
  const Result<PageSummary> summary = write_page(request);
  if (!summary) return summary.error();

  std::cout << printable(request.page) << ": " << summary->results
            << (summary->results == 1 ? " result, " : " results, ")
            << bytes_for_people(fs::file_size(request.page, ignored)) << '\n';
  for (const std::string& remark : summary->remarks) std::cout << "note: " << printable(remark) << '\n';
  if (summary->skipped > 0) {
    std::cout << "skipped " << summary->skipped
              << (summary->skipped == 1 ? " line that is not a result" : " lines that are not results") << ":\n";
    for (const std::string& fault : summary->first_faults) std::cout << "  " << printable(fault) << '\n';
    if (summary->skipped > summary->first_faults.size())
      std::cout << "  and " << summary->skipped - summary->first_faults.size() << " more\n";
  }
  return ok();
}

}  // namespace

Command report_command(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  PageRequest& request = options->request;
  CLI::App& command = *app.add_subcommand(
      "report",
      "Write an HTML page about stored results: the labels, what the correction changed and why. It is one file that "
      "needs no network.");
  command
      .add_option("JSONL", request.results,
                  "Results: a file written by bcppublish location=FILE or gst-bcp run --jsonl")
      ->required()
      ->type_name(" ");
  command
      .add_option("--prior", request.prior,
                  "The prior file (bcptagger's prior-file) with what was learnt: for the heat map of labels that occur "
                  "together, and the reasons of changes")
      ->type_name("FILE");
  command.add_option("--video", request.video, "The video of the results, for thumbnails")->type_name("FILE|URI");
  command
      .add_option("--out", request.page,
                  "The page to write (default: the name of the results with the extension .html)")
      ->type_name("FILE");
  command.add_option("--title", request.title, "Title of the page (default: the name of the results)")
      ->type_name("TEXT");
  command.add_flag("--force", options->force, "Replace an existing page");
  command.footer("Example:\n  gst-bcp report out/demo.jsonl --video street.mp4 --out street.html");
  return {&command, [options] { return write(*options); }};
}

}  // namespace bcp::cli
