// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/config/run_options.hpp"

#include "gst-bcp/common/http_address.hpp"
#include "gst-bcp/run/config/config.hpp"
#include "gst-bcp/run/config/secrets.hpp"
#include "gst-bcp/run/plan/tls_options.hpp"

namespace bcp::cli::run {
namespace {

void unless_given(std::string& option, const std::optional<std::string>& value) {
  if (option.empty() && value) option = *value;
}

// Unset: not an address; the fault was added.
std::optional<HttpAddress> http_address(const Section& section, const std::string& key) {
  const std::optional<std::string> text = section.text(key);
  if (!text) return std::nullopt;
  const Result<HttpAddress> parsed = parse_http_address(*text);
  if (parsed) return *parsed;
  section.fault(key, parsed.error().message);
  return std::nullopt;
}

void read_metrics(const Section& top, Request& request) {
  if (http_address(top, "metrics")) unless_given(request.metrics, top.text("metrics"));
}

// Names without a scheme, a port or a path: a browser sends nothing else that could match.
void read_hosts(const Section& section, ViewOptions& read) {
  read.hosts = section.texts("hosts").value_or(std::vector<std::string>());
  for (const std::string& host : read.hosts)
    if (host.empty() || host.find_first_of(":/ ") != std::string::npos)
      section.fault("hosts", "\"" + host + "\" is not the name of a host: write it as in cameras.example.org");
}

// The port alone, or a mapping.
void read_view(const Section& top, const Paths& paths, ViewOptions& view) {
  const YAML::Node node = top.node_of("view");
  if (!node.IsDefined()) return;
  ViewOptions read;
  std::optional<HttpAddress> address;
  if (node.IsScalar()) {
    address = http_address(top, "view");
    unless_given(read.address, top.text("view"));
  } else {
    const Section section(node, "view", config_keys("view"), top.faults());
    if (!section.has("address")) section.fault("address", "the address is missing: write a port, as in 8080");
    if (section.has("address")) address = http_address(section, "address");
    unless_given(read.address, section.text("address"));
    unless_given(read.password_file, paths.read(section, "password-file"));
    read_hosts(section, read);
    if (address && !read.password_file.empty() && view.password_file.empty())
      if (const Result<std::string> password = view_password("password-file", read.password_file); !password)
        section.fault("password-file", password.error().message);
  }
  const bool is_here = !address || address->host.starts_with("127.") || address->host == "::1";
  if (!is_here && read.password_file.empty() && view.password_file.empty())
    top.fault("view", address->host + " serves the page to the network, which needs a password: add password-file");
  unless_given(view.address, read.address);
  unless_given(view.password_file, read.password_file);
  view.hosts.insert(view.hosts.end(), read.hosts.begin(), read.hosts.end());
}

void read_broker(const Section& top, const Paths& paths, MqttOptions& broker) {
  if (!top.has("mqtt")) return;
  const Section section(top.node_of("mqtt"), "mqtt", config_keys("mqtt"), top.faults());
  if (!section.has("address") && broker.address.empty())
    section.fault("address", "the broker's address is missing: add it, as in mqtt://broker.local");
  if (const auto address = section.text("address")) {
    const Result<std::string> whole = expanded_address(*address);
    if (!whole) section.fault("address", whole.error().message);
    broker.from_file = broker.address.empty();
    if (whole) unless_given(broker.address, *whole);
  }
  unless_given(broker.password_file, paths.read(section, "password-file"));
  unless_given(broker.ca_file, paths.read(section, "ca"));
  unless_given(broker.topic, section.text("topic"));
  unless_given(broker.discovery_prefix, section.text("discovery-prefix"));
  broker.images |= section.boolean("images").value_or(false);
  broker.control |= section.boolean("control").value_or(false);
}

// The rules exclude each other, so those of the command line replace those of the file.
void read_tls(const Section& top, const Paths& paths, Request& request) {
  if (!top.has("tls")) return;
  const Section tls(top.node_of("tls"), "tls", config_keys("tls"), top.faults());
  const std::optional<std::string> ca = paths.read(tls, "ca");
  const std::vector<std::string> prints = tls.texts("fingerprints").value_or(std::vector<std::string>());
  for (const std::string& print : prints)
    if (const Result<std::string> parsed = parse_fingerprint(print); !parsed)
      tls.fault("fingerprints", "\"" + print + "\" is not the SHA-256 of a certificate: write 64 hexadecimal digits");
  const bool insecure = tls.boolean("insecure").value_or(false);
  if (static_cast<int>(ca.has_value()) + static_cast<int>(!prints.empty()) + static_cast<int>(insecure) > 1)
    top.faults().add(tls.mark(), "tls", "ca, fingerprints and insecure exclude each other: keep one of them");
  if (!request.tls_ca.empty() || !request.tls_fingerprints.empty() || request.tls_insecure) return;
  if (ca) request.tls_ca = *ca;
  request.tls_fingerprints = prints;
  request.tls_insecure = insecure;
}

}  // namespace

void read_run_options(const Section& top, const Paths& paths, Request& request) {
  unless_given(request.jsonl, paths.read(top, "jsonl"));
  read_metrics(top, request);
  request.force |= top.boolean("force").value_or(false);
  read_view(top, paths, request.view);
  read_broker(top, paths, request.mqtt);
  read_tls(top, paths, request);
}

}  // namespace bcp::cli::run
