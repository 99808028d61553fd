// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/retry.hpp"

#include <gtest/gtest.h>
#include <libsoup/soup.h>

namespace bcp::cli::get {
namespace {

HttpAnswer answer_of(unsigned status, std::map<std::string, std::string, std::less<>> headers = {}) {
  HttpAnswer answer;
  answer.status = status;
  answer.url = "https://hub.example/x";
  answer.headers = std::move(headers);
  return answer;
}

HttpAnswer fault_of(HttpFault::Kind kind) {
  HttpAnswer answer = answer_of(0);
  answer.fault = HttpFault{kind, "reason"};
  return answer;
}

TEST(GetRetry, ReadsHowLongToWait) {
  EXPECT_EQ(seconds_to_wait(answer_of(429, {{"retry-after", "7"}})), 7);
  EXPECT_EQ(seconds_to_wait(answer_of(429, {{"ratelimit", "\"api\";r=0;t=55"}})), 55);
  EXPECT_EQ(seconds_to_wait(answer_of(200, {{"ratelimit", "\"api\";r=9;t=55"}})), std::nullopt);
  EXPECT_EQ(seconds_to_wait(answer_of(429, {{"retry-after", "soon"}})), std::nullopt);
  EXPECT_EQ(seconds_to_wait(answer_of(503, {{"retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"}})), 0);
  GDateTime* const now = g_date_time_new_now_utc();
  GDateTime* const later = g_date_time_add_seconds(now, 30);
  char* const text = soup_date_time_to_string(later, SOUP_DATE_HTTP);
  const std::optional<int> wait = seconds_to_wait(answer_of(429, {{"retry-after", text}}));
  EXPECT_TRUE(wait && *wait >= 25 && *wait <= 30) << text;
  g_free(text);
  g_date_time_unref(later);
  g_date_time_unref(now);
}

TEST(GetRetry, DoesNotRetryPermanentErrors) {
  Watch watch;
  Retry retry(5, watch);
  for (const unsigned status : {400U, 401U, 403U, 404U, 416U}) EXPECT_FALSE(retry.again(answer_of(status), false));
  using Kind = HttpFault::Kind;
  for (const Kind kind : {Kind::kAddress, Kind::kUntrusted, Kind::kNoTls, Kind::kRedirect, Kind::kCancelled})
    EXPECT_FALSE(retry.again(fault_of(kind), true));
  EXPECT_FALSE(retry.again(fault_of(Kind::kUnreachable), false));
  EXPECT_TRUE(watch.take_lines().empty());
}

TEST(GetRetry, GivesUpAfterAttemptsWithoutData) {
  Watch watch;
  Retry retry(1, watch);
  EXPECT_TRUE(retry.again(answer_of(503), false));
  EXPECT_FALSE(retry.again(answer_of(503), false));
  EXPECT_EQ(watch.take_lines().size(), 1U);
}

TEST(GetRetry, ResetsTheCountWhenBytesCame) {
  Watch watch;
  Retry retry(1, watch);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(retry.again(fault_of(HttpFault::Kind::kCut), true));
  // A server that vanishes in the middle may come back.
  EXPECT_TRUE(retry.again(fault_of(HttpFault::Kind::kUnreachable), true));
  EXPECT_FALSE(retry.again(fault_of(HttpFault::Kind::kUnreachable), false));
}

TEST(GetRetry, LimitsTheWaitThatAServerRequests) {
  Watch watch;
  EXPECT_FALSE(Retry(5, watch).again(answer_of(429, {{"retry-after", "3600"}}), false));
}

TEST(GetRetry, StopsWaitingWhenStopped) {
  Watch watch;
  watch.stop();
  EXPECT_FALSE(Retry(5, watch).again(answer_of(429, {{"retry-after", "60"}}), false));
}

}  // namespace
}  // namespace bcp::cli::get
