// SPDX-License-Identifier: LGPL-2.1-or-later
// The MQTT client alone, and bcppublish when no thread can be started for it.

#include "mqtt/mqtt_client.hpp"

#include <future>

#include "mqtt/mqtt_address.hpp"
#include "mqtt_support.hpp"
#include "no_threads.hpp"
#include "publish/settings.hpp"

namespace bcp::test {
namespace {

using mqtt::MqttClient;

mqtt::MqttOptions options_for(const Broker& broker) {
  publish::MqttSettings settings;
  settings.address = broker.address();
  auto options = settings.options();
  EXPECT_TRUE(options) << options.error().message;
  options->status_topic = "test/status";
  return *options;
}

bool wait_published(const MqttClient& client, std::uint64_t count) {
  const auto end = std::chrono::steady_clock::now() + kLongEnough;
  while (client.counts().published < count) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

TEST(MqttClient, ReportsAnExceptionOnItsThreadAndConnectsAgain) {
  NEED_A_BROKER();
  const Broker broker;
  struct Seen {
    std::atomic<int> connected = 0;
    std::promise<std::string> trouble;
  };
  const auto seen = std::make_shared<Seen>();
  MqttClient client(options_for(broker), 100, mqtt::DropPolicy::kOldest,
                    {.connected =
                         [seen](bool) {
                           if (++seen->connected == 1) throw std::runtime_error("thrown by a listener");
                         },
                     .trouble =
                         [seen](const Error& error, bool again) {
                           if (!again) seen->trouble.set_value(error.message);
                           throw 42;  // not a std::exception, and thrown during the report
                         }});
  client.publish({"test/result", "first", false});
  ASSERT_TRUE(client.start());
  auto trouble = seen->trouble.get_future();
  ASSERT_EQ(trouble.wait_for(kLongEnough), std::future_status::ready);
  EXPECT_NE(trouble.get().find("thrown by a listener"), std::string::npos);
  EXPECT_TRUE(wait_published(client, 1)) << "after the pause it connects again, and sends what waited";
  EXPECT_EQ(seen->connected, 2);
  const mqtt::MqttCounts counts = client.counts();
  EXPECT_TRUE(counts.connected);
  EXPECT_EQ(counts.queued, 0U);
  EXPECT_EQ(counts.dropped, 0U);
  EXPECT_EQ(counts.reconnects, 1U);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers have a pthread_create() of their own
TEST(MqttClient, WithoutAThreadDropsQueuedMessagesAtTheEnd) {
  NEED_A_BROKER();
  const Broker broker;
  MqttClient client(options_for(broker), 100, mqtt::DropPolicy::kOldest, {});
  {
    const NoThreads none;
    const Status started = client.start();
    ASSERT_FALSE(started);
    EXPECT_NE(started.error().message.find("ulimit -u"), std::string::npos) << started.error().message;
    EXPECT_EQ(none.refused(), 1);
  }
  client.publish({"test/result", "one", false});
  EXPECT_EQ(client.counts().queued, 1U);
  client.finish(std::chrono::milliseconds(100));
  EXPECT_EQ(client.counts().queued, 0U);
  EXPECT_EQ(client.counts().dropped, 1U);
}
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers have a pthread_create() of their own
TEST(BcpPublishMqttFaults, ContinuesWithoutAThreadForMqttAndStartsItLater) {
  NEED_A_BROKER();
  const Broker broker;
  MqttHarness p("mqtt-address=" + broker.address());
  {
    const NoThreads none;  // the connection is made with the first result, which names the source
    p.push_streets(0, 3);
    EXPECT_EQ(none.refused(), 1) << "not once a frame";
  }
  EXPECT_EQ(gst_harness_buffers_received(p.h.get()), 3U);
  const std::vector<Message> said = faults(p.bus.get());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].type, GST_MESSAGE_WARNING);
  EXPECT_NE(said[0].text.find("cannot start a thread for MQTT"), std::string::npos) << said[0].text;
  std::this_thread::sleep_for(std::chrono::milliseconds(1'100));
  p.push_streets(3, 1);
  EXPECT_TRUE(p.wait_stat("mqtt-queued", 0)) << "what waited is sent";
  EXPECT_EQ(p.stat("mqtt-dropped"), 0U);
  EXPECT_GE(p.stat("mqtt-published"), 4U);
}
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers have a pthread_create() of their own
TEST(BcpPublishMqttFaults, IsOneErrorAtStartWithoutAThreadForMqtt) {
  NEED_A_BROKER();
  const Broker broker;
  const gst::ElementPtr element(GST_ELEMENT(gst_object_ref_sink(
      gst_parse_launch(("bcppublish mqtt-topic=here mqtt-address=" + broker.address()).c_str(), nullptr))));
  const gst::BusPtr bus = listen(element.get());
  {
    const NoThreads none;
    EXPECT_EQ(gst_element_set_state(element.get(), GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  }
  gst_element_set_state(element.get(), GST_STATE_NULL);
  const std::vector<Message> said = faults(bus.get());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].type, GST_MESSAGE_ERROR);
  EXPECT_NE(said[0].text.find("cannot start a thread for MQTT"), std::string::npos) << said[0].text;
}
#endif

}  // namespace
}  // namespace bcp::test
