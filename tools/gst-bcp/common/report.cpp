// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/report.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

namespace bcp::cli {

using Json = nlohmann::ordered_json;

namespace {

Json::json_pointer pointer(std::string key) {
  std::replace(key.begin(), key.end(), '.', '/');
  return Json::json_pointer("/" + key);
}

}  // namespace

void Report::add(const std::string& key, Json value, std::string label, std::string text) {
  json_[pointer(key)] = std::move(value);
  add_row(std::move(label), std::move(text));
}

void Report::append(const std::string& key, Json value, std::string label, std::string text) {
  json_[pointer(key)].push_back(std::move(value));
  add_row(std::move(label), std::move(text));
}

void Report::add_row(std::string label, std::string text) {
  const bool continued = label == last_label_;
  if (!continued) last_label_ = label;
  rows_.push_back({continued ? std::string() : std::move(label), std::move(text)});
}

void Report::print_table(std::ostream& out) const {
  cli::print_table(out, rows_);
}

void Report::print_json(std::ostream& out) const {
  // Names come from files, and need not be UTF-8.
  out << json_.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace bcp::cli
