// SPDX-License-Identifier: LGPL-2.1-or-later
// bcppublish and brokers that are missing, do not answer, or refuse the connection.

#include "mqtt_support.hpp"

namespace bcp::test {
namespace {

using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

AssertionResult says(const Message& message, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    if (message.text.find(part) == std::string::npos) return AssertionFailure() << message.text << " lacks " << part;
  }
  return AssertionSuccess();
}

// Certificates made by openssl.
class Certificates {
 public:
  Certificates() {
    const std::string ec = " -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes ";
    for (const std::string name : {"ca", "other"}) {
      make("req -x509 -days 2 -subj /CN=" + name + ec + "-keyout " + name + ".key -out " + name + ".pem");
    }
    write_file(folder_.file("names"), "subjectAltName=DNS:localhost\n");
    for (const std::string name : {"broker", "client"}) {
      make("req -subj /CN=" + name + ec + "-keyout " + name + ".key -out " + name + ".csr");
      make("x509 -req -days 2 -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -in " + name + ".csr -out " +
           name + ".pem");
    }
  }
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string broker_settings(bool ask_for_ours = false) const {
    return "allow_anonymous true\ncafile " + file("ca.pem") + "\ncertfile " + file("broker.pem") + "\nkeyfile " +
           file("broker.key") + (ask_for_ours ? "\nrequire_certificate true\n" : "\n");
  }

 private:
  void make(const std::string& arguments) {
    const std::string command = "cd '" + file("") + "' && openssl " + arguments + " >log 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << arguments << contents(file("log"));
  }
  Folder folder_;
};

std::string secure(const Broker& broker, const char* host) {
  return "mqtt-address=mqtts://" + std::string(host) + ":" + std::to_string(broker.port()) + " ";
}

TEST(BcpPublishMqttFaults, ContinuesWithoutABrokerAndReportsItOnce) {
  const int port = free_port();
  MqttHarness p("mqtt-address=mqtt://127.0.0.1:" + std::to_string(port));
  p.push_streets(0, 200);
  EXPECT_EQ(gst_harness_buffers_received(p.h.get()), 200U);
  EXPECT_EQ(p.stat("mqtt-queued"), 201U);
  const Message said = p.wait_message(GST_MESSAGE_WARNING);
  EXPECT_TRUE(
      says(said, {"127.0.0.1:" + std::to_string(port), "Connection refused", "start the broker", "video continues"}));
  p.stop();
  EXPECT_EQ(p.stat("mqtt-dropped"), 202U) << "what was left, and the label that went";
  EXPECT_TRUE(faults(p.bus.get()).empty());
}

TEST(BcpPublishMqttFaults, ReportsABrokerThatIsMissingWithTls) {
  MqttHarness p("mqtt-address=mqtts://127.0.0.1:" + std::to_string(free_port()));
  p.push_streets(0, 1);
  EXPECT_TRUE(says(p.wait_message(GST_MESSAGE_WARNING), {"start the broker"}));
}

TEST(BcpPublishMqttFaults, ReportsAHostNameThatCannotBeResolved) {
  MqttHarness p("mqtt-address=mqtt://no-such-host.invalid");
  p.push_streets(0, 1);
  EXPECT_TRUE(says(p.wait_message(GST_MESSAGE_WARNING), {"no-such-host.invalid:1883", "resolved", "mqtt-address"}));
}

TEST(BcpPublishMqttFaults, IsNotBlockedByAServerThatNeverAnswers) {
  const Port silent(true);
  for (const char* scheme : {"mqtt", "mqtts"}) {
    const Pipeline p = pipeline(
        "videotestsrc num-buffers=100 ! video/x-raw,format=GRAY8,width=16,height=16 ! identity name=tag ! "
        "bcppublish name=pub mqtt-flush-timeout=100000000 mqtt-address=" +
        std::string(scheme) + "://127.0.0.1:" + std::to_string(silent.number()) + " ! fakesink name=out");
    on_each_buffer(child(p, "tag").get(), [](GstBuffer* b) { attach(b, street(GST_BUFFER_PTS(b))); });
    std::vector<gst::BufferPtr> out;
    collect(child(p, "out").get(), out);
    EXPECT_TRUE(run(p).empty());
    EXPECT_EQ(gst_element_set_state(p.get(), GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    EXPECT_EQ(out.size(), 100U);
  }
}

TEST(BcpPublishMqttFaults, IsNotBlockedByABrokerThatStops) {
  NEED_A_BROKER();
  Broker broker;
  MqttHarness p("mqtt-flush-timeout=100000000 mqtt-address=" + broker.address());
  p.push_streets(0, 1);
  ASSERT_TRUE(p.wait_stat("mqtt-published", 2));
  broker.signal(SIGSTOP);
  p.push_streets(1, 500);
  EXPECT_EQ(gst_harness_buffers_received(p.h.get()), 501U);
  p.stop();
  EXPECT_EQ(p.stat("mqtt-dropped"), 501U);
}

TEST(BcpPublishMqttFaults, ConnectsWithTlsToABrokerSignedByItsAuthority) {
  NEED_A_BROKER();
  const Certificates made;
  const Broker broker(made.broker_settings());
  MqttHarness p(secure(broker, "localhost") + "mqtt-ca-file=" + made.file("ca.pem"));
  p.push_streets(0, 100);
  EXPECT_TRUE(p.wait_stat("mqtt-published", 101)) << broker.log();
}

TEST(BcpPublishMqttFaults, SendsItsCertificateToABrokerThatRequiresOne) {
  NEED_A_BROKER();
  const Certificates made;
  const Broker broker(made.broker_settings(true));
  MqttHarness p(secure(broker, "localhost") + "mqtt-ca-file=" + made.file("ca.pem") +
                " mqtt-cert-file=" + made.file("client.pem") + " mqtt-key-file=" + made.file("client.key"));
  p.push_streets(0, 3);
  EXPECT_TRUE(p.wait_stat("mqtt-published", 4)) << broker.log();
}

TEST(BcpPublishMqttFaults, RefusesABrokerSignedByAnotherAuthority) {
  NEED_A_BROKER();
  const Certificates made;
  const Broker broker(made.broker_settings());
  for (const std::string& authority : {" mqtt-ca-file=" + made.file("other.pem"), std::string()}) {
    MqttHarness p(secure(broker, "localhost") + authority);
    p.push_streets(0, 1);
    EXPECT_TRUE(says(p.wait_message(GST_MESSAGE_WARNING),
                     {"localhost:" + std::to_string(broker.port()), "not signed by", "mqtt-ca-file"}));
    EXPECT_EQ(p.stat("mqtt-published"), 0U);
  }
}

TEST(BcpPublishMqttFaults, RefusesABrokerWithACertificateForAnotherHost) {
  NEED_A_BROKER();
  const Certificates made;
  const Broker broker(made.broker_settings());
  const std::string authority = "mqtt-ca-file=" + made.file("ca.pem");
  MqttHarness p(secure(broker, "127.0.0.1") + authority);
  p.push_streets(0, 1);
  EXPECT_TRUE(says(p.wait_message(GST_MESSAGE_WARNING), {"for another host than 127.0.0.1", "mqtt-address"}));
  EXPECT_EQ(p.stat("mqtt-published"), 0U);
  MqttHarness careless(secure(broker, "127.0.0.1") + authority + " mqtt-insecure=true");
  careless.push_streets(0, 1);
  EXPECT_TRUE(careless.wait_stat("mqtt-published", 2));
}

TEST(BcpPublishMqttFaults, ReportsThatOnlyOneSideUsesTls) {
  NEED_A_BROKER();
  const Certificates made;
  const Broker with(made.broker_settings()), without;
  MqttHarness plain("mqtt-address=" + with.address());
  plain.push_streets(0, 1);
  EXPECT_TRUE(says(plain.wait_message(GST_MESSAGE_WARNING), {"mqtts://"}));
  MqttHarness secured(secure(without, "localhost"));
  secured.push_streets(0, 1);
  EXPECT_TRUE(says(secured.wait_message(GST_MESSAGE_WARNING), {"TLS"}));
}

class MqttCredentials : public testing::Test {
 protected:
  void SetUp() override {
    NEED_A_BROKER();
    const std::string command =
        "mosquitto_passwd -b -c '" + folder_.file("users") + "' camera 'pa ss:w@rd' 2>/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
    broker_ = std::make_unique<Broker>("allow_anonymous false\npassword_file " + folder_.file("users") + "\n");
  }
  Folder folder_;
  std::unique_ptr<Broker> broker_;
};

TEST_F(MqttCredentials, AreAcceptedFromEveryProperty) {
  write_file(folder_.file("secret"), "pa ss:w@rd\n");
  for (const std::string& how :
       {"mqtt-address=" + broker_->address() + " mqtt-username=camera mqtt-password=\"pa ss:w@rd\"",
        "mqtt-address=" + broker_->address() + " mqtt-username=camera mqtt-password-file=" + folder_.file("secret"),
        "mqtt-address=" + broker_->address("camera:pa%20ss:w%40rd@"),
        "mqtt-address=" + broker_->address("other:wrong@") +
            " mqtt-username=camera mqtt-password-file=" + folder_.file("secret")}) {
    MqttHarness p(how);
    p.push_streets(0, 1);
    EXPECT_TRUE(p.wait_stat("mqtt-published", 2)) << how;
  }
}

TEST_F(MqttCredentials, AreReportedWhenWrongAndNeverShown) {
  MqttHarness wrong("mqtt-address=" + broker_->address("camera:hush-hush@"));
  wrong.push_streets(0, 1);
  const Message said = wrong.wait_message(GST_MESSAGE_WARNING);
  EXPECT_TRUE(says(said, {"user name or the password", "mqtt-username", "mqtt-password-file"}));
  EXPECT_EQ(said.text.find("hush"), std::string::npos);
  MqttHarness none("mqtt-address=" + broker_->address());
  none.push_streets(0, 1);
  EXPECT_TRUE(says(none.wait_message(GST_MESSAGE_WARNING), {"authentication required", "mqtt-username"}));
}

TEST(BcpPublishMqttFaults, NeverReturnsAPassword) {
  const gst::ElementPtr element(gst_element_factory_make("bcppublish", nullptr));
  gst_object_ref_sink(element.get());
  g_object_set(element.get(), "mqtt-address", "mqtts://me:secret@host:1", "mqtt-password", "secret", nullptr);
  gchar* address = nullptr;
  g_object_get(element.get(), "mqtt-address", &address, nullptr);
  EXPECT_STREQ(gst::CharPtr(address).get(), "mqtts://me@host:1");
  guint count = 0;
  GParamSpec** specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element.get()), &count);
  for (guint i = 0; i < count; ++i) {
    if (!(specs[i]->flags & G_PARAM_READABLE)) continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, specs[i]->value_type);
    g_object_get_property(G_OBJECT(element.get()), specs[i]->name, &value);
    const gst::CharPtr text(g_strdup_value_contents(&value));
    EXPECT_EQ(std::string(text.get()).find("secret"), std::string::npos) << specs[i]->name;
    g_value_unset(&value);
  }
  g_free(specs);
}

// Starts a publisher that must not start; its only message.
Message refusal(const std::string& properties) {
  GError* error = nullptr;
  gst::ElementPtr element(gst_parse_launch(("bcppublish " + properties).c_str(), &error));
  EXPECT_EQ(error, nullptr);
  gst_object_ref_sink(element.get());
  const gst::BusPtr bus = listen(element.get());
  EXPECT_EQ(gst_element_set_state(element.get(), GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE) << properties;
  const std::vector<Message> said = faults(bus.get());
  gst_element_set_state(element.get(), GST_STATE_NULL);
  EXPECT_EQ(said.size(), 1U) << properties;
  return said.empty() ? Message() : said[0];
}

TEST(BcpPublishMqttFaults, ReportsInvalidSettingsAtStart) {
  const Folder folder;
  write_file(folder.file("some"), "text\n");
  const std::string host = "mqtt-address=mqtt://host ", secured = "mqtt-address=mqtts://host ";
  EXPECT_TRUE(says(refusal("mqtt-address=host:1883"), {"'host:1883'", "mqtt://"}));
  EXPECT_TRUE(says(refusal("mqtt-address=http://host"), {"http://host", "neither"}));
  EXPECT_TRUE(says(refusal("mqtt-address=mqtt://"), {"has no host"}));
  EXPECT_TRUE(says(refusal("mqtt-address=mqtt://host:0"), {"port"}));
  EXPECT_TRUE(says(refusal(host + "mqtt-topic=a/#"), {"mqtt-topic", "subscribers"}));
  EXPECT_TRUE(says(refusal(host + "discovery-prefix=a/"), {"discovery-prefix", "ends with /"}));
  EXPECT_TRUE(says(refusal(host + "mqtt-password=x"), {"mqtt-username"}));
  EXPECT_TRUE(
      says(refusal(host + "mqtt-password-file=" + folder.file("none")), {"mqtt-password-file", "No such file"}));
  EXPECT_TRUE(says(refusal(host + "mqtt-ca-file=" + folder.file("some")), {"mqtts://host"}));
  EXPECT_TRUE(says(refusal(secured + "mqtt-ca-file=" + folder.file("none")), {"mqtt-ca-file", "No such file"}));
  EXPECT_TRUE(says(refusal(secured + "mqtt-cert-file=" + folder.file("some")), {"must be set together"}));
}

TEST(BcpPublishMqttFaults, DoesNotEmptyAFileWhenItsSettingsAreInvalid) {
  const Folder folder;
  write_file(folder.file("results"), "of yesterday\n");
  EXPECT_TRUE(says(refusal("mqtt-address=mqtt:// location=" + folder.file("results")), {"has no host"}));
  EXPECT_EQ(contents(folder.file("results")), "of yesterday\n");
}

}  // namespace
}  // namespace bcp::test
