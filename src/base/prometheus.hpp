// SPDX-License-Identifier: LGPL-2.1-or-later
// Metrics in the text format of Prometheus, version 0.0.4.
//
// Samples may be added in any order. The text has each family once, in the order of first use, with its samples
// together, as the format requires. Thread safety: none.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bcp::prometheus {

// For the HTTP header.
inline constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

// Names and values. Values may be any bytes: invalid UTF-8 in them is replaced.
using Labels = std::vector<std::pair<std::string, std::string>>;

// A family is one metric. REQUIRES: the name consists of a-z, 0-9 and _, does not begin with a digit, ends with its
// unit (seconds, bytes) if it has one, and in _total only for counters. One name has one kind.
struct Family {
  std::string_view name;
  std::string_view help;
};

struct Quantile {
  double share;  // of the samples, 0 to 1
  double value;  // upper limit of these samples
};

class Exposition {
 public:
  // Only increases, except at a restart.
  void counter(const Family& family, const Labels& labels, double value);
  // Goes up or down.
  void gauge(const Family& family, const Labels& labels, double value);
  // The observations so far: their number, their sum, and some quantiles of the latest ones.
  void summary(const Family& family, const Labels& labels, std::span<const Quantile> quantiles, double sum,
               std::uint64_t count);

  std::string text() const;

 private:
  std::string& lines_of(const Family& family, std::string_view type);

  std::vector<std::string> families_;          // their text
  std::map<std::string, std::size_t> places_;  // by name
};

}  // namespace bcp::prometheus
