// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers as Prometheus reads them: its text format, version 0.0.4.
//
// Samples may come in any order; the text has each family once, in the order they were first named, with its samples
// together, as the format wants it. Thread safety: none.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bcp::prometheus {

// What HTTP calls it.
inline constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

// Names and values. Values may be anything: what is no UTF-8 in them is replaced.
using Labels = std::vector<std::pair<std::string, std::string>>;

// A family: what is measured. REQUIRES: the name is made of a-z, 0-9 and _, does not begin with a digit, names its unit
// (seconds, bytes) where it has one, and ends in _total for counters only. Two of one name are of one kind.
struct Family {
  std::string_view name;
  std::string_view help;
};

struct Quantile {
  double share;  // of the samples, 0 to 1
  double value;  // that they do not exceed
};

class Exposition {
 public:
  // Grows only, but for restarts.
  void counter(const Family& family, const Labels& labels, double value);
  // Goes up and down.
  void gauge(const Family& family, const Labels& labels, double value);
  // What was observed so far: so many samples, their sum, and some quantiles of the latest.
  void summary(const Family& family, const Labels& labels, std::span<const Quantile> quantiles, double sum,
               std::uint64_t count);

  std::string text() const;

 private:
  std::string& lines_of(const Family& family, std::string_view type);

  std::vector<std::string> families_;          // their text
  std::map<std::string, std::size_t> places_;  // by name
};

}  // namespace bcp::prometheus
