// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/record_options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "condition/condition.hpp"

namespace bcp::cli::run {
namespace {

// The number at the beginning of the text, and the rest of it.
std::optional<std::pair<double, std::string>> split_number(const std::string& text) {
  double number = 0;
  const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  return std::pair{number, std::string(rest, text.data() + text.size())};
}

}  // namespace

Result<double> parse_time_span(const std::string& text) {
  const auto split = split_number(text);
  double unit = split && (split->second.empty() || split->second == "s") ? 1 : 0;
  if (split && split->second == "m") unit = 60;
  if (split && split->second == "h") unit = 3600;
  if (split && split->second == "d") unit = 24 * 3600;
  if (unit == 0 || split->first * unit > 100 * 365.0 * 24 * 3600)
    return invalid("\"" + text + "\" is not a time: give seconds, or a number with m, h or d, as in 30d");
  return split->first * unit;
}

Result<std::uint64_t> parse_size(const std::string& text) {
  const auto split = split_number(text);
  double unit = split && split->second.empty() ? 1 : 0;
  if (split && split->second.size() == 1) {
    const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(split->second[0])));
    const std::string letters = "KMGT";
    if (const std::size_t power = letters.find(letter); power != std::string::npos)
      unit = std::pow(1000.0, static_cast<double>(power + 1));
  }
  if (unit == 0 || split->first * unit > 1e18 || split->first * unit < 1)
    return invalid("\"" + text + "\" is not a size: give bytes, or a number with K, M, G or T, as in 10G");
  return static_cast<std::uint64_t>(split->first * unit);
}

std::string record_folder(const RecordOptions& options, const std::string& source) {
  std::string name = source.empty() || source == "." || source == ".." ? "_" + source : source;
  std::replace(name.begin(), name.end(), '/', '_');
  return (std::filesystem::path(options.folder) / name).string();
}

Status check_recording(const RecordOptions& options, const std::vector<Input>& inputs) {
  const bool has_more = !options.when.empty() || !options.container.empty() || options.segment || options.before ||
                        options.after || options.keep_for || options.keep_bytes;
  if (options.folder.empty())
    return has_more
               ? Status(invalid("the options of recordings need a folder: add --record, as in --record recordings/"))
               : ok();
  if (!options.container.empty() && options.container != "mp4" && options.container != "mkv")
    return invalid("--record-format " + options.container + " is not known: give mp4 or mkv");
  if (options.segment && *options.segment < 1)
    return invalid("--record-segment is less than a second: give at least 1");
  if ((options.before || options.after) && options.when.empty())
    return invalid("--record-before and --record-after are about clips: add --record-when, as in --record-when person");
  if (!options.when.empty())
    if (const Result<condition::Condition> condition = condition::Condition::parse(options.when); !condition)
      return invalid("--record-when: " + condition.error().message);
  std::error_code error;
  if (std::filesystem::exists(options.folder, error) && !std::filesystem::is_directory(options.folder, error))
    return invalid("--record " + options.folder + " is a file: give a folder");
  std::set<std::string> folders;
  bool has_live = false;
  for (const Input& input : inputs) {
    has_live |= !input.fault.empty();  // which is reported
    if (input.kind != InputKind::kLive) continue;
    has_live = true;
    if (!folders.insert(record_folder(options, input.source)).second)
      return invalid("two inputs would be recorded into " + record_folder(options, input.source) +
                     ": give each its own name, as in door=rtsp://…");
  }
  if (!has_live)
    return invalid("--record is for cameras, and no input is one: add --live to record a file as it plays");
  return ok();
}

}  // namespace bcp::cli::run
