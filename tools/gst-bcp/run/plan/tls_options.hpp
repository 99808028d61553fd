// SPDX-License-Identifier: LGPL-2.1-or-later
// Which certificates of servers are accepted: --tls-ca, --tls-fingerprint and --tls-insecure, checked.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "gst-bcp/run/plan/inputs.hpp"
#include "gst-bcp/run/plan/request.hpp"

namespace bcp::cli::run {

enum class TlsMode {
  kSystem,        // the system's authorities
  kFile,          // those of a file, and no others
  kFingerprints,  // exactly the listed certificates
  kAnything,
};

struct TlsOptions {
  TlsMode mode = TlsMode::kSystem;
  std::string ca_file;
  std::vector<std::string> fingerprints;  // as fingerprint_text() writes them
};

// Whether the address is one of a TLS server: rtsps://, https://.
bool is_tls_address(std::string_view address);

// The SHA-256 of a certificate, from 32 bytes: "AB:CD:…".
std::string fingerprint_text(const unsigned char* bytes);

// A fingerprint as people type it, with or without colons, in any case.
Result<std::string> parse_fingerprint(const std::string& text);

// The options of the request. An error is the command line's: options that exclude each other, a value that is not a
// fingerprint, a file without certificates, no input that uses TLS.
Result<TlsOptions> tls_options(const Request& request, const std::vector<Input>& inputs);

}  // namespace bcp::cli::run
