// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/connection.hpp"

#include <arpa/inet.h>
#include <hiredis/hiredis.h>
#include <hiredis/sds.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "fleet/resolve.hpp"
#ifdef BCP_REDIS_TLS
#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#endif

namespace bcp::fleet {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kMostDepth = 8;
constexpr int kSendBuffer = 64 << 10;

struct FreeContext {
  void operator()(redisContext* context) const { redisFree(context); }
};
struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};

// hiredis writes without MSG_NOSIGNAL: a connection that the server has closed would end the process with SIGPIPE.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec now{};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_;
};

Reply converted(const redisReply& from, int depth = 0) {
  Reply reply;
  switch (from.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      reply.kind = Reply::Kind::kText;
      reply.text.assign(from.str, from.len);
      break;
    case REDIS_REPLY_ERROR:
      reply.kind = Reply::Kind::kError;
      reply.text.assign(from.str, from.len);
      break;
    case REDIS_REPLY_INTEGER:
      reply.kind = Reply::Kind::kNumber;
      reply.number = from.integer;
      break;
    case REDIS_REPLY_ARRAY:
      reply.kind = Reply::Kind::kList;
      for (std::size_t i = 0; depth < kMostDepth && i < from.elements; ++i)
        reply.list.push_back(converted(*from.element[i], depth + 1));
      break;
    default:
      break;
  }
  return reply;
}

}  // namespace

struct Connection::Link {
  const Stop& stop;
  Traffic& traffic;
  std::string server;  // for messages
  bool tls;
  bool has_answered = false;
  std::unique_ptr<redisContext, FreeContext> context = nullptr;

  Error failed(const std::string& reason) const { return {ErrorCode::kRuntime, server + " " + reason}; }
  Error lost() const {
    if (context->err == REDIS_ERR_PROTOCOL)
      return failed("does not speak the protocol of Redis: check the host and the port");
    // A server that wants TLS, or a certificate, closes the connection without a word.
    const char* hint = tls ? "; if it requires certificates of its clients, set its tls-auth-clients to no"
                           : "; if this is its tls-port, use rediss://";
    return failed("closed the connection (" + std::string(context->errstr) + ")" + (has_answered ? "" : hint));
  }

  // Waits for the socket until `deadline`.
  Status wait_for(short events, Clock::time_point deadline, const char* late) const {
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      pollfd socket{context->fd, events, 0};
      const int ready = poll(&socket, 1, static_cast<int>(std::clamp<long>(left, 0, 100)));
      if (stop.is_raised()) return failed("was not waited for: the element stops");
      if (ready < 0 && errno != EINTR) return failed(std::strerror(errno));
      if (ready > 0) return ok();
      if (left <= 0) return failed(late);  // after a look: this thread may have got no processor for that long
    }
  }

  Status connect(const std::string& number, int port, Clock::time_point deadline);
  Status secure(const std::string& host, Clock::time_point deadline) const;
};

Status Connection::Link::connect(const std::string& number, int port, Clock::time_point deadline) {
  context.reset(redisConnectNonBlock(number.c_str(), port));
  if (!context) return failed("cannot be reached: out of memory");
  const auto unreachable = [&](const std::string& reason) {
    return failed("cannot be reached (" + reason + "): check the host, the port and that Redis is running");
  };
  if (context->err) return unreachable(context->errstr);
  if (Status waited = wait_for(POLLOUT, deadline, "does not answer: check the host and the network"); !waited)
    return waited;
  int fault = 0;
  socklen_t size = sizeof fault;
  getsockopt(context->fd, SOL_SOCKET, SO_ERROR, &fault, &size);
  if (fault != 0) return unreachable(std::strerror(fault));
  // What is written and not yet sent must take less than kPatience, also on a slow line.
  setsockopt(context->fd, SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
  return ok();
}

#ifdef BCP_REDIS_TLS
// The session then belongs to the context. The handshake ends here, because hiredis does not say why one failed.
Status Connection::Link::secure(const std::string& host, Clock::time_point deadline) const {
  struct FreeTls {
    void operator()(SSL_CTX* tls) const { SSL_CTX_free(tls); }
    void operator()(SSL* session) const { SSL_free(session); }
  };
  const std::unique_ptr<SSL_CTX, FreeTls> tls(SSL_CTX_new(TLS_client_method()));
  if (!tls || SSL_CTX_set_default_verify_paths(tls.get()) != 1)
    return failed("cannot be reached with TLS: OpenSSL failed");
  SSL_CTX_set_verify(tls.get(), SSL_VERIFY_PEER, nullptr);
  std::unique_ptr<SSL, FreeTls> owner(SSL_new(tls.get()));
  SSL* session = owner.get();
  in6_addr number;
  if (inet_pton(AF_INET, host.c_str(), &number) == 1 || inet_pton(AF_INET6, host.c_str(), &number) == 1) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str());
  } else {
    SSL_set_tlsext_host_name(session, host.c_str());
    SSL_set1_host(session, host.c_str());
  }
  const auto refused = [&] {
    const long result = SSL_get_verify_result(session);
    if (result == X509_V_OK) return failed("does not speak TLS: use redis:// there, or its tls-port");
    return failed("has a certificate that is not accepted (" + std::string(X509_verify_cert_error_string(result)) +
                  "): use the name in the certificate; SSL_CERT_FILE names a file with other authorities");
  };
  if (redisInitiateSSL(context.get(), session) != REDIS_OK) return refused();
  static_cast<void>(owner.release());
  while (!SSL_is_init_finished(session)) {
    ERR_clear_error();
    const int result = SSL_do_handshake(session);
    const int reason = SSL_get_error(session, result);
    if (result == 1) break;
    if (reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE) return refused();
    const short event = reason == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
    const char* late =
        "does not answer with TLS: it is paused, or this port has none: use redis:// there, or its tls-port";
    if (Status waited = wait_for(event, deadline, late); !waited) return waited;
  }
  return ok();
}
#else
Status Connection::Link::secure(const std::string&, Clock::time_point) const {
  return ok();  // check() has refused it
}
#endif

Status Connection::check(const Address& address) {
#ifdef BCP_REDIS_TLS
  (void)address;
#else
  if (address.tls)
    return Error{ErrorCode::kUnsupported,
                 address.shown() +
                     " needs hiredis with TLS, which this build has not (Debian 12 has no such package, Debian 13 "
                     "has): use redis:// in a trusted network, or through a tunnel such as stunnel"};
#endif
  return ok();
}

Connection::Connection(std::unique_ptr<Link> link) : link_(std::move(link)) {}
Connection::~Connection() {
  const NoPipeSignal no_signal;  // TLS says goodbye
  link_.reset();
}

Result<std::unique_ptr<Connection>> Connection::open(const Address& address, const Endpoint& to, const Stop& stop,
                                                     Traffic& traffic) {
  const NoPipeSignal no_signal;
  std::unique_ptr<Link> link(
      new Link{stop, traffic, "Redis at " + to.host + ":" + std::to_string(to.port), address.tls});
  if (Status able = check(address); !able) return able.error();
  const auto deadline = Clock::now() + kPatience;
  const Result<std::vector<std::string>> numbers = resolve(to.host, deadline, stop);
  if (!numbers) return numbers.error();
  for (std::size_t i = 0;; ++i) {
    // Each gets its share of the time: a host may have an address that nothing answers at.
    const auto left = static_cast<Clock::rep>(numbers->size() - i);
    Status connected = link->connect((*numbers)[i], to.port, Clock::now() + (deadline - Clock::now()) / left);
    if (connected) break;
    if (left == 1 || stop.is_raised()) return connected.error();
  }
  if (address.tls) {
    if (Status secured = link->secure(to.host, deadline + kPatience); !secured) return secured.error();
  }
  const std::string server = link->server;
  std::unique_ptr<Connection> connection(new Connection(std::move(link)));
  const auto set_up = [&](const std::vector<std::string>& words) -> Status {
    const Result<Reply> reply = connection->call(words);
    if (!reply) return reply.error();
    if (reply->is_error()) return Error{ErrorCode::kInvalid, server + " " + explain(reply->text)};
    return ok();
  };
  if (!address.password.empty()) {
    std::vector<std::string> words = {"AUTH"};
    if (!address.user.empty()) words.push_back(address.user);
    words.push_back(address.password);
    if (Status done = set_up(words); !done) return done.error();
  }
  if (address.db != 0) {
    if (Status done = set_up({"SELECT", std::to_string(address.db)}); !done) return done.error();
  }
  return connection;
}

Result<Reply> Connection::call(const std::vector<std::string>& words) {
  const NoPipeSignal no_signal;
  redisContext* context = link_->context.get();
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const std::string& word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
    link_->traffic.sent += word.size() + 8;  // with its length and line ends
  }
  if (redisAppendCommandArgv(context, static_cast<int>(words.size()), texts.data(), sizes.data()) != REDIS_OK)
    return link_->lost();
  std::size_t received = 0;
  bool written = false;
  for (auto deadline = Clock::now() + kPatience;;) {
    if (!written) {
      const std::size_t unsent = sdslen(context->obuf);
      int done = 0;
      if (redisBufferWrite(context, &done) != REDIS_OK) return link_->lost();
      written = done != 0;
      if (sdslen(context->obuf) != unsent) deadline = Clock::now() + kPatience;
    }
    void* taken = nullptr;
    if (redisGetReplyFromReader(context, &taken) != REDIS_OK) return link_->lost();
    if (taken) {
      const std::unique_ptr<redisReply, FreeReply> reply(static_cast<redisReply*>(taken));
      ++link_->traffic.operations;
      link_->has_answered = true;
      return converted(*reply);
    }
    const short events = static_cast<short>(POLLIN | (written ? 0 : POLLOUT));
    if (Status waited = link_->wait_for(events, deadline, "does not answer: it is paused, overloaded or out of reach");
        !waited)
      return waited.error();
    const std::size_t before = context->reader->len;
    if (redisBufferRead(context) != REDIS_OK) return link_->lost();
    const std::size_t more = context->reader->len - before;
    received += more;
    link_->traffic.received += more;
    if (received > kMostAnswer)
      return link_->failed("sent more than " + std::to_string(kMostAnswer >> 20) +
                           " MiB in one answer: other programs write to the keys of the group; use another group name");
    if (more > 0) deadline = Clock::now() + kPatience;
  }
}

}  // namespace bcp::fleet
