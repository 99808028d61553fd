// SPDX-License-Identifier: LGPL-2.1-or-later
// The parts of the live page that need no browser.
#include <gtest/gtest.h>

#include "gst-bcp/run/plan/view_options.hpp"
#include "gst-bcp/run/view/access.hpp"
#include "gst-bcp/run/view/bundle.hpp"
#include "gst-bcp/run/view/camera_view.hpp"
#include "gst-bcp/run/view/event_queue.hpp"
#include "gst-bcp/run/view/history.hpp"
#include "gst-bcp/run/view/host_rule.hpp"
#include "gst-bcp/run/view/lessons.hpp"
#include "gst-bcp/run/view/login_limit.hpp"
#include "gst-bcp/run/view/picture_queue.hpp"
#include "gst-bcp/run/view/picture_streams.hpp"
#include "gst-bcp/run/view/random_text.hpp"
#include "gst-bcp/run/view/thumbnails.hpp"

namespace bcp::cli::view {
namespace {

using namespace std::chrono_literals;
using run::ShownLabel;

const Access::Clock::time_point kStart{};

Jpeg jpeg(std::size_t bytes, char fill = 'x') {
  return std::make_shared<const std::string>(bytes, fill);
}

Access::Rules rules(std::optional<std::string> password) {
  return {.password = std::move(password), .port = 8080, .hosts = HostRule("nvr", {})};
}

Caller browser() {
  return {.host = "127.0.0.1:8080",
          .origin = "http://127.0.0.1:8080",
          .fetch_site = "same-origin",
          .cookie = {},
          .token = {},
          .address = "127.0.0.1"};
}

run::ViewOptions at(const std::string& address, const std::string& password_file = {}) {
  return {.address = address, .password_file = password_file, .hosts = {}};
}

std::string cookie_of(const Access::LoginResult& login) {
  return login.cookie.substr(0, login.cookie.find(';'));
}

TEST(ViewHostRule, AcceptsAddressesAndTheNamesOfThisMachine) {
  const HostRule rule("NVR", {"cameras.example.org"});
  for (const char* host : {"127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080", "192.168.1.4", "nvr",
                           "nvr.local:80", "nvr.", "cameras.example.org"})
    EXPECT_TRUE(rule.accepts(host)) << host;
}

TEST(ViewHostRule, RefusesNamesThatAStrangerCanLetResolveToThisMachine) {
  const HostRule rule("nvr", {});
  for (const char* host : {"", "evil.example", "nvr.evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
                           "[::1", "[::1]x", "127.0.0.1:80x", "xlocalhost"})
    EXPECT_FALSE(rule.accepts(host)) << host;
}

TEST(ViewAccess, LetsEverybodyReadWithoutAPasswordButChangesNeedTheToken) {
  Access access(rules(std::nullopt));
  Caller caller = browser();
  EXPECT_EQ(access.judge_reader(caller, kStart), Verdict::kAllowed);
  EXPECT_EQ(access.judge_writer(caller, kStart), Verdict::kNoToken);
  const std::string token = access.token_of(caller, kStart);
  EXPECT_EQ(token.size(), 64U);
  caller.token = token;
  EXPECT_EQ(access.judge_writer(caller, kStart), Verdict::kAllowed);
}

TEST(ViewAccess, RefusesOtherSitesAndOtherHosts) {
  Access access(rules(std::nullopt));
  const std::string token = access.token_of(browser(), kStart);
  Caller foreign = browser();
  foreign.token = token;
  foreign.origin = "http://evil.example";
  EXPECT_EQ(access.judge_writer(foreign, kStart), Verdict::kForeign);
  foreign.origin = "null";
  EXPECT_EQ(access.judge_writer(foreign, kStart), Verdict::kForeign);
  Caller embedded = browser();
  embedded.origin = {};
  embedded.fetch_site = "cross-site";
  EXPECT_EQ(access.judge_reader(embedded, kStart), Verdict::kForeign);
  Caller rebound = browser();
  rebound.host = "evil.example:8080";
  rebound.origin = "http://evil.example:8080";
  EXPECT_EQ(access.judge_reader(rebound, kStart), Verdict::kWrongHost);
}

TEST(ViewAccess, OpensASessionForTheRightPasswordOnly) {
  Access access(rules("correct horse"));
  Caller caller = browser();
  EXPECT_EQ(access.judge_reader(caller, kStart), Verdict::kNoSession);
  EXPECT_EQ(access.log_in(caller, "wrong horse", kStart).outcome, Access::Login::kWrong);
  EXPECT_EQ(access.log_in(caller, "", kStart).outcome, Access::Login::kWrong);
  const Access::LoginResult login = access.log_in(caller, "correct horse", kStart);
  ASSERT_EQ(login.outcome, Access::Login::kDone);
  EXPECT_NE(login.cookie.find("; HttpOnly"), std::string::npos);
  EXPECT_NE(login.cookie.find("; SameSite=Strict"), std::string::npos);
  const std::string cookie = "other=1; " + cookie_of(login);
  caller.cookie = cookie;
  EXPECT_EQ(access.judge_reader(caller, kStart), Verdict::kAllowed);
  EXPECT_EQ(access.judge_writer(caller, kStart), Verdict::kNoToken);
  access.log_out(caller, kStart);
  EXPECT_EQ(access.judge_reader(caller, kStart), Verdict::kNoSession);
}

TEST(ViewAccess, EndsSessionsThatAreNotUsedAndKeepsTheirNumberBounded) {
  Access access(rules("correct horse"));
  Caller caller = browser();
  const std::string first = cookie_of(access.log_in(caller, "correct horse", kStart));
  caller.cookie = first;
  EXPECT_EQ(access.judge_reader(caller, kStart + 23h), Verdict::kAllowed);
  EXPECT_EQ(access.judge_reader(caller, kStart + 46h), Verdict::kAllowed);
  EXPECT_EQ(access.judge_reader(caller, kStart + 71h), Verdict::kNoSession);
  Caller newer = browser();
  const std::string oldest = cookie_of(access.log_in(newer, "correct horse", kStart + 100h));
  for (std::size_t i = 0; i < Access::kMostSessions; ++i)
    ASSERT_EQ(access.log_in(newer, "correct horse", kStart + 100h + i * 1min).outcome, Access::Login::kDone);
  newer.cookie = oldest;
  EXPECT_EQ(access.judge_reader(newer, kStart + 102h), Verdict::kNoSession);
}

TEST(ViewAccess, SessionsOfOnePasswordHaveTheirOwnTokens) {
  Access access(rules("correct horse"));
  Caller one = browser(), two = browser();
  const std::string first = cookie_of(access.log_in(one, "correct horse", kStart));
  const std::string second = cookie_of(access.log_in(two, "correct horse", kStart));
  one.cookie = first;
  two.cookie = second;
  const std::string token = access.token_of(two, kStart);
  one.token = token;
  EXPECT_EQ(access.judge_writer(one, kStart), Verdict::kNoToken);
  two.token = token;
  EXPECT_EQ(access.judge_writer(two, kStart), Verdict::kAllowed);
}

TEST(ViewLoginLimit, SlowsDownOneAddressAndNotTheOthers) {
  LoginLimit limit;
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(limit.allows("10.0.0.1", kStart));
  EXPECT_FALSE(limit.allows("10.0.0.1", kStart));
  EXPECT_FALSE(limit.allows("10.0.0.1", kStart + 9s));
  EXPECT_TRUE(limit.allows("10.0.0.2", kStart + 9s));
  EXPECT_TRUE(limit.allows("10.0.0.1", kStart + 21s));
}

TEST(ViewLoginLimit, RemembersAFewHundredAddressesAndSlowsDownAllOfThem) {
  LoginLimit limit;
  int allowed = 0;
  for (int i = 0; i < 10'000; ++i) allowed += limit.allows(std::to_string(i), kStart) ? 1 : 0;
  EXPECT_EQ(allowed, 60);
  EXPECT_LE(limit.addresses(), LoginLimit::kMostAddresses);
}

TEST(ViewSecrets, AreDifferentEachTimeAndComparedWhole) {
  EXPECT_NE(random_text(), random_text());
  EXPECT_TRUE(equal_secrets("a", "a"));
  EXPECT_FALSE(equal_secrets("a", "b"));
  EXPECT_FALSE(equal_secrets("a", "aa"));
  EXPECT_FALSE(equal_secrets("", "a"));
}

TEST(ViewEventQueue, KeepsTheNewestStateAndEveryOtherEvent) {
  EventQueue queue;
  queue.put({"result/1", "result", "1"});
  queue.put({"", "spans", "2"});
  queue.put({"result/1", "result", "3"});
  EXPECT_EQ(queue.take(), "event: spans\ndata: 2\n\nevent: result\ndata: 3\n\n");
  EXPECT_TRUE(queue.empty());
}

TEST(ViewEventQueue, StaysBoundedAndAsksAPageThatIsBehindToReadEverythingAgain) {
  EventQueue queue;
  for (int i = 0; i < 100'000; ++i) {
    queue.put({"", "spans", std::string(100, 'x')});
    ASSERT_LE(queue.size(), EventQueue::kMostEvents);
  }
  EXPECT_EQ(queue.take().substr(0, 14), "event: resync\n");
  queue.put({"", "spans", std::string(EventQueue::kMostBytes + 1, 'x')});
  EXPECT_EQ(queue.take(), "event: resync\ndata: {}\n\n");
}

TEST(ViewPictureQueue, HoldsTheNewestPictureOfEachCameraInTurn) {
  PictureQueue queue({1, 2});
  EXPECT_TRUE(queue.wants(1));
  EXPECT_FALSE(queue.wants(3));
  queue.put(1, jpeg(4, 'a'));
  queue.put(2, jpeg(4, 'b'));
  queue.put(1, jpeg(4, 'c'));
  queue.put(3, jpeg(4, 'd'));
  EXPECT_FALSE(queue.wants(1));
  const std::string first = queue.take(), second = queue.take();
  EXPECT_EQ(first, "--bcp-picture\r\nContent-Type: image/jpeg\r\nContent-Length: 4\r\nX-Camera: 1\r\n\r\ncccc\r\n");
  EXPECT_NE(second.find("X-Camera: 2\r\n\r\nbbbb"), std::string::npos);
  EXPECT_EQ(queue.take(), "");
}

TEST(ViewPictureStreams, SharesThirtyPicturesASecondAmongTheCamerasThatAreWatched) {
  using std::chrono::milliseconds;
  EXPECT_EQ(PictureStreams::interval(0), milliseconds(100));
  EXPECT_EQ(PictureStreams::interval(1), milliseconds(100));
  EXPECT_EQ(PictureStreams::interval(3), milliseconds(100));
  EXPECT_EQ(PictureStreams::interval(8), milliseconds(266));
  EXPECT_EQ(PictureStreams::interval(30), milliseconds(1000));
}

TEST(ViewHistory, MakesSpansOfWhatIsShown) {
  std::uint64_t ids = 0;
  History history(ids);
  EXPECT_EQ(history.see({{"dog", 0.6}}, 100), std::vector<std::uint64_t>{1});
  EXPECT_TRUE(history.see({{"dog", 0.9}, {"cat", 0.5}}, 101) == std::vector<std::uint64_t>{2});
  history.see({{"cat", 0.5}}, 105);
  ASSERT_EQ(history.spans().size(), 2U);
  EXPECT_EQ(history.spans()[0].label, "dog");
  EXPECT_FALSE(history.spans()[0].open);
  EXPECT_DOUBLE_EQ(history.spans()[0].end, 105);
  EXPECT_DOUBLE_EQ(history.spans()[0].peak, 0.9);
  EXPECT_TRUE(history.spans()[1].open);
  EXPECT_EQ(history.take_changes().size(), 2U);
  EXPECT_TRUE(history.take_changes().empty());
  history.end(110);
  EXPECT_FALSE(history.spans()[1].open);
}

TEST(ViewHistory, JoinsAFlickerAndSeparatesEvents) {
  std::uint64_t ids = 0;
  History history(ids);
  history.see({{"dog", 0.6}}, 100);
  history.see({}, 101);
  history.see({{"dog", 0.6}}, 102);
  EXPECT_EQ(history.spans().size(), 1U);
  history.see({}, 103);
  history.see({{"dog", 0.6}}, 120);
  EXPECT_EQ(history.spans().size(), 2U);
}

TEST(ViewHistory, ForgetsTheOldestBeyondItsBounds) {
  std::uint64_t ids = 0;
  History history(ids);
  for (int i = 0; i < 6000; ++i) {
    history.see({{"dog", 0.6}}, i * 4);
    history.see({}, i * 4 + 1);
  }
  EXPECT_LE(history.spans().size(), History::kMostSpans + 1);
  history.see({{"cat", 0.6}}, 6000 * 4 + History::kKept + 100);
  EXPECT_EQ(history.spans().size(), 1U);
}

TEST(ViewThumbnails, AreBoundedInNumberAndBytes) {
  Thumbnails many;
  for (std::uint64_t i = 1; i <= 2 * Thumbnails::kMost; ++i) many.put(i, jpeg(10));
  EXPECT_FALSE(many.has(1));
  EXPECT_TRUE(many.has(2 * Thumbnails::kMost));
  EXPECT_EQ(many.bytes(), Thumbnails::kMost * 10);
  Thumbnails large;
  for (std::uint64_t i = 1; i <= 100; ++i) large.put(i, jpeg(1 << 20));
  EXPECT_LE(large.bytes(), Thumbnails::kMostBytes);
  EXPECT_TRUE(large.has(100));
}

TEST(ViewBundle, HasItsFilesAndNothingElse) {
  ASSERT_NE(bundle_file("/"), nullptr);
  EXPECT_FALSE(bundle_file("/")->is_public);
  ASSERT_NE(bundle_file("/login"), nullptr);
  EXPECT_TRUE(bundle_file("/login")->is_public);
  for (const char* path : {"", "/index.html", "/../etc/passwd", "//", "/page.js/", "/PAGE.JS", "/%2e%2e/etc/passwd"})
    EXPECT_EQ(bundle_file(path), nullptr) << path;
}

TEST(ViewBundle, AsksNoOtherServer) {
  for (const char* path : {"/", "/login", "/page.js", "/login.js", "/style.css"}) {
    const std::string_view text = bundle_file(path)->bytes;
    EXPECT_EQ(text.find("http://"), std::string_view::npos) << path;
    EXPECT_EQ(text.find("https://"), std::string_view::npos) << path;
    EXPECT_EQ(text.find("innerHTML"), std::string_view::npos) << path;
  }
}

TEST(ViewLessons, ShowWhatALessonChangedInAFrameLikeThat) {
  Lessons lessons;
  const std::uint64_t first = lessons.begin("chair", false, LabelScore{.probability = 0.5, .shown = true}, 100);
  EXPECT_FALSE(lessons.json()[0]["learnt"]);
  lessons.end(first, -1);
  EXPECT_TRUE(lessons.json()[0]["learnt"]);
  EXPECT_DOUBLE_EQ(lessons.json()[0]["before"], 0.5);
  EXPECT_NEAR(lessons.json()[0]["after"], 0.2689, 1e-4);
  lessons.refuse(lessons.begin("moon", true, std::nullopt, 101), "no such label");
  EXPECT_EQ(lessons.json()[0]["refusal"], "no such label");
  EXPECT_FALSE(lessons.json()[0]["learnt"]);
  for (int i = 0; i < 100; ++i) lessons.begin("dog", true, std::nullopt, 102);
  EXPECT_EQ(lessons.json().size(), Lessons::kMost);
}

TEST(ViewSentences, HaveTheNameOfACameraInsteadOfItsAddress) {
  run::Input input;
  input.name = "rtsp://10.0.0.7:554/1";
  input.uri = "rtsp://user:geheim@10.0.0.7:554/1";
  input.source = "door";
  EXPECT_EQ(without_address("rtsp://10.0.0.7:554/1 was lost: no answer", input), "door was lost: no answer");
  EXPECT_EQ(without_address("cannot open rtsp://user:geheim@10.0.0.7:554/1", input), "cannot open door");
  EXPECT_EQ(without_address("moved to rtsp://other:pw@host/2, sorry", input), "moved to its address, sorry");
}

TEST(ViewOptions, NeedAPasswordForOtherAddressesThanLoopback) {
  for (const char* address : {"8080", "127.0.0.1:8080", "localhost:0", "[::1]:0"})
    EXPECT_TRUE(run::check_view(at(address))) << address;
  for (const char* address : {"0.0.0.0:8080", "192.168.1.4:8080", "[::]:8080"}) {
    const Status fit = run::check_view(at(address));
    ASSERT_FALSE(fit) << address;
    EXPECT_NE(fit.error().message.find("add --view-password-file"), std::string::npos) << fit.error().message;
  }
  EXPECT_FALSE(run::check_view(at("nonsense")));
  EXPECT_FALSE(run::check_view(at("", "x")));
  EXPECT_FALSE(run::check_view(at("8080", "/no/such/file")));
  EXPECT_TRUE(run::check_view({}));
}

}  // namespace
}  // namespace bcp::cli::view
