// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/plan/certificates.hpp"

#include <gst/gst.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "gst-bcp/common/program.hpp"
#include "support/owners.hpp"

namespace bcp::cli::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kNamesShown = 3;

struct UnrefObject {
  void operator()(gpointer object) const { g_object_unref(object); }
};
using DatabasePtr = std::unique_ptr<GTlsDatabase, UnrefObject>;

// One for the process: GLib has one default database.
struct Rules {
  TlsOptions options;
  DatabasePtr authorities;  // null: none are asked
  struct Server {
    PresentedCertificate newest;
    Clock::time_point when;
    std::string accepted;  // the fingerprint of the newest that was
  };
  std::mutex mutex;  // a leaf, around what follows
  std::map<std::pair<std::string, int>, Server> servers;
};

Rules& rules() {
  static auto* const the_rules = new Rules;  // connections may outlive main()
  return *the_rules;
}

std::string fingerprint_of(GTlsCertificate* certificate) {
  GByteArray* der = nullptr;
  g_object_get(certificate, "certificate", &der, nullptr);
  std::array<guint8, 32> digest{};
  gsize size = digest.size();
  GChecksum* checksum = g_checksum_new(G_CHECKSUM_SHA256);
  if (der) {
    g_checksum_update(checksum, der->data, static_cast<gssize>(der->len));
    g_byte_array_unref(der);
  }
  g_checksum_get_digest(checksum, digest.data(), &size);
  g_checksum_free(checksum);
  return fingerprint_text(digest.data());
}

std::string day_of(GDateTime* time) {
  if (!time) return {};
  const gst::CharPtr text(g_date_time_format(time, "%Y-%m-%d"));
  g_date_time_unref(time);
  return text ? text.get() : "";
}

std::string names_of(GTlsCertificate* certificate) {
  std::vector<std::string> names;
  if (GPtrArray* dns = g_tls_certificate_get_dns_names(certificate)) {
    for (guint i = 0; i < dns->len; ++i) {
      gsize size = 0;
      const auto* text = static_cast<const char*>(g_bytes_get_data(static_cast<GBytes*>(dns->pdata[i]), &size));
      const gst::CharPtr valid(g_utf8_make_valid(text, static_cast<gssize>(size)));
      names.emplace_back(valid.get());
    }
    g_ptr_array_unref(dns);
  }
  if (GPtrArray* addresses = g_tls_certificate_get_ip_addresses(certificate)) {
    for (guint i = 0; i < addresses->len; ++i) {
      const gst::CharPtr text(g_inet_address_to_string(static_cast<GInetAddress*>(addresses->pdata[i])));
      names.emplace_back(text.get());
    }
    g_ptr_array_unref(addresses);
  }
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) list += (i > 0 ? ", " : "") + names[i];
  return names.size() > kNamesShown ? list + ", …" : list;
}

std::pair<std::string, int> key_of(const Endpoint& server) {
  const gst::CharPtr host(g_ascii_strdown(server.host.c_str(), -1));
  return {host.get(), server.port};
}

Endpoint endpoint_of(GSocketConnectable* identity) {
  if (!G_IS_NETWORK_ADDRESS(identity)) return {};
  auto* address = G_NETWORK_ADDRESS(identity);
  return {g_network_address_get_hostname(address), g_network_address_get_port(address)};
}

// Stores what the server presented, for the explanation of a failed connection.
void remember(const Endpoint& server, PresentedCertificate presented) {
  Rules& all = rules();
  const std::lock_guard lock(all.mutex);
  Rules::Server& known = all.servers[key_of(server)];
  if (all.options.mode == TlsMode::kFingerprints) {
    presented.by_fingerprint = true;
    presented.acceptable = all.options.fingerprints;
  } else if (!known.accepted.empty() && known.accepted != presented.fingerprint) {
    presented.acceptable = {known.accepted};
  }
  if (presented.flaws == 0) known.accepted = presented.fingerprint;
  known.newest = std::move(presented);
  known.when = Clock::now();
}

GTlsCertificateFlags judge(GTlsCertificate* chain, const std::string& fingerprint, const gchar* purpose,
                           GSocketConnectable* identity, GTlsInteraction* interaction, GTlsDatabaseVerifyFlags flags,
                           GCancellable* cancellable, GError** error) {
  const Rules& all = rules();
  const std::vector<std::string>& listed = all.options.fingerprints;
  if (all.options.mode == TlsMode::kAnything) return static_cast<GTlsCertificateFlags>(0);
  if (all.options.mode == TlsMode::kFingerprints)
    return std::find(listed.begin(), listed.end(), fingerprint) != listed.end() ? static_cast<GTlsCertificateFlags>(0)
                                                                                : G_TLS_CERTIFICATE_UNKNOWN_CA;
  if (!all.authorities) return G_TLS_CERTIFICATE_UNKNOWN_CA;
  return g_tls_database_verify_chain(all.authorities.get(), chain, purpose, identity, interaction, flags, cancellable,
                                     error);
}

struct BcpCertificateRules {
  GTlsDatabase parent;
};
struct BcpCertificateRulesClass {
  GTlsDatabaseClass parent;
};

}  // namespace

G_DEFINE_TYPE(BcpCertificateRules, bcp_certificate_rules, G_TYPE_TLS_DATABASE)  // NOLINT

static GTlsCertificateFlags bcp_certificate_rules_verify_chain(GTlsDatabase*, GTlsCertificate* chain,
                                                               const gchar* purpose, GSocketConnectable* identity,
                                                               GTlsInteraction* interaction,
                                                               GTlsDatabaseVerifyFlags flags, GCancellable* cancellable,
                                                               GError** error) {
  PresentedCertificate presented;
  presented.fingerprint = fingerprint_of(chain);
  presented.flaws = judge(chain, presented.fingerprint, purpose, identity, interaction, flags, cancellable, error);
  const GTlsCertificateFlags flaws = presented.flaws;
  if (flaws != 0) {
    presented.names = names_of(chain);
    presented.begins = day_of(g_tls_certificate_get_not_valid_before(chain));
    presented.ends = day_of(g_tls_certificate_get_not_valid_after(chain));
  }
  remember(endpoint_of(identity), std::move(presented));
  return flaws;
}

static void bcp_certificate_rules_class_init(BcpCertificateRulesClass* type) {
  G_TLS_DATABASE_CLASS(type)->verify_chain = bcp_certificate_rules_verify_chain;
}

static void bcp_certificate_rules_init(BcpCertificateRules*) {}

Endpoint endpoint_of(const std::string& uri) {
  GstUri* parsed = gst_uri_from_string(uri.c_str());
  if (!parsed) return {};
  const gchar* host = gst_uri_get_host(parsed);
  Endpoint server{host ? host : "", static_cast<int>(gst_uri_get_port(parsed))};
  gst_uri_unref(parsed);
  if (server.port == GST_URI_NO_PORT) {
    server.port = 554;
    if (uri.starts_with("rtsps")) server.port = 322;
    if (uri.starts_with("http")) server.port = uri.starts_with("https") ? 443 : 80;
  }
  return server;
}

Status use_certificate_rules(const TlsOptions& options) {
  GTlsBackend* backend = g_tls_backend_get_default();
  if (!g_tls_backend_supports_tls(backend))
    return Error{ErrorCode::kUnsupported,
                 "rtsps:// and https:// need TLS, which GLib lacks here: install the package glib-networking"};
  Rules& all = rules();
  all.options = options;
  if (options.mode == TlsMode::kFile) {
    GError* fault = nullptr;
    // GLib wants an absolute path.
    const std::string path = std::filesystem::absolute(options.ca_file).string();
    all.authorities.reset(g_tls_file_database_new(path.c_str(), &fault));
    const gst::ErrorPtr error(fault);
    if (error) return invalid("--tls-ca " + options.ca_file + " cannot be used: " + error->message);
  } else if (options.mode == TlsMode::kSystem) {
    all.authorities.reset(g_tls_backend_get_default_database(backend));
  }
  GTlsDatabase* database = G_TLS_DATABASE(g_object_new(bcp_certificate_rules_get_type(), nullptr));
  g_tls_backend_set_default_database(backend, database);
  g_object_unref(database);
  return ok();
}

Status prepare_tls(const Request& request, const std::vector<Input>& inputs, bool always) {
  const Result<TlsOptions> options = tls_options(request, inputs);
  if (!options) return options.error();
  const bool used =
      std::any_of(inputs.begin(), inputs.end(), [](const Input& input) { return is_tls_address(input.uri); });
  if (!used && !always) return ok();
  if (!used && !g_tls_backend_supports_tls(g_tls_backend_get_default())) return ok();
  if (request.tls_insecure)
    say_failure(
        "warning: --tls-insecure accepts any certificate, so anyone between this machine and the camera can watch and "
        "change the video; --tls-fingerprint accepts only the camera's own");
  return use_certificate_rules(*options);
}

std::optional<PresentedCertificate> certificate_of(const Endpoint& server, Clock::time_point since) {
  Rules& all = rules();
  const std::lock_guard lock(all.mutex);
  const auto known = all.servers.find(key_of(server));
  if (known == all.servers.end() || known->second.when < since) return std::nullopt;
  return known->second.newest;
}

}  // namespace bcp::cli::run
