// SPDX-License-Identifier: LGPL-2.1-or-later
// The certificates that servers present: which are accepted, and what is known of one that was refused.
//
// The rules apply to every TLS connection that GLib makes in this process, which are those of rtspsrc (rtsps://) and of
// souphttpsrc (https://). GLib asks on the thread of the connection, and is answered without blocking.

#pragma once

#include <gio/gio.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/plan/tls_options.hpp"

namespace bcp::cli::run {

// Where a server listens.
struct Endpoint {
  std::string host;
  int port = 0;
};

// Of an address; the port is the scheme's default where the address has none. An empty host: the address has none.
Endpoint endpoint_of(const std::string& uri);

// A certificate that a server presented.
struct PresentedCertificate {
  std::string fingerprint;       // SHA-256, "AB:CD:…"
  GTlsCertificateFlags flaws{};  // none: it was accepted
  std::string names;             // the hosts it is for, "camera.local, 10.0.0.7"; empty: it names none
  std::string begins, ends;      // days of its validity, "2026-11-18"; empty: unknown
  std::vector<std::string>
      acceptable;               // fingerprints that would be accepted: the listed ones, or the server's last one
  bool by_fingerprint = false;  // whether the listed ones decide
};

// Makes the rules those of this process. An error: GLib has no TLS here. Main thread, once, before anything connects.
Status use_certificate_rules(const TlsOptions& options);

// The rules of the request, where an input connects with TLS, or where one may be added later (`always`). An error is
// the command line's.
Status prepare_tls(const Request& request, const std::vector<Input>& inputs, bool always);

// The newest certificate that the server presented since then; none: it presented none. Any thread.
std::optional<PresentedCertificate> certificate_of(const Endpoint& server, std::chrono::steady_clock::time_point since);

}  // namespace bcp::cli::run
