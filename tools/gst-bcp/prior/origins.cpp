// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/prior/origins.hpp"

#include <array>
#include <ctime>
#include <filesystem>

#include "base/number_text.hpp"
#include "clip/bundle/bundle.hpp"

namespace bcp::cli {

std::string utc_text(std::uint64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  std::array<char, 64> text{};
  if (gmtime_r(&time, &parts) == nullptr || std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts) == 0)
    return "unknown";
  return text.data();
}

std::vector<Row> origin_rows(const std::vector<prior::Origin>& origins) {
  if (origins.empty()) return {};
  std::vector<Row> rows{{"learnt by", "model", "samples", "since", "until"}};
  for (const prior::Origin& origin : origins) {
    rows.push_back({origin.stream, origin.model, number_text("%.0f", origin.samples), utc_text(origin.first),
                    utc_text(origin.last)});
  }
  return rows;
}

nlohmann::ordered_json origins_json(const std::vector<prior::Origin>& origins) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const prior::Origin& origin : origins) {
    all.push_back({{"stream", origin.stream},
                   {"model", origin.model},
                   {"samples", origin.samples},
                   {"since", origin.first},
                   {"until", origin.last}});
  }
  return all;
}

std::string samples_text(const prior::Snapshot& prior) {
  double learnt = 0;
  for (const prior::Origin& origin : prior.origins) learnt += origin.samples;
  const std::string effective = number_text("%.6g", prior.seen.samples());
  if (learnt <= prior.seen.samples() + 0.5) return effective;
  return effective + " effective, of " + number_text("%.6g", learnt) + " learnt";
}

std::string model_name(const std::string& identity) {
  for (const std::string& directory : clip::list_bundles()) {
    const Result<clip::Bundle> bundle = clip::Bundle::open(directory);
    if (bundle && bundle->identity == identity) return std::filesystem::path(directory).filename().string();
  }
  return "";
}

std::string model_text(const std::string& identity) {
  if (identity.empty()) return "unknown";
  const std::string name = model_name(identity);
  return name.empty() ? identity + " (not in gst-bcp model list)" : name + " (" + identity.substr(0, 12) + ")";
}

}  // namespace bcp::cli
