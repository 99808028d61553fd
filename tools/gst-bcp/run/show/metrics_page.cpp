// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/show/metrics_page.hpp"

#include <iostream>
#include <utility>

namespace bcp::cli::run {

Result<std::unique_ptr<HttpServer>> serve_metrics(const Request& request, const RunMetrics& metrics) {
  if (request.metrics.empty() || request.print_only) return std::unique_ptr<HttpServer>();
  const Result<HttpAddress> address = parse_http_address(request.metrics);
  if (!address) return address.error();
  HttpPages pages;
  pages["/"] = [] {
    return HttpPage{"text/html; charset=utf-8",
                    "<!doctype html><title>gst-bcp</title><a href=\"/metrics\">Metrics for Prometheus</a>\n"};
  };
  pages["/metrics"] = [&metrics] { return HttpPage{prometheus::kContentType, metrics.text()}; };
  Result<std::unique_ptr<HttpServer>> server = HttpServer::listen(*address, std::move(pages));
  // A port chosen by the system is shown even with --quiet.
  if (server && (!request.quiet || address->port == 0)) std::cerr << "metrics: " << (*server)->url() << "/metrics\n";
  return server;
}

}  // namespace bcp::cli::run
