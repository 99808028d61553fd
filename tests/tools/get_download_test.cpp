// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/download.hpp"

#include <gio/gio.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>
#include <thread>

#include "base/file.hpp"
#include "common/temporary.hpp"
#include "gst-bcp/common/http_connections.hpp"

namespace bcp::cli::get {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

// A server on this machine that gives the answers in their order, one for each connection, and closes it.
class Server {
 public:
  explicit Server(Texts answers) : answers_(std::move(answers)) {
    port_ = g_socket_listener_add_any_inet_port(G_SOCKET_LISTENER(listener_.get()), nullptr, nullptr);
    thread_ = std::jthread([this] { run(); });
  }
  ~Server() {
    g_cancellable_cancel(cancel_.get());
    thread_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/file"; }

  Texts requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void run() {
    for (const std::string& answer : answers_) {
      const ObjectPtr<GSocketConnection> connection(
          g_socket_listener_accept(listener_.get(), nullptr, cancel_.get(), nullptr));
      if (!connection) return;
      GInputStream* const in = g_io_stream_get_input_stream(G_IO_STREAM(connection.get()));
      GOutputStream* const out = g_io_stream_get_output_stream(G_IO_STREAM(connection.get()));
      std::string request;
      while (request.find("\r\n\r\n") == std::string::npos) {
        char bytes[1024];
        const gssize count = g_input_stream_read(in, bytes, sizeof(bytes), cancel_.get(), nullptr);
        if (count <= 0) break;
        request.append(bytes, static_cast<std::size_t>(count));
      }
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      g_output_stream_write_all(out, answer.data(), answer.size(), nullptr, cancel_.get(), nullptr);
      g_io_stream_close(G_IO_STREAM(connection.get()), nullptr, nullptr);
    }
  }

  const Texts answers_;
  const ObjectPtr<GCancellable> cancel_{g_cancellable_new()};
  const ObjectPtr<GSocketListener> listener_{g_socket_listener_new()};
  guint16 port_ = 0;
  mutable std::mutex mutex_;
  Texts requests_;  // under the mutex
  std::jthread thread_;
};

std::string answer(const std::string& head, const std::string& body) {
  return "HTTP/1.1 " + head + "\r\nConnection: close\r\n\r\n" + body;
}

class GetDownload : public testing::Test {
 protected:
  // Downloads from the server, with nothing known about the file; its content, or the error.
  std::string content_from(const Server& server) {
    Wanted file{"file", {server.url()}, "", target(), target() + ".incomplete", directory_ / "lock"};
    file.other_disk = "use another disk";
    const Explain as_it_is = [](const HttpAnswer&, Error error) { return error; };
    Watch watch;
    const Status done = download_all({file}, {1, 2, 5}, watch, as_it_is);
    return done ? *read_file(target(), 1000) : "error: " + done.error().message;
  }

  void leave_partial(const std::string& bytes, const std::string& validator) {
    ASSERT_TRUE(replace_file(target() + ".incomplete", bytes));
    if (validator.empty()) return;
    ASSERT_TRUE(replace_file(target() + ".incomplete.etag", validator));
  }

  std::string target() const { return directory_ / "file"; }

  const test::TemporaryDirectory directory_;
};

TEST_F(GetDownload, TakesAPartThatTheServerSaysIsAll) {
  leave_partial("0123456789", "\"a\"");
  const Server server({answer("416 X\r\nContent-Range: bytes */10\r\nContent-Length: 0", "")});
  EXPECT_EQ(content_from(server), "0123456789");
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST_F(GetDownload, StartsAgainWhereThePartIsOfAnotherLength) {
  for (const char* range : {"\r\nContent-Range: bytes */4", ""}) {
    fs::remove(target());
    leave_partial("0123456789", "\"a\"");
    const Server server(
        {answer(std::string("416 X\r\nContent-Length: 0") + range, ""), answer("200 OK\r\nContent-Length: 4", "abcd")});
    EXPECT_EQ(content_from(server), "abcd");
  }
}

TEST_F(GetDownload, DoesNotJoinPartsThatMayBeOfTwoFiles) {
  const Server server(
      {answer("200 OK\r\nContent-Length: 8", "old."), answer("200 OK\r\nContent-Length: 8", "new file")});
  EXPECT_EQ(content_from(server), "new file");
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.requests()[1].find("Range"), std::string::npos) << server.requests()[1];
}

TEST_F(GetDownload, ResumesWhatTheServerHasNotChanged) {
  const Server server({answer("200 OK\r\nETag: \"a\"\r\nContent-Length: 8", "new "),
                       answer("206 OK\r\nETag: \"a\"\r\nContent-Range: bytes 4-7/8\r\nContent-Length: 4", "file")});
  EXPECT_EQ(content_from(server), "new file");
}

TEST_F(GetDownload, GivesUpOnAServerThatAlwaysCutsAtTheSamePlace) {
  const std::string cut = answer("200 OK\r\nContent-Length: 8", "old.");
  const Server server(Texts(20, cut));
  EXPECT_NE(content_from(server).find("keeps failing"), std::string::npos);
  EXPECT_LE(server.requests().size(), 4U);
}

TEST_F(GetDownload, RefusesWhatTheDiskCannotHold) {
  const Server large({answer("200 OK\r\nContent-Length: 900000000000000", "x")});
  EXPECT_NE(content_from(large).find("900 TB must be downloaded"), std::string::npos);
  const Server absurd({answer("200 OK\r\nContent-Length: 9223372036854775807", "x")});
  EXPECT_NE(content_from(absurd).find("reports an impossible length of 9223372036854775807 bytes"), std::string::npos);
}

TEST_F(GetDownload, RefusesBytesFromTheMiddleOfAFile) {
  const Server server({answer("206 OK\r\nContent-Range: bytes 4-7/8\r\nContent-Length: 4", "file")});
  EXPECT_NE(content_from(server).find("sent other bytes than requested"), std::string::npos);
}

TEST(GetDownloadSizes, DoNotWrap) {
  Wanted file{"file", {}, "", "/nowhere/a", "/nowhere/b", ""};
  file.size = ~std::uint64_t{0} - 5;
  EXPECT_EQ(bytes_missing({file, file, file}), ~std::uint64_t{0});
}

}  // namespace
}  // namespace bcp::cli::get
