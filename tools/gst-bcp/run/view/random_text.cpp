// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/random_text.hpp"

#include <glib.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <memory>

namespace bcp::cli::view {
namespace {

using Digest = std::array<guint8, 32>;

Digest digest_of(std::string_view text) {
  const std::unique_ptr<GChecksum, decltype(&g_checksum_free)> sum(g_checksum_new(G_CHECKSUM_SHA256), g_checksum_free);
  g_checksum_update(sum.get(), reinterpret_cast<const guchar*>(text.data()), static_cast<gssize>(text.size()));
  Digest digest{};
  gsize size = digest.size();
  g_checksum_get_digest(sum.get(), digest.data(), &size);
  return digest;
}

}  // namespace

std::string random_text() {
  std::array<unsigned char, 32> bytes{};
  // Up to 256 bytes come whole; before the kernel has gathered enough, it waits.
  while (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    if (errno != EINTR) g_error("the kernel has no random numbers: %s", g_strerror(errno));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

bool equal_secrets(std::string_view a, std::string_view b) {
  const Digest first = digest_of(a), second = digest_of(b);
  volatile guint8 difference = 0;
  for (std::size_t i = 0; i < first.size(); ++i) difference = static_cast<guint8>(difference | (first[i] ^ second[i]));
  return difference == 0;
}

}  // namespace bcp::cli::view
