// SPDX-License-Identifier: LGPL-2.1-or-later
// Text embeddings cached on disk: a start with a thousand known labels runs no model.
//
// One file per model in $XDG_CACHE_HOME/gst-bcp/text, named after the identity of its text tower, so that another
// model, export or tokenizer never uses it. Records are appended, each with a checksum; several processes may append at
// once. A cache that is missing, damaged or not writable costs time and is never an error.
//
// Thread safety: none. One instance belongs to one thread at a time.

#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "clip/text_bank.hpp"

namespace bcp::clip {

class EmbeddingCache {
 public:
  // `identity` is part of the file name; empty: embeddings are kept only in memory.
  EmbeddingCache(const std::string& identity, int embedding_size);

  // The unit embedding of `text`, or empty. Valid until the next add().
  std::span<const float> find(const std::string& text) const;
  // Whether it is so large that it should be started again.
  bool is_large() const;
  // REQUIRES: one row per text, embedding_size wide.
  void add(std::span<const std::string> texts, const TextMatrix& rows);

 private:
  void load();

  std::string path_;
  std::size_t width_;
  std::unordered_map<std::string, std::size_t> row_of_;
  std::vector<float> rows_;
};

}  // namespace bcp::clip
