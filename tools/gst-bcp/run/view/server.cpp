// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/server.hpp"

#include <libsoup/soup.h>
#include <pthread.h>

#include <atomic>
#include <charconv>
#include <functional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "base/json.hpp"
#include "gst-bcp/run/view/bundle.hpp"
#include "gst-bcp/run/view/event_streams.hpp"
#include "gst-bcp/run/view/picture_streams.hpp"
#include "gst-bcp/run/view/request_parts.hpp"
#include "gst-bcp/run/view/responses.hpp"

namespace bcp::cli::view {
namespace {

using Clock = Access::Clock;

// Requests that are open at a time: a page has few, and streams do not count.
constexpr HttpConnections::Limits kRequests{.clients = 64, .seconds = 10};

// A message that is answered later. libsoup keeps it until it is finished, also if the client disconnects.
class Pending {
 public:
  explicit Pending(SoupServerMessage* message) : message_(SOUP_SERVER_MESSAGE(g_object_ref(message))) {
    soup_server_message_pause(message);
    finished_ = g_signal_connect(message, "finished", G_CALLBACK(on_finished), this);
  }
  ~Pending() { g_signal_handler_disconnect(message_.get(), finished_); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  void answer(const ApiReply& reply) {
    if (is_finished_) return;
    respond(message_.get(), reply);
    soup_server_message_unpause(message_.get());
  }

 private:
  static void on_finished(SoupServerMessage*, gpointer self) { static_cast<Pending*>(self)->is_finished_ = true; }

  const ObjectPtr<SoupServerMessage> message_;
  gulong finished_ = 0;
  bool is_finished_ = false;
};

}  // namespace

// Every libsoup object is made, used and dropped on the server's thread.
class ViewServer::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(HttpSocket socket, Access::Rules rules, Api api)
      : socket_(std::move(socket)), access_(std::move(rules)), api_(std::move(api)) {}
  ~Impl() {
    g_main_loop_unref(loop_);
    g_main_context_unref(context_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start() {
    thread_ = std::thread([this] { serve(); });
  }
  void stop() {
    post([this] { g_main_loop_quit(loop_); });
    thread_.join();
  }

  const std::string& url() const { return socket_.url; }
  std::size_t pages() const { return pages_; }

  // Runs `work` on the server's thread; dropped if the server has ended. Any thread.
  void post(std::function<void()> work) {
    GSource* source = g_idle_source_new();
    g_source_set_priority(source, G_PRIORITY_DEFAULT);
    g_source_set_callback(
        source,
        [](gpointer data) -> gboolean { return (*static_cast<std::function<void()>*>(data))(), G_SOURCE_REMOVE; },
        new std::function<void()>(std::move(work)),
        [](gpointer data) { delete static_cast<std::function<void()>*>(data); });
    g_source_attach(source, context_);
    g_source_unref(source);
  }

  void publish(const ViewEvent& event) {
    if (events_) events_->publish(event);
  }
  void restart_pictures(CameraId camera) {
    if (pictures_) pictures_->restart(camera);
  }

 private:
  void serve() {
    pthread_setname_np(pthread_self(), "bcp-view");
    g_main_context_push_thread_default(context_);
    {
      server_ = soup_server_new(nullptr, nullptr);
      soup_server_add_early_handler(server_, nullptr, on_head, this, nullptr);
      soup_server_add_handler(server_, nullptr, on_request, this, nullptr);
      EventStreams events;
      PictureStreams pictures([this](CameraId camera) { return ask_for_picture(camera); });
      HttpConnections connections(
          socket_.socket.get(),
          [this](GSocketConnection* connection) {
            const ObjectPtr<GSocketAddress> local(g_socket_connection_get_local_address(connection, nullptr));
            const ObjectPtr<GSocketAddress> remote(g_socket_connection_get_remote_address(connection, nullptr));
            // Null if the client has already disconnected.
            if (local && remote)
              soup_server_accept_iostream(server_, G_IO_STREAM(connection), local.get(), remote.get(), nullptr);
          },
          kRequests);
      events_ = &events;
      pictures_ = &pictures;
      connections_ = &connections;
      GSource* timer = g_timeout_source_new_seconds(1);
      g_source_set_callback(
          timer, [](gpointer self) -> gboolean { return static_cast<Impl*>(self)->tick(), G_SOURCE_CONTINUE; }, this,
          nullptr);
      g_source_attach(timer, context_);
      g_main_loop_run(loop_);
      g_source_destroy(timer);
      g_source_unref(timer);
      soup_server_disconnect(server_);
      g_object_unref(server_);
      events_ = nullptr;
      pictures_ = nullptr;
      connections_ = nullptr;
    }
    while (g_main_context_iteration(context_, FALSE)) {
    }
    g_main_context_pop_thread_default(context_);
  }

  void tick() {
    const Clock::time_point now = Clock::now();
    events_->tick(now);
    pictures_->tick(now);
    pages_ = events_->size();
  }

  bool ask_for_picture(CameraId camera) {
    return api_.picture(camera, [weak = weak_from_this(), camera](Jpeg picture) {
      const std::shared_ptr<Impl> self = weak.lock();
      if (!self) return;
      self->post([server = self.get(), camera, picture = std::move(picture)] {
        if (server->pictures_) server->pictures_->arrive(camera, picture);
      });
    });
  }

  // Before the body of a request is read.
  static void on_head(SoupServer*, SoupServerMessage* message, const char*, GHashTable*, gpointer) {
    SoupMessageHeaders* headers = soup_server_message_get_request_headers(message);
    const std::string_view method = soup_server_message_get_method(message);
    const bool has_body = method == SOUP_METHOD_POST;
    soup_message_body_set_accumulate(soup_server_message_get_request_body(message), has_body);
    if (!has_body) return;
    if (soup_message_headers_get_encoding(headers) != SOUP_ENCODING_CONTENT_LENGTH)
      respond(message, refusal(SOUP_STATUS_LENGTH_REQUIRED, "the request has no Content-Length"));
    else if (soup_message_headers_get_content_length(headers) > static_cast<goffset>(kMostBody))
      respond(message, refusal(SOUP_STATUS_REQUEST_ENTITY_TOO_LARGE,
                               "the request is larger than " + std::to_string(kMostBody) + " bytes"));
    else
      return;
    soup_message_body_set_accumulate(soup_server_message_get_request_body(message), FALSE);
  }

  static void on_request(SoupServer*, SoupServerMessage* message, const char* path, GHashTable* query, gpointer self) {
    if (soup_server_message_get_status(message) >= 400) return;  // refused in on_head()
    static_cast<Impl*>(self)->route(message, path, query_of(query));
  }

  void route(SoupServerMessage* message, std::string_view path, const std::map<std::string, std::string>& query) {
    const Caller caller = caller_of(message);
    const Clock::time_point now = Clock::now();
    const std::string_view method = soup_server_message_get_method(message);
    if (const Verdict verdict = access_.judge_sender(caller); verdict != Verdict::kAllowed)
      return refuse(message, verdict);
    if (method == SOUP_METHOD_POST) return change(message, path, caller, now);
    if (method != SOUP_METHOD_GET && method != SOUP_METHOD_HEAD) {
      soup_message_headers_replace(soup_server_message_get_response_headers(message), "Allow", "GET, HEAD, POST");
      return respond(message, refusal(SOUP_STATUS_METHOD_NOT_ALLOWED, "only GET, HEAD and POST are supported"));
    }
    if (const BundleFile* file = bundle_file(path)) {
      // A link from another site may lead here: that is for the cookie's rules, not for ours.
      Caller person = caller;
      person.fetch_site = {};
      if (!file->is_public && access_.judge_reader(person, now) != Verdict::kAllowed)
        return redirect(message, "/login");
      return respond(message, SOUP_STATUS_OK, file->content_type, file->bytes);
    }
    if (const Verdict verdict = access_.judge_reader(caller, now); verdict != Verdict::kAllowed)
      return refuse(message, verdict);
    read(message, std::string(path), query, caller, now);
  }

  void read(SoupServerMessage* message, std::string path, const std::map<std::string, std::string>& query,
            const Caller& caller, Clock::time_point now) {
    if (path == "/events") return open_events(message);
    if (path == "/pictures") return open_pictures(message, query);
    if (path == "/thumbnail") return send_thumbnail(message, query);
    if (path == "/api/session")
      return respond(message, {200, {{"token", access_.token_of(caller, now)}, {"login", access_.needs_login()}}});
    if (path.starts_with("/api/")) return ask(message, {.path = std::move(path), .query = query, .body = {}});
    respond(message, refusal(SOUP_STATUS_NOT_FOUND, "there is no such page; the live page is at /"));
  }

  void change(SoupServerMessage* message, std::string_view path, const Caller& caller, Clock::time_point now) {
    const char* type = soup_message_headers_get_content_type(soup_server_message_get_request_headers(message), nullptr);
    if (text_or_empty(type) != "application/json")
      return respond(message, refusal(SOUP_STATUS_UNSUPPORTED_MEDIA_TYPE, "the request must be application/json"));
    const bool logs_in = path == "/login";
    if (!logs_in)
      if (const Verdict verdict = access_.judge_writer(caller, now); verdict != Verdict::kAllowed)
        return refuse(message, verdict);
    const std::unique_ptr<GBytes, decltype(&g_bytes_unref)> bytes(
        soup_message_body_flatten(soup_server_message_get_request_body(message)), g_bytes_unref);
    gsize size = 0;
    const auto* data = static_cast<const char*>(g_bytes_get_data(bytes.get(), &size));
    Result<nlohmann::json> body = parse_json(std::string_view(data ? data : "", size));
    if (!body || !body->is_object())
      return respond(message, refusal(SOUP_STATUS_BAD_REQUEST, "the request is not a JSON object"));
    if (logs_in) return log_in(message, caller, text_of(*body, "password"), now);
    if (path == "/logout") return log_out(message, caller, now);
    if (path.starts_with("/api/"))
      return ask(message, {.path = std::string(path), .changes = true, .query = {}, .body = *std::move(body)});
    respond(message, refusal(SOUP_STATUS_NOT_FOUND, "there is nothing to change at this address"));
  }

  void log_in(SoupServerMessage* message, const Caller& caller, std::string_view password, Clock::time_point now) {
    const Access::LoginResult result = access_.log_in(caller, password, now);
    switch (result.outcome) {
      case Access::Login::kWrong:
        return respond(message, refusal(SOUP_STATUS_FORBIDDEN, "the password is wrong"));
      case Access::Login::kTooOften:
        respond(message, refusal(429, "too many attempts: wait ten seconds"));
        soup_message_headers_replace(soup_server_message_get_response_headers(message), "Retry-After", "10");
        return;
      case Access::Login::kDone:
        respond(message, {200, {{"done", true}}});
        soup_message_headers_replace(soup_server_message_get_response_headers(message), "Set-Cookie",
                                     result.cookie.c_str());
    }
  }

  void log_out(SoupServerMessage* message, const Caller& caller, Clock::time_point now) {
    const std::string cookie = access_.log_out(caller, now);
    respond(message, {200, {{"done", true}}});
    soup_message_headers_replace(soup_server_message_get_response_headers(message), "Set-Cookie", cookie.c_str());
  }

  // Of the run. The message waits for the answer; the server does not.
  void ask(SoupServerMessage* message, ApiCall call) {
    auto pending = std::make_shared<Pending>(message);
    api_.call(std::move(call), [weak = weak_from_this(), pending](ApiReply reply) mutable {
      const std::shared_ptr<Impl> self = weak.lock();
      if (!self) return;
      // The last reference to the message goes on the server's thread, too.
      self->post([pending = std::move(pending), reply = std::move(reply)] { pending->answer(reply); });
    });
  }

  void send_thumbnail(SoupServerMessage* message, const std::map<std::string, std::string>& query) {
    const auto id = query.find("id");
    std::uint64_t span = 0;
    if (id != query.end()) std::from_chars(id->second.data(), id->second.data() + id->second.size(), span);
    const Jpeg picture = api_.thumbnail(span);
    if (!picture) return respond(message, refusal(SOUP_STATUS_NOT_FOUND, "this picture is not kept any more"));
    respond(message, SOUP_STATUS_OK, "image/jpeg", *picture);
  }

  struct Taken {
    ObjectPtr<GIOStream> connection;
    ObjectPtr<GSocket> socket;
  };
  // The connection of the message, from now on without libsoup.
  Taken take_over(SoupServerMessage* message) {
    GSocketAddress* remote = soup_server_message_get_remote_address(message);
    ObjectPtr<GSocket> socket = remote ? connections_->release(remote) : nullptr;
    return {ObjectPtr<GIOStream>(soup_server_message_steal_connection(message)), std::move(socket)};
  }

  void refuse_for_room(SoupServerMessage* message) {
    respond(message,
            refusal(SOUP_STATUS_SERVICE_UNAVAILABLE, "too many pages are open: close one and load this again"));
    soup_message_headers_replace(soup_server_message_get_response_headers(message), "Retry-After", "5");
  }

  void open_events(SoupServerMessage* message) {
    if (!events_->has_room()) return refuse_for_room(message);
    Taken taken = take_over(message);
    if (taken.connection && taken.socket)
      events_->open(std::move(taken.connection), std::move(taken.socket), stream_head("text/event-stream"));
    pages_ = events_->size();
  }

  void open_pictures(SoupServerMessage* message, const std::map<std::string, std::string>& query) {
    std::optional<std::set<CameraId>> cameras = cameras_in(query);
    if (!cameras)
      return respond(message, refusal(SOUP_STATUS_BAD_REQUEST, "name the cameras by their numbers: ?cameras=1,2"));
    if (!pictures_->has_room()) return refuse_for_room(message);
    Taken taken = take_over(message);
    if (taken.connection && taken.socket)
      pictures_->open(std::move(taken.connection), std::move(taken.socket), stream_head(PictureQueue::kContentType),
                      *std::move(cameras));
  }

  const HttpSocket socket_;
  Access access_;
  const Api api_;
  GMainContext* const context_ = g_main_context_new();
  GMainLoop* const loop_ = g_main_loop_new(context_, FALSE);
  // Of the server's thread, while it runs:
  SoupServer* server_ = nullptr;
  EventStreams* events_ = nullptr;
  PictureStreams* pictures_ = nullptr;
  HttpConnections* connections_ = nullptr;
  std::atomic<std::size_t> pages_ = 0;
  std::thread thread_;
};

ViewServer::ViewServer(HttpSocket socket, Access::Rules rules, Api api)
    : impl_(std::make_shared<Impl>(std::move(socket), std::move(rules), std::move(api))) {
  impl_->start();
}

ViewServer::~ViewServer() {
  impl_->stop();
}

const std::string& ViewServer::url() const {
  return impl_->url();
}

void ViewServer::publish(ViewEvent event) {
  impl_->post([impl = impl_.get(), event = std::move(event)] { impl->publish(event); });
}

std::size_t ViewServer::pages() const {
  return impl_->pages();
}

void ViewServer::restart_pictures(CameraId camera) {
  impl_->post([impl = impl_.get(), camera] { impl->restart_pictures(camera); });
}

}  // namespace bcp::cli::view
