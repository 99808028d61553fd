// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/camera_fault.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "gst-bcp/common/address.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

struct Words {
  CameraTrouble trouble;
  std::string_view reason, sentence;
};

// {name} is the camera's; {host}, {port} and {path} are of its address; {shown}, {names}, {begins} and {ends} are of
// the certificate that it presented, and {wanted} is the fingerprint that would have been accepted.
constexpr std::array kWords = {
    Words{CameraTrouble::kUnknownHost, "the host {host} is unknown",
          "{name} cannot be reached: no host is called {host}; check its spelling and the DNS server, or write its IP "
          "address"},
    Words{CameraTrouble::kRefused, "{host} refuses connections to port {port}",
          "{name} cannot be reached: {host} refuses connections to port {port}; check the port, and that RTSP is "
          "switched "
          "on in the camera's settings"},
    Words{CameraTrouble::kUnreachable, "no route leads to {host}",
          "{name} cannot be reached: no route leads to {host}; check the network of this machine and the address"},
    Words{CameraTrouble::kTimeout, "{host} does not answer on port {port}",
          "{name} cannot be reached: {host} does not answer on port {port}; check that the camera is on, the network, "
          "and "
          "firewalls between"},
    Words{CameraTrouble::kNoAnswer, "no RTSP answer on port {port}",
          "{name} cannot be read: {host} accepts connections to port {port} and gives no RTSP answer; check the port, "
          "and "
          "whether the camera wants rtsp:// or rtsps:// there"},
    Words{CameraTrouble::kWrongUser, "it rejects the user name or password",
          "{name} rejects the user name or password: check them in the address"},
    Words{CameraTrouble::kNoStream, "it has no stream {path}",
          "{name} cannot be read: the camera has no stream {path}; check the path of the address in the camera's "
          "settings "
          "or manual"},
    Words{CameraTrouble::kErrorAnswer, "it answers {answer}",
          "{name} cannot be read: the camera answers {answer}; check the path of the address in the camera's settings "
          "or manual"},
    Words{CameraTrouble::kNotTls, "port {port} does not speak TLS",
          "{name} cannot be read: port {port} of {host} does not speak TLS; write rtsp:// instead of rtsps://, or the "
          "camera's port for RTSPS"},
    Words{
        CameraTrouble::kUntrusted, "its certificate is not trusted: {shown}",
        "{name} is refused: no trusted authority has signed its certificate, whose SHA-256 fingerprint is {shown}; "
        "compare it with the camera's own, then add --tls-fingerprint {shown}, or trust its issuer with --tls-ca FILE"},
    Words{CameraTrouble::kExpired, "its certificate expired on {ends}: {shown}",
          "{name} is refused: its certificate expired on {ends}; renew it in the camera's settings and check the clock "
          "of "
          "this machine, or accept exactly this certificate with --tls-fingerprint {shown}"},
    Words{CameraTrouble::kNotYetValid, "its certificate begins on {begins}: {shown}",
          "{name} is refused: its certificate is valid from {begins} on; check the clocks of the camera and of this "
          "machine, or accept exactly this certificate with --tls-fingerprint {shown}"},
    Words{CameraTrouble::kOtherHost, "its certificate is for {names}, not for {host}: {shown}",
          "{name} is refused: its certificate is for {names}, not for {host}; write one of these names in the address, "
          "or "
          "accept exactly this certificate with --tls-fingerprint {shown}"},
    Words{CameraTrouble::kOtherCertificate, "its certificate is {shown}, not {wanted}",
          "{name} is refused: the SHA-256 fingerprint of its certificate is {shown}, not {wanted}; if the camera was "
          "given a new certificate, write --tls-fingerprint {shown}"},
    Words{CameraTrouble::kNoVideo, "it has no video",
          "{name} cannot be watched: its session has no video stream; check the path of the address in the camera's "
          "settings or manual"},
};

// The text with the value of each {word}.
std::string filled(std::string_view text, const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{'), close = text.find('}');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::string_view word = text.substr(open + 1, close - open - 1);
    const auto value =
        std::find_if(values.begin(), values.end(), [&](const auto& entry) { return entry.first == word; });
    if (value != values.end()) out += value->second;
    text.remove_prefix(close + 1);
  }
  return out;
}

std::string path_of(const std::string& uri) {
  GstUri* parsed = gst_uri_from_string(uri.c_str());
  if (!parsed) return "/";
  const gst::CharPtr path(gst_uri_get_path(parsed));
  gst_uri_unref(parsed);
  return path && *path ? path.get() : "/";
}

std::string either_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " or ") + text;
  return all;
}

bool is_rtsp(const CameraCall& call) {
  return call.uri.starts_with("rtsp");
}

// The status of RTSP in the last line of rtspsrc's text for developers, "Bad Request (400)"; empty: it has no status.
std::string answer_in(std::string_view debug) {
  const std::string_view line = debug.substr(debug.rfind('\n') + 1);
  const std::size_t open = line.rfind(" (");
  if (open == std::string_view::npos || open == 0 || line.size() != open + 6 || line.back() != ')') return {};
  const std::string_view status = line.substr(open + 2, 3);
  const bool is_status = std::all_of(status.begin(), status.end(), [](char c) { return g_ascii_isdigit(c); });
  return is_status ? std::string(line) : "";
}

CameraTrouble trouble_of(const PresentedCertificate& certificate) {
  if (certificate.by_fingerprint) return CameraTrouble::kOtherCertificate;
  if (certificate.flaws & G_TLS_CERTIFICATE_UNKNOWN_CA) return CameraTrouble::kUntrusted;
  if (certificate.flaws & G_TLS_CERTIFICATE_EXPIRED) return CameraTrouble::kExpired;
  if (certificate.flaws & G_TLS_CERTIFICATE_NOT_ACTIVATED) return CameraTrouble::kNotYetValid;
  if (certificate.flaws & G_TLS_CERTIFICATE_BAD_IDENTITY) return CameraTrouble::kOtherHost;
  return CameraTrouble::kUntrusted;
}

}  // namespace

CameraFault camera_fault(CameraTrouble trouble, const CameraCall& call, const PresentedCertificate& certificate,
                         const std::string& answer) {
  const Endpoint server = endpoint_of(call.uri);
  const std::vector<std::pair<std::string_view, std::string>> values = {
      {"name", call.name},
      {"host", server.host},
      {"port", std::to_string(server.port)},
      {"path", path_of(call.uri)},
      {"shown", certificate.fingerprint},
      {"wanted", either_of(certificate.acceptable)},
      {"names", certificate.names.empty() ? "no host" : certificate.names},
      {"begins", certificate.begins},
      {"ends", certificate.ends},
      {"answer", answer},
  };
  const auto words =
      std::find_if(kWords.begin(), kWords.end(), [&](const Words& each) { return each.trouble == trouble; });
  CameraFault fault{trouble, filled(words->reason, values), filled(words->sentence, values)};
  // Of a camera whose certificate was another one before.
  if (!certificate.by_fingerprint && !certificate.acceptable.empty()) {
    fault.reason += ", and was " + either_of(certificate.acceptable);
    fault.sentence += " (until now its certificate was " + either_of(certificate.acceptable) + ")";
  }
  fault.reason = without_secrets(fault.reason);
  fault.sentence = without_secrets(fault.sentence);
  return fault;
}

std::optional<CameraFault> certificate_fault(const CameraCall& call) {
  if (!is_tls_address(call.uri)) return std::nullopt;
  const std::optional<PresentedCertificate> certificate = certificate_of(endpoint_of(call.uri), call.since);
  if (!certificate || certificate->flaws == 0) return std::nullopt;
  return camera_fault(trouble_of(*certificate), call, *certificate);
}

std::optional<CameraFault> fault_of_error(const CameraCall& call, const GError& error, const gchar* debug) {
  if (std::optional<CameraFault> refused = certificate_fault(call)) return refused;
  if (!is_rtsp(call) || error.domain != GST_RESOURCE_ERROR) return std::nullopt;
  if (error.code == GST_RESOURCE_ERROR_NOT_AUTHORIZED) return camera_fault(CameraTrouble::kWrongUser, call);
  if (error.code == GST_RESOURCE_ERROR_NOT_FOUND) return camera_fault(CameraTrouble::kNoStream, call);
  if (const std::string answer = answer_in(debug ? debug : ""); !answer.empty())
    return camera_fault(CameraTrouble::kErrorAnswer, call, {}, answer);
  return std::nullopt;
}

bool is_failed_connection(const CameraCall& call, const GError& error) {
  return is_rtsp(call) && error.domain == GST_RESOURCE_ERROR &&
         (error.code == GST_RESOURCE_ERROR_OPEN_READ_WRITE || error.code == GST_RESOURCE_ERROR_OPEN_READ ||
          error.code == GST_RESOURCE_ERROR_READ);
}

CameraFault fault_of_network(const CameraCall& call, Reach reach) {
  switch (reach) {
    case Reach::kUnknownHost:
      return camera_fault(CameraTrouble::kUnknownHost, call);
    case Reach::kRefused:
      return camera_fault(CameraTrouble::kRefused, call);
    case Reach::kUnreachable:
      return camera_fault(CameraTrouble::kUnreachable, call);
    case Reach::kTimeout:
      return camera_fault(CameraTrouble::kTimeout, call);
    case Reach::kReached:
      break;
  }
  const bool tls_failed = is_tls_address(call.uri) && !certificate_of(endpoint_of(call.uri), call.since);
  return camera_fault(tls_failed ? CameraTrouble::kNotTls : CameraTrouble::kNoAnswer, call);
}

bool needs_person(CameraTrouble trouble) {
  switch (trouble) {
    case CameraTrouble::kUnknownHost:
    case CameraTrouble::kRefused:
    case CameraTrouble::kUnreachable:
    case CameraTrouble::kTimeout:
    case CameraTrouble::kNoAnswer:
    case CameraTrouble::kNotTls:  // also a server that is starting up
      return false;
    default:
      return true;
  }
}

bool may_pass(CameraTrouble trouble) {
  return trouble != CameraTrouble::kWrongUser;
}

}  // namespace bcp::cli::run
