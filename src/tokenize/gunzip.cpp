// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tokenize/gunzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace bcp::tokenize {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr std::size_t kFirstGuess = std::size_t{4} << 20;  // CLIP's vocabulary has 3.2 MB

class Inflater {
 public:
  Inflater() : ready_(inflateInit2(&stream, kGzipOnly) == Z_OK) {}
  Inflater(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream);
  }
  bool ready() const { return ready_; }

  z_stream stream{};

 private:
  bool ready_;
};

Error damaged_gzip(const std::string& reason) {
  return Error{ErrorCode::kInvalid, "its gzip data is damaged or truncated (" + reason + "): fetch it again"};
}

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1F\x8B");
}

Result<std::string> gunzip(std::string_view bytes, std::size_t limit) {
  Inflater inflater;
  if (!inflater.ready()) return Error{ErrorCode::kRuntime, "zlib cannot be initialised: free memory"};
  if (bytes.size() > std::numeric_limits<uInt>::max() || limit >= std::numeric_limits<uInt>::max())
    return Error{ErrorCode::kInvalid, "it is too long for a gzipped vocabulary: check the path"};
  z_stream& stream = inflater.stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());

  std::string text(std::min(kFirstGuess, limit + 1), '\0');
  std::size_t written = 0;
  for (;;) {
    if (written > limit)
      return Error{ErrorCode::kInvalid, "it unpacks to more than the " + std::to_string(limit) +
                                            " bytes allowed for a vocabulary: check the path"};
    if (written == text.size()) text.resize(std::min(text.size() * 2, limit + 1));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + written);
    stream.avail_out = static_cast<uInt>(text.size() - written);
    const int status = inflate(&stream, Z_NO_FLUSH);
    written = text.size() - stream.avail_out;
    if (status == Z_STREAM_END) break;
    if (status != Z_OK) return damaged_gzip(stream.msg ? stream.msg : "it ends too early");
  }
  if (stream.avail_in != 0) return damaged_gzip("it has data after its end");
  text.resize(written);
  return text;
}

}  // namespace bcp::tokenize
