// SPDX-License-Identifier: LGPL-2.1-or-later
// Why a camera cannot be watched, in words: one sentence for each cause, which names the camera and what to do.

#pragma once

#include <gst/gst.h>

#include <chrono>
#include <optional>
#include <string>

#include "gst-bcp/run/plan/certificates.hpp"

namespace bcp::cli::run {

enum class CameraTrouble {
  kUnknownHost,
  kRefused,
  kUnreachable,
  kTimeout,
  kNoAnswer,  // the connection works, and is closed or left without an answer
  kWrongUser,
  kNoStream,     // 404
  kErrorAnswer,  // another status of RTSP
  kNotTls,
  kUntrusted,
  kExpired,
  kNotYetValid,
  kOtherHost,
  kOtherCertificate,  // not one of --tls-fingerprint
  kNoVideo,
};

struct CameraFault {
  CameraTrouble trouble;
  std::string reason;    // in a few words, to be put into another sentence
  std::string sentence;  // with the camera's name
};

// How a network answers a connection to a server's port (camera/network_check.hpp).
enum class Reach { kUnknownHost, kRefused, kUnreachable, kTimeout, kReached };

// A connection to a camera, for those who explain its failure.
struct CameraCall {
  std::string name;  // as it is shown: without a password
  std::string uri;
  std::chrono::steady_clock::time_point since;  // when the connection began
};

// The sentence about a trouble. `certificate` is the one that was presented, if it is about one; `answer` is the
// camera's, as "Bad Request (400)".
CameraFault camera_fault(CameraTrouble trouble, const CameraCall& call, const PresentedCertificate& certificate = {},
                         const std::string& answer = {});

// The certificate of this connection, if it was refused. Any thread.
std::optional<CameraFault> certificate_fault(const CameraCall& call);

// What an error of rtspsrc alone says, with the certificate that was refused; none: it says nothing of the cause.
// `debug` is the text for developers that came with the error; it may be null.
std::optional<CameraFault> fault_of_error(const CameraCall& call, const GError& error, const gchar* debug);

// Whether an error means that the connection failed, and not why: the network is to be checked.
bool is_failed_connection(const CameraCall& call, const GError& error);

// The cause of such an error, given what the network says.
CameraFault fault_of_network(const CameraCall& call, Reach reach);

// Whether it lasts until a person does something: it is reported also of a camera that is known to be lost.
bool needs_person(CameraTrouble trouble);

// Whether another attempt is worth it; a camera that refuses its user may lock the account after a few.
bool may_pass(CameraTrouble trouble);

}  // namespace bcp::cli::run
