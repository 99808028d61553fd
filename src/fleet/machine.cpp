// SPDX-License-Identifier: LGPL-2.1-or-later

#include "fleet/machine.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "base/file.hpp"
#include "base/sha256.hpp"

namespace bcp::fleet {

const Machine& Machine::here() {
  // Names of sockets are those of a network namespace, whose number is unique until the next start of the machine.
  static const Machine machine = [] {
    const Result<std::string> boot = read_file("/proc/sys/kernel/random/boot_id", 4096);
    struct stat network {};
    const bool known = boot && stat("/proc/self/ns/net", &network) == 0;
    const Result<std::string> digest = sha256(known ? *boot + std::to_string(network.st_ino) : "");
    return Machine{known && digest ? digest->substr(0, kDigits) : std::string(kDigits, '0')};
  }();
  return machine;
}

std::optional<Descriptor> Machine::hold(const std::string& name) const {
  const Result<std::string> digest = sha256(digits + " " + name);
  Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!digest || !socket.is_open() || digits == std::string(kDigits, '0')) return Descriptor(-1);
  // A name that begins with 0 is in no folder, so nothing is left behind.
  const std::string abstract = std::string(1, '\0') + "gst-bcp-fleet-" + digest->substr(0, 40);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(abstract.begin(), abstract.end(), address.sun_path);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + abstract.size());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0) return socket;
  if (errno == EADDRINUSE) return std::nullopt;
  return Descriptor(-1);
}

}  // namespace bcp::fleet
