// SPDX-License-Identifier: LGPL-2.1-or-later
// gst-bcp fleet status: the nodes of a group in Redis.

#include "fleet/status.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/number_text.hpp"
#include "gst-bcp/common/table.hpp"
#include "gst-bcp/fleet/commands.hpp"

namespace bcp::cli {
namespace {

struct StatusOptions {
  std::string address;
  bool json = false;
};

std::string duration_text(std::int64_t seconds) {
  if (seconds < 120) return std::to_string(seconds) + " s";
  if (seconds < 2 * 3600) return std::to_string((seconds + 30) / 60) + " min";
  if (seconds < 2 * 86400) return std::to_string((seconds + 1800) / 3600) + " h";
  return std::to_string((seconds + 43200) / 86400) + " days";
}

void print_status_json(const fleet::Address& address, const fleet::GroupStatus& status) {
  using Json = nlohmann::ordered_json;
  Json nodes = Json::array();
  for (const fleet::NodeStatus& node : status.nodes) {
    nodes.push_back({{"node", node.node},
                     {"state", node.left ? "left" : "here"},
                     {"age", node.age},
                     {"expires", node.expires},
                     {"samples", node.samples},
                     {"labels", node.labels},
                     {"feedback", node.feedback},
                     {"written", node.number},
                     {"bytes", node.bytes},
                     {"unpacked", node.unpacked},
                     {"model", node.model},
                     {"problem", node.problem.empty() ? Json() : Json(node.problem)}});
  }
  const Json all = {{"fleet", address.shown()}, {"nodes", nodes}, {"ignored_fields", status.garbage}};
  std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void print_status(const fleet::Address& address, const fleet::GroupStatus& status) {
  double samples = 0;
  std::size_t bytes = 0;
  std::vector<Row> rows{{"node", "last seen", "expires in", "samples", "labels", "feedback", "size", "model"}};
  for (const fleet::NodeStatus& node : status.nodes) {
    samples += node.samples;
    bytes += node.bytes;
    const std::string age = duration_text(node.age) + (node.left ? " (left)" : "");
    if (!node.problem.empty()) {
      rows.push_back({node.node, age, duration_text(node.expires), "not used: " + node.problem});
      continue;
    }
    rows.push_back({node.node, age, duration_text(node.expires), number_text("%.6g", node.samples),
                    std::to_string(node.labels), std::to_string(node.feedback), bytes_for_people(node.bytes),
                    node.model.substr(0, 12)});
  }
  if (!status.nodes.empty()) print_table(std::cout, rows);
  std::cout << status.nodes.size() << (status.nodes.size() == 1 ? " node" : " nodes") << " in " << address.shown()
            << ", " << number_text("%.6g", samples) << " samples, " << bytes_for_people(bytes) << '\n';
  if (status.garbage > 0) std::cout << status.garbage << " fields of the index are not of gst-bcp and are ignored\n";
}

Status show_status(const StatusOptions& options) {
  const Result<fleet::Address> address = fleet::Address::parse(options.address);
  if (!address) return address.error();
  const Result<fleet::GroupStatus> status = fleet::read_status(*address);
  if (!status) return status.error();
  options.json ? print_status_json(*address, *status) : print_status(*address, *status);
  return ok();
}

}  // namespace

Command fleet_status(CLI::App& group) {
  CLI::App& command = *group.add_subcommand(
      "status", "Show the nodes of a fleet: when each was seen last, how much it has learnt, and its size in Redis.");
  const auto options = std::make_shared<StatusOptions>();
  command
      .add_option(
          "ADDRESS", options->address,
          "The fleet, as in prior-group: redis://[user:password@]host:port/db/name. A password is better in the "
          "environment, as GST_BCP_REDIS_PASSWORD, or in the file that GST_BCP_REDIS_PASSWORD_FILE names")
      ->required();
  command.add_flag("--json", options->json, "Print JSON");
  command.footer("Ages are by the clock of Redis. A node that has ended counts until it expires.");
  return {&command, [options] { return show_status(*options); }};
}

}  // namespace bcp::cli
