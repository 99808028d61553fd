// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp prior export: a prior file for other programs (CSV, NumPy) and as a page (HTML).

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/npy.hpp"
#include "base/number_text.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/prior/commands.hpp"
#include "gst-bcp/prior/heat_map.hpp"
#include "gst-bcp/prior/output.hpp"
#include "gst-bcp/prior/pairs.hpp"
#include "gst-bcp/prior/taught.hpp"
#include "prior/snapshot.hpp"

namespace bcp::cli {
namespace {

constexpr std::size_t kMapLabels = 40, kMostMapLabels = 300;
constexpr std::size_t kMostArrayLabels = 20'000;  // 3.2 GB of pairs

enum class What { kPairs, kLabels, kTaught };

struct ExportOptions {
  std::string file, output;
  What what = What::kPairs;
  std::size_t top = 0;
  double support = 0;
  bool force = false;
};

// As RFC 4180: quotes only where they are needed.
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& each : cells) line += (line.empty() ? "" : ",") + csv_text(each);
  return line + "\n";
}

std::string exact(double number) {
  return number_text("%.17g", number);
}

std::string labels_csv(const prior::Snapshot& prior, const std::vector<std::size_t>& labels) {
  std::string text = csv_line({"label", "samples", "share"});
  for (const std::size_t k : labels)
    text += csv_line({prior.labels[k], exact(prior.seen.single()[k]), exact(share_of(prior.seen, k))});
  return text;
}

std::string pairs_csv(const prior::Snapshot& prior, const std::vector<std::size_t>& labels, double support) {
  std::string text = csv_line({"first", "second", "seen", "expected", "information"});
  for (std::size_t x = 0; x < labels.size(); ++x) {
    for (std::size_t y = x + 1; y < labels.size(); ++y) {
      const std::size_t a = labels[x], b = labels[y];
      const auto since = prior.seen.since(a, b);
      const double both = prior.seen.pair(a, b);
      const double expected = since.samples > 0 ? since.single[a] * since.single[b] / since.samples : 0;
      if (std::max(both, expected) < support) continue;
      text += csv_line({prior.labels[a], prior.labels[b], exact(both), exact(expected),
                        both > 0 && expected > 0 ? exact(std::log(both / expected)) : ""});
    }
  }
  return text;
}

std::string taught_csv(const prior::Snapshot& prior) {
  std::string text = csv_line({"label", "offset", "sd", "initial sd"});
  for (const TaughtLabel& label : taught_labels(prior.taught))
    text += csv_line({label.label, exact(label.offset), exact(label.sd), exact(label.initial_sd)});
  return text;
}

// float64: U [labels, labels], or m [labels].
Status write_array(const prior::Snapshot& prior, const ExportOptions& options, const std::vector<std::size_t>& labels) {
  if (options.what == What::kTaught)
    return Error{ErrorCode::kInvalid, "corrections have no array: name a file that ends in .csv"};
  const bool pairs = options.what == What::kPairs;
  if (labels.empty()) return Error{ErrorCode::kInvalid, options.file + " has no labels, so there is no array to write"};
  if (pairs && labels.size() > kMostArrayLabels) {
    return Error{ErrorCode::kInvalid, "the pairs of " + std::to_string(labels.size()) +
                                          " labels do not fit in an array: --top " + std::to_string(kMostArrayLabels) +
                                          " exports the most frequent ones"};
  }
  const std::vector<std::size_t> shape =
      pairs ? std::vector<std::size_t>{labels.size(), labels.size()} : std::vector<std::size_t>{labels.size()};
  Result<NpyWriter> writer = NpyWriter::create(options.output, NpyType::kFloat64, shape);
  if (!writer) return writer.error();
  std::vector<double> column(prior.labels.size()), row(pairs ? labels.size() : 1);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    row[0] = prior.seen.single()[labels[i]];
    if (pairs) {
      prior.seen.column(labels[i], column);
      for (std::size_t j = 0; j < labels.size(); ++j) row[j] = column[labels[j]];
    }
    if (const Status written = writer->row(i, row); !written) return written;
  }
  return writer->finish();
}

Status export_file(const ExportOptions& options) {
  const bool html = options.output.ends_with(".html"), csv = options.output.ends_with(".csv");
  if (!html && !csv && !options.output.ends_with(".npy")) {
    return Error{ErrorCode::kInvalid,
                 "the name of " + options.output + " does not say how to write it: it must end in .csv, .npy or .html"};
  }
  const Result<prior::Snapshot> prior = prior::load_snapshot(options.file);
  if (!prior) return prior.error();
  if (const Status writable = check_output_file(options.output, options.force); !writable) return writable;
  std::vector<std::size_t> labels(prior->labels.size());
  for (std::size_t k = 0; k < labels.size(); ++k) labels[k] = k;
  if (options.top > 0 || html) {
    const std::size_t most = options.top > 0 ? options.top : kMapLabels;
    labels = likeliest(prior->seen, html ? std::min(most, kMostMapLabels) : most);
  }
  Status written = ok();
  if (html) {
    written = replace_file(options.output, heat_map_page(*prior, options.file, labels));
  } else if (csv) {
    written = replace_file(options.output, options.what == What::kPairs    ? pairs_csv(*prior, labels, options.support)
                                           : options.what == What::kLabels ? labels_csv(*prior, labels)
                                                                           : taught_csv(*prior));
  } else {
    written = write_array(*prior, options, labels);
  }
  if (!written) return written;
  std::cout << printable(options.output) << ": " << counted(labels.size(), "label") << " of " << printable(options.file)
            << '\n';
  return ok();
}

}  // namespace

Command prior_export(CLI::App& group) {
  CLI::App& command = *group.add_subcommand("export",
                                            "Write a prior file for other programs: CSV, a NumPy array, or an HTML "
                                            "page with a heat map of the labels that occur "
                                            "together. The ending of OUT decides.");
  const auto options = std::make_shared<ExportOptions>();
  command.add_option("FILE", options->file, "The prior file")->required()->type_name(" ");
  command.add_option("OUT", options->output, "The file to write: .csv, .npy or .html")->required()->type_name(" ");
  command.add_option("--what", options->what, "pairs, labels or taught (people's corrections; CSV only)")
      ->transform(CLI::CheckedTransformer(
                      std::vector<std::pair<std::string, What>>{
                          {"pairs", What::kPairs}, {"labels", What::kLabels}, {"taught", What::kTaught}},
                      CLI::ignore_case)
                      .description(""))
      ->type_name("WHAT")
      ->default_str("pairs");
  command
      .add_option("--top", options->top,
                  "Only the N most frequent labels, most frequent first (default: all in the order of the file; "
                  "HTML: 40, at most 300)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}).description(""))
      ->type_name("N");
  command
      .add_option("--support", options->support,
                  "CSV: only pairs that were seen, or expected by chance, in at least this many samples")
      ->check(CLI::Range(0.0, 1e9).description(""))
      ->type_name("SAMPLES")
      ->capture_default_str();
  command.add_flag("--force", options->force, "Overwrite OUT if it exists");
  command.footer(
      "pairs: CSV has a line for each pair, seen together and expected by chance; .npy is U [labels, labels], "
      "float64.\n"
      "labels: the sum of each label's probabilities, and its share of the samples; .npy is m [labels], float64.\n\n"
      "Examples:\n  gst-bcp prior export door.prior door.html\n"
      "  gst-bcp prior export door.prior pairs.csv --support 1\n"
      "  gst-bcp prior export door.prior u.npy");
  return {&command, [options] { return export_file(*options); }};
}

}  // namespace bcp::cli
