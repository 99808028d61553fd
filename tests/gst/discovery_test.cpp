// SPDX-License-Identifier: LGPL-2.1-or-later
// bcppublish as Home Assistant sees it.

#include <map>
#include <regex>
#include <set>

#include "mqtt_support.hpp"

namespace bcp::test {
namespace {

using Json = nlohmann::json;

// A result over `names` that shows those in `shown`.
gst::BcpResultPtr result(GstBcpLabels* labels, const std::vector<std::string>& shown) {
  std::vector<Score> scores(gst_bcp_labels_get_size(labels));
  for (const std::string& name : shown) {
    Score& score = scores[static_cast<std::size_t>(gst_bcp_labels_find(labels, name.c_str()))];
    score.probability = 0.5;
    score.flags = GST_BCP_SCORE_SHOWN;
  }
  return make_result(labels, scores, {.source_id = "Front door", .pts = 0});
}

gst::BcpLabelsPtr labels(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return gst::BcpLabelsPtr(gst_bcp_labels_new(pointers.data(), static_cast<guint>(pointers.size())));
}

// The topics of retained configurations that a new subscriber gets, and their contents.
std::map<std::string, Json> announced(int port) {
  Subscriber newcomer(port);
  newcomer.publish("end", "of what was retained");
  newcomer.wait_for("end", 1);
  std::map<std::string, Json> all;
  for (const Received& r : newcomer.all()) {
    if (r.topic.starts_with("homeassistant/binary_sensor/")) all[r.topic] = Json::parse(r.payload);
  }
  return all;
}

TEST(BcpPublishDiscovery, MakesASensorOfEachLabel) {
  NEED_A_BROKER();
  Broker broker;
  MqttHarness p("discovery-prefix=homeassistant mqtt-address=" + broker.address());
  const auto names = labels({"car", "traffic light", "Car", "猫"});
  p.push(result(names.get(), {"car"}));
  ASSERT_TRUE(p.wait_stat("mqtt-published", 2));
  const auto all = announced(broker.port());
  ASSERT_EQ(all.size(), 4U);
  std::set<std::string> ids, titles;
  for (const auto& [topic, config] : all) {
    EXPECT_TRUE(std::regex_match(topic, std::regex("homeassistant/binary_sensor/[a-zA-Z0-9_-]+/[a-zA-Z0-9_-]+/config")))
        << topic;
    ids.insert(config["unique_id"]);
    titles.insert(config["name"]);
    EXPECT_EQ(config["device"]["name"], "Front door");
    EXPECT_EQ(config["device"]["identifiers"].size(), 1U);
    EXPECT_EQ(config["availability_topic"], "gst-bcp/Front door/status");
    EXPECT_EQ(config["payload_on"], "ON");
    EXPECT_FALSE(config.contains("device_class"));
  }
  EXPECT_EQ(ids.size(), 4U);
  EXPECT_EQ(titles, (std::set<std::string>{"car", "traffic light", "Car", "猫"}));
}

TEST(BcpPublishDiscovery, FollowsTheLabels) {
  NEED_A_BROKER();
  Broker broker;
  Subscriber home(broker.port());
  MqttHarness p("discovery-prefix=homeassistant mqtt-address=" + broker.address());
  const auto names = labels({"car", "person"});
  p.push(result(names.get(), {"car"}), 0);
  const std::string car = "gst-bcp/Front door/label/car/", person = "gst-bcp/Front door/label/person/";
  EXPECT_TRUE(home.wait_until(car + "state", "ON"));
  EXPECT_EQ(Json::parse(home.wait_for(car + "attributes", 1)[0])["probability"], 0.5);
  EXPECT_TRUE(home.wait_until(person + "state", "OFF")) << "known from the start";
  p.push(result(names.get(), {"person"}), GST_SECOND);
  EXPECT_TRUE(home.wait_until(person + "state", "ON"));
  EXPECT_TRUE(home.wait_until(car + "state", "OFF"));
  gst_harness_push_event(p.h.get(), gst_event_new_eos());
  EXPECT_TRUE(home.wait_until(person + "state", "OFF")) << "nothing is shown after the end";
  p.stop();
  Subscriber late(broker.port());
  EXPECT_TRUE(late.wait_until(person + "state", "OFF")) << "remembered";
}

TEST(BcpPublishDiscovery, TurnsEverythingOffWhenItStopsInTheMiddle) {
  NEED_A_BROKER();
  Broker broker;
  MqttHarness p("discovery-prefix=homeassistant mqtt-address=" + broker.address());
  const auto names = labels({"car"});
  p.push(result(names.get(), {"car"}));
  p.stop();
  Subscriber late(broker.port());
  EXPECT_TRUE(late.wait_until("gst-bcp/Front door/label/car/state", "OFF"));
  EXPECT_TRUE(late.wait_until("gst-bcp/Front door/status", "offline"));
}

TEST(BcpPublishDiscovery, TurnsOffSensorsThatAnEarlierRunLeftOn) {
  NEED_A_BROKER();
  Broker broker;
  Subscriber home(broker.port());
  const std::string left = "gst-bcp/Front door/label/label_7/state", shown = "gst-bcp/Front door/label/label_9/state";
  for (const std::string& topic : {left, shown}) home.publish(topic.c_str(), "ON", true);
  home.publish("gst-bcp/Back door/label/label_7/state", "ON", true);
  home.wait_for("gst-bcp/Back door/label/label_7/state", 1);
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back("label " + std::to_string(i));
  const auto names = labels(many);
  MqttHarness p("discovery-prefix=homeassistant mqtt-address=" + broker.address());
  p.push(result(names.get(), {"label 9"}));
  EXPECT_TRUE(home.wait_until(left, "OFF"));
  ASSERT_TRUE(p.wait_stat("mqtt-published", 2));
  Subscriber late(broker.port());
  EXPECT_TRUE(late.wait_until(shown, "ON"));
  EXPECT_TRUE(late.wait_until("gst-bcp/Back door/label/label_7/state", "ON")) << "none of ours";
}

TEST(BcpPublishDiscovery, DeletesSensorsOfRemovedLabels) {
  NEED_A_BROKER();
  Broker broker;
  MqttHarness p("discovery-prefix=homeassistant mqtt-address=" + broker.address());
  const auto before = labels({"car", "person"}), after = labels({"person", "dog"});
  p.push(result(before.get(), {"car"}), 0);
  ASSERT_TRUE(p.wait_stat("mqtt-published", 2));
  p.push(result(after.get(), {"dog"}), GST_SECOND);
  ASSERT_TRUE(p.wait_stat("mqtt-published", 5));
  std::set<std::string> titles;
  for (const auto& [topic, config] : announced(broker.port())) titles.insert(config["name"]);
  EXPECT_EQ(titles, (std::set<std::string>{"person", "dog"}));
}

TEST(BcpPublishDiscovery, AnnouncesAgainWhenHomeAssistantIsBack) {
  NEED_A_BROKER();
  Broker broker;
  Subscriber home(broker.port());
  MqttHarness p("discovery-prefix=homeassistant mqtt-address=" + broker.address());
  const auto names = labels({"car"});
  p.push(result(names.get(), {"car"}));
  ASSERT_TRUE(home.wait_until("gst-bcp/Front door/label/car/state", "ON"));
  const auto known = announced(broker.port());
  ASSERT_EQ(known.size(), 1U);
  const std::string config = known.begin()->first;
  EXPECT_EQ(home.wait_for(config, 1).size(), 1U);
  home.publish("homeassistant/status", "offline");
  home.publish("homeassistant/status", "online");
  EXPECT_EQ(home.wait_for(config, 2).size(), 2U);
  home.wait_for("gst-bcp/Front door/status", 2);
}

TEST(BcpPublishDiscovery, AnnouncesAgainToABrokerThatLostItsState) {
  NEED_A_BROKER();
  Broker broker;  // keeps nothing on disk
  MqttHarness p("discovery-prefix=homeassistant mqtt-address=" + broker.address());
  const auto names = labels({"car"});
  p.push(result(names.get(), {"car"}));
  ASSERT_TRUE(p.wait_stat("mqtt-published", 2));
  broker.kill();
  broker.start();
  ASSERT_TRUE(p.wait_stat("mqtt-reconnects", 1));
  Subscriber late(broker.port());
  EXPECT_TRUE(late.wait_until("gst-bcp/Front door/label/car/state", "ON"));
  EXPECT_TRUE(late.wait_until("gst-bcp/Front door/status", "online"));
}

TEST(BcpPublishDiscovery, AnnouncesOnlyShownLabelsOfALongList) {
  NEED_A_BROKER();
  Broker broker;
  MqttHarness p("discovery-prefix=homeassistant mqtt-address=" + broker.address());
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) many.push_back("label " + std::to_string(i));
  const auto names = labels(many);
  p.push(result(names.get(), {"label 7", "label 9"}));
  ASSERT_TRUE(p.wait_stat("mqtt-published", 3));
  const auto all = announced(broker.port());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.begin()->second["name"], "label 7");
}

}  // namespace
}  // namespace bcp::test
