// SPDX-License-Identifier: LGPL-2.1-or-later
// The largest values allowed in a bundle or a model's configuration, far above any published model. A larger value is a
// damaged file or an attempt to exhaust the memory.

#pragma once

namespace bcp::clip {

inline constexpr int kMaxImageSize = 4096;
inline constexpr int kMaxEmbedding = 65536;
inline constexpr int kMaxContext = 4096;  // tokens
inline constexpr int kMaxTokenId = 16'777'215;

}  // namespace bcp::clip
