// SPDX-License-Identifier: LGPL-2.1-or-later
//
// rediss://: with a hiredis that has TLS, a real Redis with TLS and certificates of an authority made here; with one
// that has not (Debian 12), the error that users get.

#include <gtest/gtest.h>

#include "common/tls.hpp"
#include "fleet/status.hpp"
#include "fleet_support.hpp"

namespace bcp::fleet {
namespace {

using test::Camera;
using test::Certificates;
using test::EnvironmentVariable;
using test::Redis;
using test::rounds;

const std::string kPassword = "sEcrEt-4711";
const std::string kHere = "IP:127.0.0.1,DNS:localhost";

#ifdef BCP_REDIS_TLS

// A server with one port for TLS, whose certificate is `name`, beside the plain one.
struct Secure {
  Secure(const Certificates& certificates, const std::string& name, const std::string& clients = "no")
      : redis({"--tls-port", std::to_string(port), "--tls-cert-file", certificates.certificate(name), "--tls-key-file",
               certificates.key(name), "--tls-ca-cert-file", certificates.certificate("authority"),
               "--tls-auth-clients", clients},
              kPassword) {}
  Address address(const std::string& host = "localhost") const {
    Address address = redis.address();
    address.tls = true;
    address.host = host;
    address.port = port;
    return address;
  }
  const int port = test::free_redis_port();
  Redis redis;
};

class FleetTls : public ::testing::Test {
 protected:
  FleetTls() {
    certificates.make_authority("authority");
    certificates.make_signed("server", "authority", kHere);
  }
  // Why a round fails, before the password or anything else was sent.
  static std::string refusal(const Address& address) {
    Camera camera;
    camera.learn(5, 1);
    const Status round = camera.start(address, "a").round(false);
    EXPECT_FALSE(round);
    EXPECT_EQ(camera.node->traffic().sent, 0U);
    return reason(round);
  }
  static std::string reason(const Status& round) {
    const std::string message = round ? "" : round.error().message;
    EXPECT_EQ(message.find(kPassword), std::string::npos) << message;
    return message;
  }
  static void expect_part(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  Certificates certificates;
};

TEST_F(FleetTls, SharesThroughAServerWhoseAuthorityIsTrusted) {
  const EnvironmentVariable trusted("SSL_CERT_FILE", certificates.certificate("authority"));
  const Secure secure(certificates, "server");
  // A value of more than 100 kB: many records of TLS, in both directions.
  test::Labels labels;
  for (int k = 0; k < 300; ++k) labels.push_back("label " + std::to_string(k));
  Camera a("model", labels), b("model", labels);
  a.learn(40, 1);
  b.learn(30, 2);
  a.start(secure.address("localhost"), "a");
  b.start(secure.address("127.0.0.1"), "b");
  rounds({&a, &b});
  EXPECT_NEAR(a.learnt->samples(), 70, 1e-4);
  EXPECT_NEAR(b.learnt->samples(), 70, 1e-4);
  EXPECT_GT(a.node->traffic().sent, 100'000U);
  EXPECT_GT(a.node->traffic().received, 100'000U);
  EXPECT_TRUE(a.faults.empty() && b.faults.empty());
  const auto status = read_status(secure.address());
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(status->nodes.size(), 2U);
}

TEST_F(FleetTls, ReturnsAfterTheServer) {
  const EnvironmentVariable trusted("SSL_CERT_FILE", certificates.certificate("authority"));
  Secure secure(certificates, "server");
  Camera a, b;
  a.learn(10, 1);
  b.learn(20, 2);
  a.start(secure.address(), "a");
  b.start(secure.address(), "b");
  rounds({&a, &b});
  secure.redis.kill();
  for (Camera* each : {&a, &b}) expect_part(reason(each->node->round(false)), "cannot be reached");
  EXPECT_NEAR(a.learnt->samples(), 30, 1e-4);
  secure.redis.start();
  b.learn(5, 3);
  rounds({&a, &b});
  EXPECT_NEAR(a.learnt->samples(), 35, 1e-4);
}

TEST_F(FleetTls, RefusesCertificatesThatProveNothing) {
  certificates.make_authority("other");
  certificates.make_signed("of-other", "other", kHere);
  certificates.make_signed("elsewhere", "authority", "IP:192.0.2.1,DNS:elsewhere.example");
  certificates.make_signed("expired", "authority", kHere, true);
  const EnvironmentVariable trusted("SSL_CERT_FILE", certificates.certificate("authority"));
  for (const auto& [name, host, why] : {std::tuple("of-other", "localhost", "issuer certificate"),
                                        {"elsewhere", "localhost", "hostname mismatch"},
                                        {"elsewhere", "127.0.0.1", "IP address mismatch"},
                                        {"expired", "localhost", "expired"}}) {
    const Secure secure(certificates, name);
    const std::string said = refusal(secure.address(host));
    expect_part(said, "has a certificate that is not accepted");
    expect_part(said, why);
    expect_part(said, "SSL_CERT_FILE");
  }
}

TEST_F(FleetTls, RefusesAnAuthorityThatIsNotNamed) {
  const Secure secure(certificates, "server");
  expect_part(refusal(secure.address()), "has a certificate that is not accepted");
}

TEST_F(FleetTls, ExplainsPortsOfTheOtherKind) {
  const EnvironmentVariable trusted("SSL_CERT_FILE", certificates.certificate("authority"));
  const Secure secure(certificates, "server");
  Address plain = secure.address();
  plain.port = secure.redis.port();
  expect_part(refusal(plain), "use redis:// there, or its tls-port");
  Address open = secure.address();
  open.tls = false;
  open.password.clear();
  Camera camera;
  expect_part(reason(camera.start(open, "a").round(false)), "use rediss://");
}

// Redis asks for certificates of clients unless tls-auth-clients says no.
TEST_F(FleetTls, ExplainsAServerThatRequiresCertificatesOfClients) {
  const EnvironmentVariable trusted("SSL_CERT_FILE", certificates.certificate("authority"));
  const Secure secure(certificates, "server", "yes");
  Camera camera;
  expect_part(reason(camera.start(secure.address(), "a").round(false)), "tls-auth-clients");
}

#else

TEST(FleetTls, IsRefusedAtOnceWithoutTlsInHiredis) {
  const Result<Address> address = Address::parse("rediss://door:" + kPassword + "@redis.example/0/street");
  ASSERT_TRUE(address);
  const auto group = prior::PriorGroup::join(address->shown(), "model");
  ASSERT_TRUE(group);
  const auto joined = Member::join(*group, *address, "door");
  const auto status = read_status(*address);
  ASSERT_FALSE(joined);
  ASSERT_FALSE(status);
  EXPECT_EQ(joined.error().code, ErrorCode::kUnsupported);
  for (const std::string& message : {joined.error().message, status.error().message}) {
    EXPECT_EQ(message.find("rediss://redis.example:6379/0/street needs hiredis with TLS"), 0U) << message;
    EXPECT_NE(message.find("use redis:// in a trusted network, or through a tunnel"), std::string::npos) << message;
    EXPECT_EQ(message.find(kPassword), std::string::npos) << message;
  }
}

#endif

}  // namespace
}  // namespace bcp::fleet
