// SPDX-License-Identifier: LGPL-2.1-or-later

#include "mqtt/mqtt_session.hpp"

#include <mosquitto.h>
#include <netdb.h>
#include <openssl/x509.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/log.hpp"
#include "mqtt/topics.hpp"

namespace bcp::mqtt {
namespace {

using Clock = std::chrono::steady_clock;

// How long to wait for the broker's answer to a connection.
constexpr auto kAnswerTime = std::chrono::seconds(10);
// libmosquitto sends pings only when it is called, so it must be called this often.
constexpr auto kLongestWait = std::chrono::milliseconds(1000);

// Called once per process and never undone: other users of the library in this process depend on it.
void init_library() {
  static std::once_flag once;
  std::call_once(once, [] { mosquitto_lib_init(); });
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

std::string without_full_stop(std::string text) {
  while (text.ends_with('.')) text.pop_back();
  return text;
}

const char* or_null(const std::string& text) {
  return text.empty() ? nullptr : text.c_str();
}

struct Destroy {
  void operator()(mosquitto* m) const { mosquitto_destroy(m); }
};

}  // namespace

struct MqttSession::Impl {
  explicit Impl(const MqttOptions& chosen) : options(chosen) {}

  int configure();
  int step(short happened);
  Error reason(int code, int cause) const;
  std::string hang_up_reason() const;
  std::string tls_reason() const;

  static Impl& of(void* self) { return *static_cast<Impl*>(self); }
  static void on_connect(mosquitto*, void* self, int code);
  static void on_publish(mosquitto*, void* self, int id) { of(self).acknowledged.push_back(id); }
  static void on_message(mosquitto*, void* self, const mosquitto_message* message);
  static void on_log(mosquitto*, void* self, int level, const char* text);

  const MqttOptions options;
  const Clock::time_point begun = Clock::now();
  bool connected = false;
  bool reborn = false;
  int refusal = 0;          // the broker's CONNACK code
  std::string tls_trouble;  // what libmosquitto logged about certificates
  std::vector<int> acknowledged;
  std::vector<MqttMessage> recalled, commands;
  std::unique_ptr<mosquitto, Destroy> client;  // last: its destruction calls the functions above
};

void MqttSession::Impl::on_connect(mosquitto* client, void* self, int code) {
  Impl& impl = of(self);
  impl.refusal = code;
  impl.connected = code == 0;
  if (!impl.connected) return;
  if (!impl.options.birth_topic.empty()) mosquitto_subscribe(client, nullptr, impl.options.birth_topic.c_str(), 1);
  for (const std::string& filter : impl.options.command_filters)
    mosquitto_subscribe(client, nullptr, filter.c_str(), 1);
}

void MqttSession::Impl::on_message(mosquitto*, void* self, const mosquitto_message* message) {
  Impl& impl = of(self);
  const std::vector<std::string>& filters = impl.options.command_filters;
  const bool command = std::any_of(filters.begin(), filters.end(), [message](const std::string& filter) {
    return topic_matches(filter, message->topic);
  });
  if (command && (message->retain || static_cast<std::size_t>(message->payloadlen) > kMostCommandBytes)) return;
  std::string payload(static_cast<const char*>(message->payload), static_cast<std::size_t>(message->payloadlen));
  if (command) {
    impl.commands.push_back({message->topic, std::move(payload), false});
  } else if (message->topic == impl.options.birth_topic) {
    if (!message->retain && payload == kOnline) impl.reborn = true;
  } else if (message->retain) {  // else an echo of a message this client has sent
    impl.recalled.push_back({message->topic, std::move(payload), true});
  }
}

void MqttSession::Impl::on_log(mosquitto*, void* self, int level, const char* text) {
  if (level == MOSQ_LOG_ERR && (has(text, "OpenSSL") || has(text, "host name") || has(text, "certificate"))) {
    of(self).tls_trouble.append(text).append("; ");
  }
  // Its debug log has topics and sizes, never passwords or payloads.
  log(level == MOSQ_LOG_ERR || level == MOSQ_LOG_WARNING ? LogLevel::kInfo : LogLevel::kDebug,
      std::string("mosquitto: ") + text);
}

int MqttSession::Impl::configure() {
  const MqttAddress& address = options.address;
  mosquitto* m = client.get();
  mosquitto_connect_callback_set(m, on_connect);
  mosquitto_publish_callback_set(m, on_publish);
  mosquitto_message_callback_set(m, on_message);
  mosquitto_log_callback_set(m, on_log);
  if (!address.username.empty()) {
    mosquitto_username_pw_set(m, address.username.c_str(), or_null(address.password));
  }
  if (const int code =
          mosquitto_will_set(m, options.status_topic.c_str(), sizeof(kOffline) - 1, kOffline, options.quality, true)) {
    return code;
  }
  if (!address.tls) return MOSQ_ERR_SUCCESS;
  mosquitto_tls_insecure_set(m, options.insecure);
  const bool system = options.ca_file.empty();
  if (system) mosquitto_int_option(m, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
  return mosquitto_tls_set(m, or_null(options.ca_file), system ? X509_get_default_cert_dir() : nullptr,
                           or_null(options.certificate_file), or_null(options.key_file), nullptr);
}

// Why there is no connection, and what to do.
Error MqttSession::Impl::reason(int code, int cause) const {
  const auto said = [](std::string text) { return Error{ErrorCode::kRuntime, std::move(text)}; };
  const MqttWords& words = options.words;
  switch (refusal) {
    case 0:
      break;
    case 4:
    case 5:
      return said(options.address.username.empty()
                      ? "authentication required; set " + words.username + " and " + words.password_file
                      : "it does not accept the user name or the password; check " + words.username + " and " +
                            words.password_file);
    default:
      return said("it refused the connection (" + without_full_stop(mosquitto_connack_string(refusal)) + "); check " +
                  words.client_id);
  }
  if (!tls_trouble.empty()) return said(tls_reason());
  // TLS that fails without a log message got no answer: newer versions of libmosquitto report it as a TLS error or
  // as EPROTO.
  const bool hung_up = code == MOSQ_ERR_CONN_LOST || code == MOSQ_ERR_TLS || code == MOSQ_ERR_TLS_HANDSHAKE ||
                       (code == MOSQ_ERR_ERRNO && (cause == ECONNRESET || cause == EPIPE || cause == EPROTO));
  if (hung_up) return said(hang_up_reason());
  switch (code) {
    case MOSQ_ERR_EAI:
    case MOSQ_ERR_LOOKUP:
      return said("the host name cannot be resolved (" + std::string(gai_strerror(cause)) + "); check the host in " +
                  words.address);
    case MOSQ_ERR_ERRNO:
      return said(std::system_category().message(cause) + "; start the broker, or correct " + words.address);
    case MOSQ_ERR_PROTOCOL:
    case MOSQ_ERR_MALFORMED_PACKET:
      return said("the server at this address is not an MQTT broker; check the host and the port in " + words.address);
    default:
      return said("error of libmosquitto: " + without_full_stop(mosquitto_strerror(code)));
  }
}

std::string MqttSession::Impl::hang_up_reason() const {
  if (connected) return "it closed the connection";
  if (!options.address.tls) {
    return "it closed the connection without an answer; if it requires TLS, use mqtts:// in " + options.words.address;
  }
  // OpenSSL has read the error from the socket and does not report it, so these two cases look the same.
  return "no answer, or it closed the connection at once; start the broker, and check that this port uses TLS";
}

std::string MqttSession::Impl::tls_reason() const {
  if (has(tls_trouble, "host name")) {
    return "its certificate is for another host than " + options.address.host +
           "; use the host name of the certificate in " + options.words.address;
  }
  if (has(tls_trouble, "certificate verify failed")) {
    return options.ca_file.empty()
               ? "its certificate is not signed by an authority trusted by this system; set " + options.words.ca_file
               : "its certificate is not signed by the authority in " + options.words.ca_file + " '" + options.ca_file +
                     "'; use the file of the authority that signed it";
  }
  if (has(tls_trouble, "wrong version number") || has(tls_trouble, "packet length")) {
    return "this port does not use TLS; use the broker's TLS port, or mqtt:// in " + options.words.address;
  }
  return "TLS failed (" + tls_trouble + "); check " + options.words.tls_files;
}

// Reads and writes what the socket is ready for. Returns 0, or an error code of libmosquitto (with errno).
int MqttSession::Impl::step(short happened) {
  if (happened & (POLLIN | POLLERR | POLLHUP)) {
    if (const int code = mosquitto_loop_read(client.get(), 1)) return code;
  }
  if (happened & (POLLOUT | POLLERR)) {
    if (const int code = mosquitto_loop_write(client.get(), 1)) return code;
  }
  // During a TLS handshake libmosquitto does not notice that the peer has closed, and this would loop.
  if (happened & POLLHUP) return MOSQ_ERR_CONN_LOST;
  return mosquitto_loop_misc(client.get());
}

Status MqttSession::available() {
  return ok();
}

MqttSession::MqttSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

MqttSession::~MqttSession() = default;

Result<std::unique_ptr<MqttSession>> MqttSession::open(const MqttOptions& options) {
  init_library();
  auto impl = std::make_unique<Impl>(options);
  impl->client.reset(mosquitto_new(or_null(options.client_id), true, impl.get()));
  if (!impl->client) return impl->reason(MOSQ_ERR_ERRNO, errno);
  if (const int code = impl->configure()) return impl->reason(code, errno);
  const int code = mosquitto_connect_async(impl->client.get(), options.address.host.c_str(), options.address.port,
                                           options.keepalive);
  if (code > 0) return impl->reason(code, errno);
  return std::unique_ptr<MqttSession>(new MqttSession(std::move(impl)));
}

Status MqttSession::wait(int wake, std::chrono::milliseconds timeout) {
  mosquitto* m = impl_->client.get();
  const auto events = static_cast<short>(POLLIN | (mosquitto_want_write(m) ? POLLOUT : 0));
  std::array<pollfd, 2> fds{{{mosquitto_socket(m), events, 0}, {wake, POLLIN, 0}}};
  // QoS 0 messages are acknowledged when they are written, so there may be something to report already.
  const auto longest = impl_->acknowledged.empty() ? std::min(timeout, kLongestWait) : std::chrono::milliseconds(0);
  if (::poll(fds.data(), fds.size(), static_cast<int>(longest.count())) < 0 && errno != EINTR) {
    return impl_->reason(MOSQ_ERR_ERRNO, errno);
  }
  errno = 0;
  if (const int code = impl_->step(fds[0].revents)) return impl_->reason(code, errno);
  if (impl_->refusal != 0) return impl_->reason(MOSQ_ERR_CONN_REFUSED, 0);
  if (mosquitto_socket(m) < 0) return impl_->reason(MOSQ_ERR_CONN_LOST, 0);
  if (!impl_->connected && Clock::now() - impl_->begun > kAnswerTime) {
    return Error{ErrorCode::kRuntime,
                 "the broker does not answer; check the host and the port in " + impl_->options.words.address};
  }
  return ok();
}

bool MqttSession::connected() const {
  return impl_->connected;
}

Result<int> MqttSession::publish(const MqttMessage& message) {
  int id = 0;
  const int code =
      mosquitto_publish(impl_->client.get(), &id, message.topic.c_str(), static_cast<int>(message.payload.size()),
                        message.payload.data(), impl_->options.quality, message.retain);
  switch (code) {
    case MOSQ_ERR_INVAL:
    case MOSQ_ERR_PAYLOAD_SIZE:
    case MOSQ_ERR_MALFORMED_UTF8:
    case MOSQ_ERR_OVERSIZE_PACKET:
      return Error{ErrorCode::kInvalid, mosquitto_strerror(code)};
    default:
      return id;  // wait() reports a lost connection
  }
}

std::vector<int> MqttSession::acknowledged() {
  return std::exchange(impl_->acknowledged, {});
}

void MqttSession::recall(const std::string& filter) {
  mosquitto_subscribe(impl_->client.get(), nullptr, filter.c_str(), 0);
}

std::vector<MqttMessage> MqttSession::recalled() {
  return std::exchange(impl_->recalled, {});
}

std::vector<MqttMessage> MqttSession::commands() {
  return std::exchange(impl_->commands, {});
}

bool MqttSession::reborn() {
  return std::exchange(impl_->reborn, false);
}

void MqttSession::disconnect() {
  mosquitto_disconnect(impl_->client.get());
  mosquitto_loop_write(impl_->client.get(), 1);
}

}  // namespace bcp::mqtt
