// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/recordings_json.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "gst-bcp/run/record/index.hpp"

namespace bcp::cli::view {

ApiReply recordings_json(const std::string& folder) {
  const Result<run::RecordIndex> index = run::RecordIndex::load(folder);
  if (!index) return refusal(500, "the list of recordings cannot be read");
  const std::vector<run::IndexEntry>& all = index->entries();
  nlohmann::json files = nlohmann::json::array();
  std::uint64_t bytes = 0;
  for (const run::IndexEntry& entry : all) bytes += entry.bytes;
  for (auto entry = all.rbegin(); entry != all.rend() && files.size() < kMostRecordings; ++entry)
    files.push_back({{"file", entry->file},
                     {"start", entry->start},
                     {"seconds", entry->seconds},
                     {"bytes", entry->bytes},
                     {"video", entry->video},
                     {"ended", entry->ended},
                     {"event", entry->event}});
  return {200, {{"files", std::move(files)}, {"count", all.size()}, {"bytes", bytes}}};
}

}  // namespace bcp::cli::view
