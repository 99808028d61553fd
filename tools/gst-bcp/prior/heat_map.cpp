// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/prior/heat_map.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "gst-bcp/html/encode.hpp"
#include "gst-bcp/prior/origins.hpp"
#include "gst-bcp/prior/pairs.hpp"

namespace bcp::cli {
namespace {

constexpr double kDeepest = 3;    // the information with the full colour
constexpr double kOpacity = 0.6;  // of the full colour: text on it has a contrast of 4.5 and more

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #111; --paper: #fff; --line: #ccc; --more: 178, 24, 43; --less: 33, 102, 172; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --paper: #161616; --line: #444; --more: 239, 101, 88; --less: 70, 130, 200; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2em auto; max-width: 80em; padding: 0 1em; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 2em; }
table { border-collapse: collapse; } .scroll { overflow-x: auto; }
.facts td, .facts th { text-align: left; padding: 0.1em 1.5em 0.1em 0; vertical-align: top; font-weight: normal; }
.facts thead th { border-bottom: 1px solid var(--line); }
.map th { font-weight: normal; font-size: 12px; white-space: nowrap; padding: 0 6px; text-align: right; }
.map thead th { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; padding: 6px 0; }
.map td { width: 22px; min-width: 22px; height: 22px; border: 1px solid var(--line); font-size: 9px; text-align: center; }
.map thead td { border: none; }
.map td.self { background: repeating-linear-gradient(45deg, transparent 0 4px, var(--line) 4px 5px); }
.key span { display: inline-block; padding: 0 0.6em; border: 1px solid var(--line); margin-right: 0.4em; }
)";

std::string cell(const prior::Snapshot& prior, std::size_t a, std::size_t b) {
  if (a == b) return "<td class=\"self\"></td>";
  const auto since = prior.seen.since(a, b);
  const double m = since.single[a];
  if (since.samples <= 0 || m <= 0 || since.single[b] <= 0) return "<td></td>";
  const double both = prior.seen.pair(a, b), expected = m * since.single[b] / since.samples;
  const double information = std::log((both + 0.5) / (expected + 0.5));
  const double depth = kOpacity * std::min(std::abs(information) / kDeepest, 1.0);
  const double given = 100 * both / m;
  return "<td style=\"background: rgba(var(" + std::string(information > 0 ? "--more" : "--less") + "), " +
         number_text("%.2f", depth) + ")\" title=\"" + html::escaped(prior.labels[b]) + " when " +
         html::escaped(prior.labels[a]) + ": " + number_text("%.1f", given) + " % (by chance " +
         number_text("%.1f", 100 * since.single[b] / since.samples) + " %), information " +
         number_text("%+.2f", information) + "\">" + (given >= 1 ? number_text("%.0f", given) : std::string()) +
         "</td>";
}

std::string facts(const prior::Snapshot& prior, const std::string& file, std::size_t shown) {
  const auto row = [](const std::string& name, const std::string& value) {
    return "<tr><th>" + name + "</th><td>" + html::escaped(value) + "</td></tr>\n";
  };
  std::string text = "<table class=\"facts\">\n" + row("file", file) + row("model", model_text(prior.model)) +
                     row("samples", samples_text(prior)) +
                     row("labels", std::to_string(prior.labels.size()) + ", " + std::to_string(shown) + " shown") +
                     row("corrections", std::to_string(prior.taught.statements())) + "</table>\n";
  const std::vector<Row> origins = origin_rows(prior.origins);
  if (origins.empty()) return text;
  text += "<h2>Where it was learnt</h2>\n<table class=\"facts\">\n";
  for (std::size_t i = 0; i < origins.size(); ++i) {
    text += i == 0 ? "<thead><tr>" : "<tr>";
    for (const std::string& each : origins[i])
      text += (i == 0 ? "<th>" : "<td>") + html::escaped(each) + (i == 0 ? "</th>" : "</td>");
    text += i == 0 ? "</tr></thead>\n" : "</tr>\n";
  }
  return text + "</table>\n";
}

}  // namespace

std::string heat_map_page(const prior::Snapshot& prior, const std::string& file,
                          const std::vector<std::size_t>& labels) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<title>" +
      html::escaped(file) + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<main>\n<h1>" +
      html::escaped(file) + "</h1>\n" + facts(prior, file, labels.size());
  page +=
      "<h2>Which labels occur together</h2>\n"
      "<p>A row is a label that is in the picture. The number is how often, in percent, the label of the column is "
      "there "
      "too; nothing is written below 1 %. Most frequent labels first; hold the pointer over a cell for its "
      "numbers.</p>\n"
      "<p class=\"key\"><span style=\"background: rgba(var(--more), 0.6)\">more often than by chance</span>"
      "<span style=\"background: rgba(var(--less), 0.6)\">less often</span></p>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Heat map\"><table class=\"map\">\n"
      "<thead><tr><td></td>";
  for (const std::size_t k : labels) page += "<th scope=\"col\">" + html::escaped(prior.labels[k]) + "</th>";
  page += "</tr></thead>\n<tbody>\n";
  for (const std::size_t a : labels) {
    page += "<tr><th scope=\"row\">" + html::escaped(prior.labels[a]) + " " +
            number_text("(%.1f %%)", 100 * share_of(prior.seen, a)) + "</th>";
    for (const std::size_t b : labels) page += cell(prior, a, b);
    page += "</tr>\n";
  }
  return page + "</tbody>\n</table></div>\n</main>\n</body>\n</html>\n";
}

}  // namespace bcp::cli
