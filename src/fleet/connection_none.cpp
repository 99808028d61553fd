// SPDX-License-Identifier: LGPL-2.1-or-later
// For builds without hiredis.

#include "fleet/connection.hpp"

namespace bcp::fleet {

struct Connection::Link {};

Connection::Connection(std::unique_ptr<Link> link) : link_(std::move(link)) {}
Connection::~Connection() = default;

Result<std::unique_ptr<Connection>> Connection::open(const Address& address, const Endpoint&, const Stop&, Traffic&) {
  return check(address).error();
}

Status Connection::check(const Address& address) {
  return Error{ErrorCode::kUnsupported, address.shown() +
                                            " needs Redis, and this build has no support for it: install "
                                            "libhiredis-dev and build again with -Dfleet=enabled"};
}

Result<Reply> Connection::call(const std::vector<std::string>&) {
  return Error{ErrorCode::kUnsupported, "this build has no support for Redis"};
}

}  // namespace bcp::fleet
