// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The contributions of the other nodes, as last read, and their sum for a label list.
//
// Values are kept packed. While the unpacked ones are few or small they are kept too, else each sum unpacks them again.
//
// Thread safety: none.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapt/bcp.hpp"
#include "decide/taught.hpp"
#include "fleet/contribution.hpp"

namespace bcp::fleet {

class Siblings {
 public:
  // Whether this state of the node, or a later one of the same session, was read, usable or not. Later: a node that
  // ends between writing its value and its entry.
  bool has(const std::string& node, const Stamp& stamp) const;
  // Whether any state of the node was read.
  bool knows(const std::string& node) const { return nodes_.contains(node); }
  void set(const std::string& node, std::string value, Contribution contribution);
  // This state of the node is not usable: read no more until it changes.
  void refuse(const std::string& node, const Stamp& stamp);
  bool drop(const std::string& node) { return nodes_.erase(node) > 0; }
  // Drops all nodes for which `keep` returns false. Returns whether there were any.
  template <typename Keep>
  bool keep_if(Keep&& keep) {
    return std::erase_if(nodes_, [&](const auto& each) { return !keep(each.first); }) > 0;
  }

  std::size_t size() const;  // nodes whose contribution is used
  double samples() const;    // of all label lists
  // The sum for these labels, by name; null if no node has any of them.
  std::shared_ptr<const adapt::Others> sum_for(const std::vector<std::string>& labels) const;
  decide::Taught taught() const;

 private:
  struct Node {
    Stamp stamp;
    std::string value = {};                               // empty: refused
    std::shared_ptr<const prior::Snapshot> content = {};  // null: in `value` only
    double samples = 0;
    std::optional<decide::Taught> taught = {};
  };
  std::shared_ptr<const prior::Snapshot> content_of(const Node& node) const;
  std::map<std::string, Node> nodes_;
};

}  // namespace bcp::fleet
