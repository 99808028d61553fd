// SPDX-License-Identifier: LGPL-2.1-or-later
//
// People's corrections as a part of a snapshot (snapshot.md).

#pragma once

#include <string>

#include "base/result.hpp"
#include "decide/taught.hpp"
#include "prior/bytes.hpp"

namespace bcp::prior {

// The same content gives the same bytes.
std::string encode_taught(const decide::Taught& taught);
// Checks every number in the bytes. An error message is a clause: "its ... is ...".
Result<decide::Taught> decode_taught(Reader& reader);

}  // namespace bcp::prior
