// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "mqtt/mqtt_address.hpp"
#include "mqtt/topics.hpp"

namespace bcp::mqtt {
namespace {

TEST(MqttAddress, ReadsEveryForm) {
  const auto plain = MqttAddress::parse("mqtt://broker.local");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->tls);
  EXPECT_EQ(plain->place(), "broker.local:1883");
  const auto full = MqttAddress::parse("mqtts://me:p%40ss:w@rd@[::1]:42/");
  ASSERT_TRUE(full);
  EXPECT_TRUE(full->tls);
  EXPECT_EQ(full->host, "::1");
  EXPECT_EQ(full->place(), "[::1]:42");
  EXPECT_EQ(full->username, "me");
  EXPECT_EQ(full->password, "p@ss:w@rd");
  EXPECT_EQ(MqttAddress::parse("mqtts://h")->port, 8883);
}

TEST(MqttAddress, ReportsWhatIsWrongWithoutThePassword) {
  for (const char* bad :
       {"", "host", "http://me:secret@host", "mqtt://", "mqtt://me:secret@", "mqtt://host:x", "mqtt://host:70000",
        "mqtt://me:secret@host/topic", "mqtt://::1", "mqtt://[::1", "mqtt://[::1]x", "me:secret@host",
        "mqtt://me:secret@host:99999", "mqtt:me:secret@host", "mqtt://me:secret", "mqtt://me:secret/x"}) {
    const auto parsed = MqttAddress::parse(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_EQ(parsed.error().message.find("secret"), std::string::npos) << parsed.error().message;
    EXPECT_NE(parsed.error().message.find("mqtt://host"), std::string::npos) << parsed.error().message;
  }
}

TEST(MqttAddress, IsShownWithoutItsPassword) {
  EXPECT_EQ(without_password("mqtt://me:se:c@r/et@host:1"), "mqtt://me@host:1");
  EXPECT_EQ(without_password("mqtt://me@host"), "mqtt://me@host");
  EXPECT_EQ(without_password("mqtt://me:secret"), "mqtt://me") << "somebody forgot the host";
  EXPECT_EQ(without_password("mqtt://::1"), "mqtt://::1");
  EXPECT_EQ(without_password("mqtt://[fe80::1%eth0]:x"), "mqtt://[fe80::1%eth0]:x");
  EXPECT_EQ(without_password("mqtt://host:1883"), "mqtt://host:1883");
  EXPECT_EQ(without_password(""), "");
}

TEST(Topics, KeepASourceInOneLevel) {
  EXPECT_EQ(topic_for("gst-bcp/{source}", "door 1"), "gst-bcp/door 1");
  EXPECT_EQ(topic_for("{source}/x/{source}", "a/b+c#d\n"), "a-b-c-d-/x/a-b-c-d-");
  EXPECT_EQ(topic_for("t/{source}", ""), "t/-");
  EXPECT_EQ(topic_for("t/{source}", "\xFF猫"), "t/-猫");
  EXPECT_EQ(topic_for("plain", "x"), "plain");
  EXPECT_EQ(topic_for("t/{source}", "a\uFFFEb\uFDD0c\U0001FFFFd"), "t/a-b-c-d");
  EXPECT_EQ(topic_for("{source}/x", "$SYS"), "-SYS/x");
  EXPECT_EQ(topic_for("t/{source}", "$5"), "t/$5");
  const std::string long_one(70'000, 'x'), other = long_one + "y";
  EXPECT_LT(topic_for("t/{source}", long_one).size(), 250U);
  EXPECT_NE(topic_for("t/{source}", long_one), topic_for("t/{source}", other));
}

TEST(Topics, AreChecked) {
  EXPECT_EQ(topic_fault("gst-bcp/門"), "");
  for (const char* bad : {"", "a/#", "+/a", "$SYS/a", "a/", "a\nb", "\xC3"}) EXPECT_NE(topic_fault(bad), "") << bad;
}

TEST(Identifiers, KeepPlainWordsReadable) {
  EXPECT_EQ(identifier("car"), "car");
  EXPECT_EQ(identifier("traffic light"), "traffic_light");
  EXPECT_EQ(identifier("gst-bcp/cam-1", '/'), "gst-bcp_cam-1");
}

TEST(Identifiers, AreSafeAndDifferForDifferentTexts) {
  const std::vector<std::string> texts{"car",
                                       "Car",
                                       "CAR",
                                       "car ",
                                       " car",
                                       "ca r",
                                       "ca  r",
                                       "ca_r",
                                       "ca-r",
                                       "ca/r",
                                       "猫",
                                       "狗",
                                       "café",
                                       "",
                                       " ",
                                       "_",
                                       "car\xFF",
                                       "car\xFE",
                                       "a+b",
                                       "a#b",
                                       std::string(5000, 'x'),
                                       std::string(5001, 'x')};
  std::set<std::string> ids;
  for (const std::string& text : texts) {
    const std::string id = identifier(text);
    EXPECT_TRUE(std::regex_match(id, std::regex("[a-z0-9_-]{1,60}"))) << text << ": " << id;
    EXPECT_TRUE(ids.insert(id).second) << text << ": " << id;
    EXPECT_EQ(id, identifier(text));
  }
}

}  // namespace
}  // namespace bcp::mqtt
