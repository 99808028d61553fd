// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/tls_options.hpp"

#include <gio/gio.h>

#include <algorithm>
#include <array>
#include <utility>

#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

constexpr std::size_t kDigestBytes = 32;
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

Status check_ca_file(const std::string& path) {
  GError* fault = nullptr;
  GList* certificates = g_tls_certificate_list_new_from_file(path.c_str(), &fault);
  const gst::ErrorPtr error(fault);
  const bool any = certificates != nullptr;
  g_list_free_full(certificates, g_object_unref);
  if (error)
    return invalid("--tls-ca " + path + " cannot be used: " + error->message + "; give a file with PEM certificates");
  if (!any) return invalid("--tls-ca " + path + " has no certificate: give a file with PEM certificates");
  return ok();
}

// The names of the TLS options that were given.
std::vector<std::string> given_options(const Request& request) {
  std::vector<std::string> given;
  if (!request.tls_ca.empty()) given.emplace_back("--tls-ca");
  if (!request.tls_fingerprints.empty()) given.emplace_back("--tls-fingerprint");
  if (request.tls_insecure) given.emplace_back("--tls-insecure");
  return given;
}

}  // namespace

bool is_tls_address(std::string_view address) {
  return address.starts_with("rtsps") || address.starts_with("https://");
}

std::string fingerprint_text(const unsigned char* bytes) {
  std::string text;
  for (std::size_t i = 0; i < kDigestBytes; ++i) {
    if (i > 0) text += ':';
    text.append(1, kHexDigits[bytes[i] >> 4]).append(1, kHexDigits[bytes[i] & 15]);
  }
  return text;
}

Result<std::string> parse_fingerprint(const std::string& text) {
  std::vector<unsigned char> digits;
  bool valid = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // A colon stands between two bytes.
    if (text[i] == ':' && i > 0 && i + 1 < text.size() && digits.size() % 2 == 0 && text[i - 1] != ':') continue;
    const int digit = g_ascii_xdigit_value(text[i]);
    if (digit < 0) valid = false;
    digits.push_back(static_cast<unsigned char>(digit));
  }
  if (!valid || digits.size() != 2 * kDigestBytes)
    return invalid("--tls-fingerprint " + text +
                   " is not the SHA-256 of a certificate: give 64 hexadecimal digits, with or without colons, as "
                   "openssl x509 -noout -fingerprint -sha256 -in FILE prints them");
  std::array<unsigned char, kDigestBytes> bytes{};
  for (std::size_t i = 0; i < kDigestBytes; ++i)
    bytes[i] = static_cast<unsigned char>(digits[2 * i] << 4 | digits[2 * i + 1]);
  return fingerprint_text(bytes.data());
}

Result<TlsOptions> tls_options(const Request& request, const std::vector<Input>& inputs) {
  TlsOptions options;
  const std::vector<std::string> given = given_options(request);
  if (given.empty()) return options;
  if (given.size() > 1) return invalid(given[0] + " and " + given[1] + " exclude each other: give one of them");
  const bool used =
      std::any_of(inputs.begin(), inputs.end(), [](const Input& input) { return is_tls_address(input.uri); });
  // A file of cameras may get cameras with TLS later.
  if (!used && request.config.empty())
    return invalid(given[0] +
                   " is about cameras and servers with TLS: none of the inputs begins with rtsps:// or https://");
  if (request.tls_insecure) {
    options.mode = TlsMode::kAnything;
  } else if (!request.tls_ca.empty()) {
    if (Status usable = check_ca_file(request.tls_ca); !usable) return usable.error();
    options.mode = TlsMode::kFile;
    options.ca_file = request.tls_ca;
  } else {
    options.mode = TlsMode::kFingerprints;
    for (const std::string& text : request.tls_fingerprints) {
      Result<std::string> fingerprint = parse_fingerprint(text);
      if (!fingerprint) return fingerprint.error();
      options.fingerprints.push_back(*std::move(fingerprint));
    }
  }
  return options;
}

}  // namespace bcp::cli::run
