// SPDX-License-Identifier: LGPL-2.1-or-later
// The fingerprints of certificates as people type them, and the sentences about cameras that cannot be watched.

#include "gst-bcp/run/plan/tls_options.hpp"

#include <gtest/gtest.h>

#include "gst-bcp/run/plan/camera_fault.hpp"

namespace bcp::cli::run {
namespace {

const std::string kPlain = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const std::string kShown =
    "00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF";

TEST(Fingerprint, IsReadWithAndWithoutColonsInAnyCase) {
  for (const std::string& text : {kPlain, kShown}) {
    const Result<std::string> read = parse_fingerprint(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, kShown);
  }
  std::string upper = kPlain;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(*parse_fingerprint(upper), kShown);
}

TEST(Fingerprint, IsRefusedWhereADigitIsMissingOrTooManyOrNone) {
  for (const std::string& text :
       {std::string(), kPlain.substr(1), kPlain + "0", "g" + kPlain.substr(1), kShown + ":", ":" + kShown,
        "0:" + kPlain.substr(1), kShown.substr(0, 3) + ":" + kShown.substr(3), " " + kPlain}) {
    const Result<std::string> read = parse_fingerprint(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find("64 hexadecimal digits"), std::string::npos);
  }
}

TEST(TlsOptions, AreForAddressesOfTlsServersOnly) {
  EXPECT_TRUE(is_tls_address("rtsps://camera/1"));
  EXPECT_TRUE(is_tls_address("https://camera/1"));
  EXPECT_FALSE(is_tls_address("rtsp://camera/1"));
  EXPECT_FALSE(is_tls_address("http://camera/1"));
}

TEST(Endpoint, HasThePortOfTheSchemeWhereTheAddressHasNone) {
  EXPECT_EQ(endpoint_of("rtsp://me:secret@camera/1").port, 554);
  EXPECT_EQ(endpoint_of("rtsps://camera/1").port, 322);
  EXPECT_EQ(endpoint_of("https://camera/1").port, 443);
  EXPECT_EQ(endpoint_of("rtsps://camera:8322/1").port, 8322);
  EXPECT_EQ(endpoint_of("rtsp://me:secret@camera/1").host, "camera");
}

TEST(CameraFault, NamesTheCameraAndWhatToDoForEachTrouble) {
  const CameraCall call{"rtsps://me:***@camera:8322/main", "rtsps://me:secret@camera:8322/main", {}};
  PresentedCertificate certificate;
  certificate.fingerprint = kShown;
  certificate.acceptable = {"FF"};
  certificate.by_fingerprint = true;
  certificate.names = "other.example";
  certificate.begins = "2030-01-01";
  certificate.ends = "2020-01-01";
  for (int i = 0; i <= static_cast<int>(CameraTrouble::kNoVideo); ++i) {
    const CameraFault fault = camera_fault(static_cast<CameraTrouble>(i), call, certificate);
    EXPECT_TRUE(fault.sentence.starts_with(call.name)) << fault.sentence;
    EXPECT_TRUE(fault.sentence.find("; ") != std::string::npos || fault.sentence.find(": check ") != std::string::npos)
        << fault.sentence;
    EXPECT_FALSE(fault.reason.empty());
    for (const std::string& text : {fault.sentence, fault.reason}) {
      EXPECT_EQ(text.find("secret"), std::string::npos) << text;
      EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << text;
    }
  }
}

TEST(CameraFault, NamesBothFingerprintsOfACertificateThatChanged) {
  const CameraCall call{"rtsps://camera/1", "rtsps://camera/1", {}};
  PresentedCertificate certificate;
  certificate.fingerprint = kShown;
  certificate.acceptable = {"FF:EE"};
  for (const bool listed : {true, false}) {
    certificate.by_fingerprint = listed;
    const CameraFault fault =
        camera_fault(listed ? CameraTrouble::kOtherCertificate : CameraTrouble::kUntrusted, call, certificate);
    for (const std::string& text : {fault.sentence, fault.reason}) {
      EXPECT_NE(text.find(kShown), std::string::npos) << text;
      EXPECT_NE(text.find("FF:EE"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace bcp::cli::run
