// SPDX-License-Identifier: LGPL-2.1-or-later
// Addresses, and the passwords in them.
#include <gtest/gtest.h>

#include <string>

#include "gst-bcp/common/address.hpp"

namespace bcp::cli::run {
namespace {

TEST(Address, HidesEveryPassword) {
  for (const std::string password :
       {"hush", "hu@sh", "hu/sh", "1/hush", "123/45hush", "hu:sh", "hu\"sh", "hu'sh", "hu%40sh", "hu?sh", "hu#sh",
        "12\"hush", "@hush", "hush@", "//hush", "8554/hush@x", "%00hush", "hu[sh]", "***hush"}) {
    for (const std::string scheme : {"rtsp", "rtspt", "rtsps", "http", "srt"}) {
      const std::string address = scheme + "://me:" + password + "@camera.example:554/stream/1";
      for (const std::string& text :
           {without_secrets(address), without_secrets("Could not open \"" + address + "\" for reading"),
            without_secrets("uri=" + address), without_secrets(escaped_address(address)), file_name_of(address)}) {
        EXPECT_EQ(text.find("hush"), std::string::npos) << text;
        EXPECT_EQ(text.find("sh@"), std::string::npos) << text;
        EXPECT_NE(text.find("camera.example"), std::string::npos) << text;
      }
    }
  }
}

TEST(Address, HidesAPasswordWithSpacesInASingleAddress) {
  EXPECT_EQ(shown_address("rtsp://me:hu sh@camera/a"), "rtsp://me:***@camera/a");
  EXPECT_EQ(shown_address("rtsp://me:12 3/4@camera/a"), "rtsp://me:***@camera/a");
}

TEST(Address, HidesTokensAndSecretsInQueries) {
  EXPECT_EQ(without_secrets("rtsp://token@camera/a"), "rtsp://***@camera/a");
  EXPECT_EQ(without_secrets("http://camera/a?user=me&password=hush&x=1"), "http://camera/a?user=me&password=***&x=1");
}

TEST(Address, HidesAPasswordAfterAUserWithASlash) {
  EXPECT_EQ(without_secrets("rtsp://me/too:hush@camera/a").find("hush"), std::string::npos);
}

TEST(Address, KeepsTextThatIsNotASecret) {
  for (const char* text : {"rtsp://camera/a", "rtsp://camera:554/a", "http://[::1]:80/a", "http://camera/mail@example",
                           "a sentence: with an address@example and 12:30", "http://camera:80/a b@c"})
    EXPECT_EQ(without_secrets(text), text);
}

TEST(Address, EscapesAPasswordSoThatItsEndIsFound) {
  EXPECT_EQ(escaped_address("rtsp://me:hu@s/h?#@camera:554/a"), "rtsp://me:hu%40s%2Fh%3F%23@camera:554/a");
  EXPECT_EQ(escaped_address("rtsp://me:hu%40sh@camera/a"), "rtsp://me:hu%40sh@camera/a");
  EXPECT_EQ(escaped_address("rtsp://me:hu:sh@camera/a"), "rtsp://me:hu%3Ash@camera/a");
}

TEST(Address, KeepsAnAddressThatMayHaveAPort) {
  for (const char* text :
       {"rtsp://camera:554/live@1", "http://camera:80/a@b", "http://camera/a@b", "rtsp://[::1]:554/a@b"})
    EXPECT_EQ(escaped_address(text), text);
}

TEST(Address, IsTheSameInCapitals) {
  EXPECT_TRUE(is_live_address("RTSP://camera/a"));
  EXPECT_EQ(escaped_address("Rtsp://me:hu@sh@Camera/A"), "rtsp://me:hu%40sh@Camera/A");
  EXPECT_EQ(without_secrets("RTSP://m/e:hush@camera/a"), "RTSP://m/e:***@camera/a");
}

TEST(Address, MakesAFileNameWithoutTheUser) {
  EXPECT_EQ(file_name_of("rtsp://user:x@cam1:554/main?a=b"), "cam1-554-main");
  EXPECT_EQ(file_name_of("rtsp://user:123/45@cam1/main"), "cam1-main");
}

}  // namespace
}  // namespace bcp::cli::run
