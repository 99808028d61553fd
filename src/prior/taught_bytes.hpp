// SPDX-License-Identifier: LGPL-2.1-or-later
//
// What people have taught, as a part of a snapshot (snapshot.md).

#pragma once

#include <string>

#include "base/result.hpp"
#include "decide/taught.hpp"
#include "prior/bytes.hpp"

namespace bcp::prior {

// The same knowledge gives the same bytes.
std::string encode_taught(const decide::Taught& taught);
// Trusts no number in the bytes. The message of an error is a clause: "its ... is ...".
Result<decide::Taught> decode_taught(Reader& reader);

}  // namespace bcp::prior
