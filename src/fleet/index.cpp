// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/index.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/utf8.hpp"

namespace bcp::fleet {
namespace {

constexpr std::size_t kSessionDigits = 32, kMostId = 160;
constexpr std::int64_t kLongestExpire = 400LL * 24 * 3600;

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
  Number value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Ids are shown to people: garbage in an index must not reach a terminal.
bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= kMostId && utf8::valid_prefix(id) == id.size() &&
         std::none_of(id.begin(), id.end(), [](unsigned char c) { return c <= ' ' || c == 127; });
}

}  // namespace

std::string index_key(const std::string& group) {
  return "bcp:" + group + ":index";
}

std::string node_key(const std::string& group, const std::string& node) {
  return "bcp:" + group + ":node:" + node;
}

std::string to_text(const Entry& entry) {
  return "1 " + entry.stamp.session + " " + std::to_string(entry.stamp.number) + " " + std::to_string(entry.seen) +
         " " + std::to_string(entry.expire) + (entry.left ? " left" : " here");
}

std::optional<Entry> parse_entry(std::string_view text) {
  std::vector<std::string_view> words;
  while (words.size() < 7) {
    const std::size_t space = text.find(' ');
    words.push_back(text.substr(0, space));
    if (space == std::string_view::npos) break;
    text.remove_prefix(space + 1);
  }
  if (words.size() != 6 || words[0] != "1" || words[1].size() != kSessionDigits) return std::nullopt;
  if (words[1].find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  const auto number = number_in<std::uint64_t>(words[2]);
  const auto seen = number_in<std::int64_t>(words[3]), expire = number_in<std::int64_t>(words[4]);
  const bool left = words[5] == "left";
  if (!number || !seen || !expire || (!left && words[5] != "here")) return std::nullopt;
  if (*seen < 0 || *expire < 1 || *expire > kLongestExpire) return std::nullopt;
  return Entry{{std::string(words[1]), *number}, *seen, *expire, left};
}

Result<Index> read_index(Client& client) {
  const std::string key = index_key(client.address().group);
  const Result<Reply> reply = client.call(key, {"HGETALL", key});
  if (!reply) return reply.error();
  Index index;
  for (std::size_t i = 0; i + 1 < reply->list.size(); i += 2) {
    const std::string& id = reply->list[i].text;
    index.bytes += id.size() + reply->list[i + 1].text.size();
    std::optional<Entry> entry = parse_entry(reply->list[i + 1].text);
    if (!entry || !is_id(id) || index.nodes.size() >= kMostNodes) {
      ++index.garbage;
      continue;
    }
    index.nodes.emplace(id, *std::move(entry));
  }
  return index;
}

Result<std::string> read_value(Client& client, const std::string& node) {
  const std::string key = node_key(client.address().group, node);
  Result<Reply> reply = client.call(key, {"GETRANGE", key, "0", std::to_string(kMostValue)});
  if (!reply) return reply.error();
  return std::move(reply->text);
}

}  // namespace bcp::fleet
