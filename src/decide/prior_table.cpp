// SPDX-License-Identifier: LGPL-2.1-or-later

#include "decide/prior_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/file.hpp"
#include "base/json.hpp"

// The default table (everyday_table.S.in).
extern "C" {
extern const char bcp_everyday_table[];
extern const char bcp_everyday_table_end[];
}

namespace bcp::decide {
namespace {

constexpr int kVersion = 1;
constexpr std::size_t kMaxWords = 5000;
constexpr std::size_t kMaxBytes = std::size_t{1} << 29;
constexpr double kShrinkage = 50;  // pictures in which words are independent

bool is_count(double value, double most) {
  return std::isfinite(value) && value >= 0 && value <= most;
}

Status check(const PriorTable::Counts& counts) {
  const std::size_t words = counts.labels.size();
  if (words == 0 || words > kMaxWords)
    return invalid("\"labels\" must list 1 to " + std::to_string(kMaxWords) + " words, not " + std::to_string(words));
  if (!is_count(counts.pictures, 1e15) || counts.pictures < 1) return invalid("\"pictures\" must be a number above 0");
  if (counts.count.size() != words)
    return invalid("\"count\" has " + std::to_string(counts.count.size()) + " numbers for " + std::to_string(words) +
                   " labels");
  if (counts.together.size() != words)
    return invalid("\"together\" has " + std::to_string(counts.together.size()) + " rows for " + std::to_string(words) +
                   " labels");
  for (std::size_t i = 0; i < words; ++i)
    if (!is_count(counts.count[i], counts.pictures))
      return invalid("the count of \"" + counts.labels[i] + "\" must be from 0 to \"pictures\"");
  for (std::size_t i = 0; i < words; ++i) {
    const std::string& word = counts.labels[i];
    if (counts.together[i].size() != words)
      return invalid("row \"" + word + "\" of \"together\" has " + std::to_string(counts.together[i].size()) +
                     " numbers for " + std::to_string(words) + " labels");
    for (std::size_t j = 0; j < words; ++j) {
      const double both = counts.together[i][j];
      const double most = i == j ? counts.pictures : std::min(counts.count[i], counts.count[j]);
      const std::string pair = "\"" + word + "\" together with \"" + counts.labels[j] + "\"";
      if (!is_count(both, most)) return invalid(pair + " must be from 0 to the count of the rarer of the two");
      if (j < i && both != counts.together[j][i]) return invalid(pair + " has another count in the opposite order");
    }
  }
  return ok();
}

template <typename T>
Result<T> read(const nlohmann::json& object, const char* key) {
  try {
    return object.at(key).get<T>();
  } catch (const nlohmann::json::exception&) {
    return invalid(std::string("\"") + key + "\" is missing or has the wrong type");
  }
}

Result<PriorTable::Counts> parse(const nlohmann::json& json) {
  if (!json.is_object()) return invalid("it is not a JSON object");
  const Result<int> version = read<int>(json, "version");
  if (!version) return version.error();
  if (*version != kVersion)
    return Error{ErrorCode::kUnsupported,
                 "\"version\" is " + std::to_string(*version) + ", but this program reads " + std::to_string(kVersion)};
  auto pictures = read<double>(json, "pictures");
  auto labels = read<std::vector<std::string>>(json, "labels");
  auto count = read<std::vector<double>>(json, "count");
  auto together = read<std::vector<std::vector<double>>>(json, "together");
  if (!pictures) return pictures.error();
  if (!labels) return labels.error();
  if (!count) return count.error();
  if (!together) return together.error();
  return PriorTable::Counts{.source = std::string(text_of(json, "source")),
                            .pictures = *pictures,
                            .labels = *std::move(labels),
                            .count = *std::move(count),
                            .together = *std::move(together)};
}

}  // namespace

Result<PriorTable> PriorTable::make(Counts counts) {
  if (Status checked = check(counts); !checked) return checked.error();
  PriorTable table;
  const auto words = static_cast<Eigen::Index>(counts.labels.size());
  table.base_rates_.resize(words);
  table.conditional_.resize(words, words);
  for (Eigen::Index i = 0; i < words; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!table.index_.emplace(counts.labels[k], k).second)
      return invalid("\"" + counts.labels[k] + "\" is in \"labels\" twice");
    table.base_rates_[i] = counts.count[k] / counts.pictures;
  }
  for (Eigen::Index i = 0; i < words; ++i)
    for (Eigen::Index j = 0; j < words; ++j)
      table.conditional_(i, j) = (counts.together[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] +
                                  kShrinkage * table.base_rates_[i]) /
                                 (counts.count[static_cast<std::size_t>(j)] + kShrinkage);
  table.source_ = std::move(counts.source);
  table.words_ = std::move(counts.labels);
  return table;
}

Result<PriorTable> PriorTable::load(const std::string& path) {
  const auto fault = [&](const Error& error) {
    return Error{error.code, path + " is not a prior table: " + error.message + " (src/decide/prior_table.md)"};
  };
  const Result<std::string> text = read_file(path, kMaxBytes);
  if (!text) return text.error();
  const Result<nlohmann::json> json = parse_json(*text);
  if (!json) return Error{json.error().code, path + " is " + json.error().message};
  Result<Counts> counts = parse(*json);
  if (!counts) return fault(counts.error());
  Result<PriorTable> table = make(*std::move(counts));
  if (!table) return fault(table.error());
  return table;
}

Status PriorTable::save(const std::string& path, const Counts& counts) {
  if (const Result<PriorTable> sound = make(counts); !sound)
    return Error{sound.error().code, path + " cannot be written: " + sound.error().message};
  // One row of `together` per line: people compare and edit these files.
  using Json = nlohmann::ordered_json;
  const auto text_of = [](const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); };
  const auto numbers = [](const std::vector<double>& values) {
    Json all = Json::array();
    for (const double value : values) {
      if (value == std::floor(value) && value < 1e15)
        all.push_back(static_cast<std::int64_t>(value));
      else
        all.push_back(value);
    }
    return all;
  };
  std::string text = "{\n \"format\": \"gst-bcp prior table\", \"version\": " + std::to_string(kVersion) +
                     ",\n \"source\": " + text_of(counts.source) +
                     ",\n \"pictures\": " + text_of(numbers({counts.pictures})[0]) +
                     ",\n \"labels\": " + text_of(counts.labels) + ",\n \"count\": " + text_of(numbers(counts.count)) +
                     ",\n \"together\": [";
  for (std::size_t i = 0; i < counts.together.size(); ++i)
    text += (i == 0 ? "\n  " : ",\n  ") + text_of(numbers(counts.together[i]));
  return replace_file(path, text + "\n ]\n}\n");
}

std::shared_ptr<const PriorTable> PriorTable::everyday() {
  static const auto table = [] {
    const std::string_view text(bcp_everyday_table,
                                static_cast<std::size_t>(bcp_everyday_table_end - bcp_everyday_table));
    // Part of the program, and tested.
    return std::make_shared<const PriorTable>(*make(*parse(*parse_json(text))));
  }();
  return table;
}

std::shared_ptr<const PriorTable> PriorTable::none() {
  static const std::shared_ptr<const PriorTable> table(new PriorTable());
  return table;
}

std::optional<std::size_t> PriorTable::find(std::string_view word) const {
  const auto found = index_.find(std::string(word));
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

}  // namespace bcp::decide
