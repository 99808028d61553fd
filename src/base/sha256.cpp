// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <memory>

#include "base/file.hpp"

namespace bcp {
namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new()) {
    good_ = context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1;
  }

  void add(const char* bytes, std::size_t count) {
    good_ = good_ && EVP_DigestUpdate(context_.get(), bytes, count) == 1;
  }

  Result<std::string> hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> raw{};
    unsigned int length = 0;
    if (!good_ || EVP_DigestFinal_ex(context_.get(), raw.data(), &length) != 1)
      return Error{ErrorCode::kRuntime, "OpenSSL cannot compute SHA-256 here: check its configuration (openssl.cnf)"};
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < length; ++i) {
      text += kDigits[raw[i] >> 4];
      text += kDigits[raw[i] & 15];
    }
    return text;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
  bool good_ = false;
};

}  // namespace

Result<std::string> sha256(std::string_view bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.hex();
}

Result<std::string> sha256_of_file(const std::string& path) {
  Digest digest;
  const Status read = read_pieces(path, [&](std::string_view piece) {
    digest.add(piece.data(), piece.size());
    return true;
  });
  if (!read) return read.error();
  return digest.hex();
}

}  // namespace bcp
