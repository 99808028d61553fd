// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/model/get/checksum.hpp"

#include <glib.h>

#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "base/sha256.hpp"

namespace bcp::cli::get {
namespace {

Result<std::string> git_blob_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return Error{ErrorCode::kRuntime, path + " cannot be read: " + error.message()};
  const std::unique_ptr<GChecksum, decltype(&g_checksum_free)> sum(g_checksum_new(G_CHECKSUM_SHA1), g_checksum_free);
  const auto add = [&](std::string_view bytes) {
    g_checksum_update(sum.get(), reinterpret_cast<const guchar*>(bytes.data()), static_cast<gssize>(bytes.size()));
    return true;
  };
  const std::string head = "blob " + std::to_string(size);
  add({head.c_str(), head.size() + 1});  // with the zero byte after it
  if (const Status read = read_pieces(path, add); !read) return read.error();
  return std::string(g_checksum_get_string(sum.get()));
}

}  // namespace

Result<std::string> checksum_of(const std::string& path, Checksum::Kind kind) {
  return kind == Checksum::Kind::kSha256 ? sha256_of_file(path) : git_blob_of(path);
}

bool is_hex(const std::string& text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace bcp::cli::get
