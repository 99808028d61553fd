// SPDX-License-Identifier: LGPL-2.1-or-later
// bcppublish and a real broker that starts, stops, is killed and loses its state.

#include "mqtt_support.hpp"

namespace bcp::test {
namespace {

// Also when the broker is killed between two changes.
constexpr char kPersistent[] =
    "allow_anonymous true\npersistence true\nautosave_on_changes true\nautosave_interval 1\n";

std::string persistent(const Folder& folder) {
  return std::string(kPersistent) + "persistence_location " + folder.file("") + "\n";
}

TEST(BcpPublishMqtt, SendsTheLinesItWrites) {
  NEED_A_BROKER();
  Broker broker;
  Subscriber listener(broker.port());
  const Folder folder;
  MqttHarness p("mqtt-address=" + broker.address() + " location=" + folder.file("out"));
  p.push_streets(0, 5);
  p.stop();
  std::vector<std::string> written;
  std::istringstream file(contents(folder.file("out")));
  for (std::string line; std::getline(file, line);) written.push_back(line);
  EXPECT_EQ(listener.wait_for("gst-bcp/cam/result", 5), written);
  EXPECT_EQ(p.stat("mqtt-published"), 5U + 2U) << "and a label that came and went";
  EXPECT_EQ(p.stat("mqtt-queued"), 0U);
  EXPECT_EQ(p.stat("mqtt-dropped"), 0U);
}

TEST(BcpPublishMqtt, WritesNoFileUnlessLocationIsSet) {
  NEED_A_BROKER();
  Broker broker;
  MqttHarness p("mqtt-address=" + broker.address());
  p.push_streets(0, 1);
  p.stop();
  EXPECT_EQ(p.stat("lines"), 0U);
  EXPECT_EQ(p.stat("mqtt-published"), 3U);
}

TEST(BcpPublishMqtt, PublishesEventsWhenLabelsAppearAndDisappear) {
  NEED_A_BROKER();
  Broker broker;
  Subscriber listener(broker.port());
  const Folder folder;
  MqttHarness p("events=true mqtt-address=" + broker.address() + " location=" + folder.file("out"));
  p.push_streets(0, 4);
  gst_harness_push_event(p.h.get(), gst_event_new_eos());
  const auto events = listener.wait_for("gst-bcp/cam/event", 2);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0], R"({"event":"label-on","source":"cam","label":"car","pts":0.000000000,"start":0.000000000,)"
                       R"("end":null,"duration":null,"probability":0.9,"peak":0.9,"mean":0.9})");
  EXPECT_EQ(events[1], R"({"event":"label-off","source":"cam","label":"car","pts":3.000000000,"start":0.000000000,)"
                       R"("end":3.000000000,"duration":3,"probability":0.9,"peak":0.9,"mean":0.9})");
  EXPECT_EQ(json_lines(folder.file("out")).size(), 4U + 2U);
}

TEST(BcpPublishMqtt, PublishesOnlineAndOffline) {
  NEED_A_BROKER();
  Broker broker;
  Subscriber listener(broker.port());
  MqttHarness p("mqtt-topic=house/{source}/x mqtt-address=" + broker.address());
  p.push(street(0, "front/+#door"));
  EXPECT_TRUE(listener.wait_until("house/front---door/x/status", "online"));
  EXPECT_EQ(p.wait_message(GST_MESSAGE_INFO).text,
            "Connected to the MQTT broker at 127.0.0.1:" + std::to_string(broker.port()) + ".");
  EXPECT_TRUE(p.connected());
  p.stop();
  EXPECT_FALSE(p.connected());
  EXPECT_TRUE(listener.wait_until("house/front---door/x/status", "offline"));
  Subscriber late(broker.port());
  EXPECT_TRUE(late.wait_until("house/front---door/x/status", "offline")) << "the broker remembers";
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // gst-launch-1.0 cannot load a sanitized plugin
TEST(BcpPublishMqtt, IsOfflineAfterACrash) {
  NEED_A_BROKER();
  Broker broker;
  Subscriber listener(broker.port());
  Process child({"gst-launch-1.0", "-q", "videotestsrc", "is-live=true", "!", "bcppublish",
                 "mqtt-address=" + broker.address(), "mqtt-topic=crash", "!", "fakesink"});
  ASSERT_TRUE(listener.wait_until("crash/status", "online"));
  child.kill();
  EXPECT_TRUE(listener.wait_until("crash/status", "offline"));
}
#endif

TEST(BcpPublishMqtt, SendsEveryQualityOfService) {
  NEED_A_BROKER();
  Broker broker;
  Subscriber listener(broker.port());
  for (const int quality : {0, 1, 2}) {
    const std::string topic = std::string("q").append(std::to_string(quality));
    MqttHarness p("mqtt-topic=" + topic + " mqtt-retain=true mqtt-qos=" + std::to_string(quality) +
                  " mqtt-address=" + broker.address());
    p.push_streets(0, 30);
    p.stop();
    EXPECT_EQ(times(listener.wait_for(topic + "/result", 30)), counted(0, 30));
    EXPECT_EQ(p.stat("mqtt-published"), 32U);
  }
  Subscriber late(broker.port());
  EXPECT_EQ(times(late.wait_for("q1/result", 1)), counted(29, 1)) << "retained";
}

TEST(BcpPublishMqtt, LosesNothingWhenTheBrokerRestarts) {
  NEED_A_BROKER();
  const Folder memory;
  Broker broker(persistent(memory));
  Subscriber listener(broker.port());
  MqttHarness p("mqtt-address=" + broker.address());
  p.push_streets(0, 10);
  listener.wait_for("gst-bcp/cam/result", 10);
  ASSERT_TRUE(p.wait_stat("mqtt-queued", 0));

  broker.kill();
  p.push_streets(10, 30);
  EXPECT_EQ(p.stat("mqtt-queued"), 30U);
  EXPECT_EQ(p.wait_message(GST_MESSAGE_WARNING).type, GST_MESSAGE_WARNING);
  broker.start();
  EXPECT_EQ(first_of_each(times(listener.wait_for_time("gst-bcp/cam/result", 39))), counted(0, 40)) << "in order";
  ASSERT_TRUE(p.wait_stat("mqtt-queued", 0));
  EXPECT_EQ(broker.received("gst-bcp/cam/result"), 40U) << "each once";
  EXPECT_EQ(p.stat("mqtt-reconnects"), 1U);
  EXPECT_EQ(p.stat("mqtt-dropped"), 0U);
  EXPECT_EQ(gst_harness_buffers_received(p.h.get()), 40U);
}

TEST(BcpPublishMqtt, SendsQueuedMessagesToABrokerThatReturnsAtTheEnd) {
  NEED_A_BROKER();
  const int port = free_port();
  MqttHarness p("mqtt-flush-timeout=60000000000 mqtt-address=mqtt://127.0.0.1:" + std::to_string(port));
  p.push_streets(0, 30);
  p.wait_message(GST_MESSAGE_WARNING);  // now the client pauses for a second
  const Broker broker("allow_anonymous true\n", port);
  p.stop();
  EXPECT_EQ(p.stat("mqtt-published"), 32U);
  EXPECT_EQ(p.stat("mqtt-dropped"), 0U);
}

TEST(BcpPublishMqtt, SendsUnacknowledgedMessagesAgain) {
  NEED_A_BROKER();
  const Folder memory;
  Broker broker(persistent(memory));
  Subscriber listener(broker.port());
  MqttHarness p("mqtt-address=" + broker.address());
  p.push_streets(0, 1);
  listener.wait_for("gst-bcp/cam/result", 1);
  ASSERT_TRUE(p.wait_stat("mqtt-queued", 0));

  broker.signal(SIGSTOP);  // the broker does not read its messages
  p.push_streets(1, 50);
  EXPECT_EQ(p.stat("mqtt-queued"), 50U);
  broker.kill();
  broker.start();
  EXPECT_EQ(first_of_each(times(listener.wait_for_time("gst-bcp/cam/result", 50))), counted(0, 51));
  ASSERT_TRUE(p.wait_stat("mqtt-queued", 0));
  EXPECT_EQ(broker.received("gst-bcp/cam/result"), 51U);
  EXPECT_EQ(p.stat("mqtt-published"), 52U);
}

TEST(BcpPublishMqtt, KeepsTheNewestWhenTheQueueIsFull) {
  NEED_A_BROKER();
  const int port = free_port();
  MqttHarness p("mqtt-queue-size=5 mqtt-address=mqtt://127.0.0.1:" + std::to_string(port));
  p.push_streets(0, 12);  // and one event
  EXPECT_EQ(p.stat("mqtt-queued"), 5U);
  EXPECT_EQ(p.stat("mqtt-dropped"), 8U);
  Broker broker("allow_anonymous true\n", port);
  Subscriber listener(port);
  EXPECT_TRUE(p.wait_stat("mqtt-published", 5));
  p.push_streets(12, 1);
  // The listener may have come too late for the first of them.
  EXPECT_GE(times(listener.wait_for_time("gst-bcp/cam/result", 12)).front(), 7);
  EXPECT_EQ(broker.received("gst-bcp/cam/result"), 6U);
}

TEST(BcpPublishMqtt, ReportsEachChangeOfTheConnection) {
  NEED_A_BROKER();
  Broker broker;
  MqttHarness p("mqtt-topic=here mqtt-address=" + broker.address());
  const auto wait_change = [&p] {
    const gst::MessagePtr message(gst_bus_timed_pop_filtered(p.bus.get(), 60 * GST_SECOND, GST_MESSAGE_ELEMENT));
    gboolean connected = -1;
    if (message) gst_structure_get_boolean(gst_message_get_structure(message.get()), "connected", &connected);
    return connected;
  };
  EXPECT_EQ(wait_change(), TRUE);
  for (int time = 0; time < 3; ++time) {
    broker.kill();
    EXPECT_EQ(wait_change(), FALSE) << "time " << time;
    broker.start();
    EXPECT_EQ(wait_change(), TRUE) << "time " << time;
  }
}

TEST(BcpPublishMqtt, KeepsTheOldestWithDropPolicyNewest) {
  NEED_A_BROKER();
  Broker broker;
  Subscriber listener(broker.port());
  MqttHarness p("mqtt-queue-size=30 mqtt-drop-policy=newest mqtt-address=" + broker.address());
  p.push_streets(0, 1);
  listener.wait_for("gst-bcp/cam/result", 1);
  ASSERT_TRUE(p.wait_stat("mqtt-queued", 0));
  broker.signal(SIGSTOP);
  p.push_streets(1, 40);
  EXPECT_EQ(p.stat("mqtt-dropped"), 10U);
  broker.signal(SIGCONT);
  EXPECT_EQ(times(listener.wait_for("gst-bcp/cam/result", 31)), counted(0, 31));
  const auto said = faults(p.bus.get());
  ASSERT_EQ(said.size(), 2U);  // connected, and the dropped messages
  EXPECT_NE(said[1].text.find("newest messages are dropped"), std::string::npos) << said[1].text;
}

TEST(BcpPublishMqtt, StartsAndStopsThreeTimes) {
  NEED_A_BROKER();
  Broker broker;
  Subscriber listener(broker.port());
  const Pipeline p = pipeline(
      "videotestsrc num-buffers=4 ! video/x-raw,format=GRAY8,width=16,height=16 ! identity name=tag ! "
      "bcppublish name=pub mqtt-address=" +
      broker.address() + " ! fakesink");
  on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, street(GST_BUFFER_PTS(b))); });
  for (std::size_t round = 1; round <= 3; ++round) {
    run(p);
    EXPECT_EQ(gst_element_set_state(p.get(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    EXPECT_EQ(listener.wait_for("gst-bcp/cam/result", 4 * round).size(), 4 * round);
  }
}

TEST(BcpPublishMqtt, FreesAllItsMemory) {
  NEED_A_BROKER();
  Broker broker;
  gpointer weak = nullptr;
  {
    MqttHarness p("mqtt-address=" + broker.address());
    weak = p.element.get();
    g_object_add_weak_pointer(G_OBJECT(weak), &weak);
    p.push_streets(0, 3);
  }
  EXPECT_EQ(weak, nullptr);
}

TEST(BcpPublishMqtt, PublishesFromSeveralStreamsAtOnce) {
  NEED_A_BROKER();
  Broker broker;
  Subscriber listener(broker.port());
  std::vector<std::unique_ptr<MqttHarness>> all;
  for (int i = 0; i < 4; ++i) all.push_back(std::make_unique<MqttHarness>("mqtt-address=" + broker.address()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < all.size(); ++i) {
    threads.emplace_back([&all, i] {
      const std::string name = "cam" + std::to_string(i);
      for (GstClockTime t = 0; t < 50; ++t) all[i]->push(street(t * GST_SECOND, name.c_str()), t * GST_SECOND);
      all[i]->stop();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(times(listener.wait_for("gst-bcp/cam" + std::to_string(i) + "/result", 50)), counted(0, 50));
  }
}

}  // namespace
}  // namespace bcp::test
