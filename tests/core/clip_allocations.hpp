// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

namespace bcp::test {

// How often this program, and the libraries in it, have called operator new so far.
std::size_t allocations();

}  // namespace bcp::test
