// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/prometheus.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "base/utf8.hpp"

namespace bcp::prometheus {
namespace {

constexpr double kExact = 1e15;  // below it integers are written without a fraction

// In Go's syntax, independent of the locale.
std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> text{};
  const bool whole = std::abs(value) < kExact && value == std::trunc(value);
  const auto end = whole ? std::to_chars(text.data(), text.data() + text.size(), static_cast<std::int64_t>(value)).ptr
                         : std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

// Backslashes and line feeds are always escaped, quotes only inside quotes.
void append_escaped(std::string& out, std::string_view text, bool quoted) {
  while (!text.empty()) {
    const std::size_t valid = utf8::valid_prefix(text);
    for (const char c : text.substr(0, valid)) {
      if (c == '\n') {
        out += "\\n";
        continue;
      }
      if (c == '\\' || (quoted && c == '"')) out += '\\';
      out += c;
    }
    text.remove_prefix(valid);
    if (text.empty()) return;
    out += "\xEF\xBF\xBD";  // U+FFFD: a reader rejects the whole text for one invalid byte
    text.remove_prefix(1);
  }
}

void append_label(std::string& out, std::string_view name, std::string_view value) {
  out += out.back() == '{' ? "" : ",";
  out.append(name).append("=\"");
  append_escaped(out, value, true);
  out += '"';
}

void append_sample(std::string& out, const std::string& name, const Labels& labels, double value,
                   const Quantile* quantile = nullptr) {
  out += name;
  if (!labels.empty() || quantile) {
    out += '{';
    for (const auto& [label, text] : labels) append_label(out, label, text);
    if (quantile) append_label(out, "quantile", number(quantile->share));
    out += '}';
  }
  out.append(" ").append(number(value)).append("\n");
}

}  // namespace

std::string& Exposition::lines_of(const Family& family, std::string_view type) {
  const auto [at, is_new] = places_.emplace(family.name, families_.size());
  if (is_new) {
    std::string head("# HELP ");
    head.append(family.name).append(" ");
    append_escaped(head, family.help, false);
    head.append("\n# TYPE ").append(family.name).append(" ").append(type).append("\n");
    families_.push_back(std::move(head));
  }
  return families_[at->second];
}

void Exposition::counter(const Family& family, const Labels& labels, double value) {
  append_sample(lines_of(family, "counter"), std::string(family.name), labels, value);
}

void Exposition::gauge(const Family& family, const Labels& labels, double value) {
  append_sample(lines_of(family, "gauge"), std::string(family.name), labels, value);
}

void Exposition::summary(const Family& family, const Labels& labels, std::span<const Quantile> quantiles, double sum,
                         std::uint64_t count) {
  std::string& lines = lines_of(family, "summary");
  const std::string name(family.name);
  for (const Quantile& quantile : quantiles) append_sample(lines, name, labels, quantile.value, &quantile);
  append_sample(lines, name + "_sum", labels, sum);
  append_sample(lines, name + "_count", labels, static_cast<double>(count));
}

std::string Exposition::text() const {
  std::string text;
  for (const std::string& family : families_) text += family;
  return text;
}

}  // namespace bcp::prometheus
