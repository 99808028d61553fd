// SPDX-License-Identifier: LGPL-2.1-or-later
// Certificates for the C++ tests, made by openssl, as tls.bash makes them for shell cases.

#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "common/temporary.hpp"

namespace bcp::test {

class Certificates {
 public:
  std::string certificate(const std::string& name) const { return folder_ / (name + ".pem"); }
  std::string key(const std::string& name) const { return folder_ / (name + ".key"); }

  void make_authority(const std::string& name) {
    run("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=" + name + " -keyout " +
        key(name) + " -out " + certificate(name) +
        " -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign");
  }
  // Signed by the authority, for these names: "IP:127.0.0.1,DNS:localhost".
  void make_signed(const std::string& name, const std::string& authority, const std::string& names,
                   bool expired = false) {
    const std::string request = folder_ / (name + ".csr"), extensions = folder_ / (name + ".ext");
    run("req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=" + name + " -keyout " + key(name) +
        " -out " + request);
    write(extensions, "subjectAltName=" + names + "\n");
    const std::string sign = "x509 -req -in " + request + " -CA " + certificate(authority) + " -CAkey " +
                             key(authority) + " -CAcreateserial -extfile " + extensions + " -out " + certificate(name);
    if (!expired) return run(sign + " -days 30");
    // Dates are an option from OpenSSL 3.4 on, which refuses negative days.
    if (!is_done(sign + " -not_before 20200101000000Z -not_after 20200201000000Z")) run(sign + " -days -1");
  }

 private:
  static bool is_done(const std::string& arguments) {
    return std::system(("openssl " + arguments + " >/dev/null 2>&1").c_str()) == 0;
  }
  static void run(const std::string& arguments) {
    if (!is_done(arguments)) throw std::runtime_error("openssl " + arguments);
  }

  const TemporaryDirectory folder_;
};

}  // namespace bcp::test
