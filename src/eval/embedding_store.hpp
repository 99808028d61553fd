// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Embeddings of a data set's pictures, stored on disk as they are computed: a run that is stopped or killed continues
// where it was. One folder per model (with its preprocessing) and data set:
//
//   pictures        the embeddings, one record per picture, each with a checksum
//   embeddings.npy  the last requested ones, row by row, in NumPy's format
//   pictures.txt    their picture names
//
// A picture is identified by its name, size and modification time. An invalid record is computed again. Several
// processes may use one folder at once: records are appended whole, under a short lock.
//
// Memory: an entry of about 100 bytes per picture; embeddings stay on disk.
// Thread safety: none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/descriptor.hpp"
#include "base/result.hpp"
#include "eval/stream.hpp"

namespace bcp::eval {

// The current state of a picture file.
struct PictureState {
  std::string name;  // the name in the data set
  std::uint64_t size = 0;
  std::int64_t changed = 0;  // nanoseconds

  // Fails if it is not a file.
  static Result<PictureState> of(const std::string& name, const std::string& path);
};

class EmbeddingStore {
 public:
  // Opens or creates the folder. `identity` is everything an embedding depends on besides the picture; a folder with
  // another identity is emptied.
  static Result<EmbeddingStore> open(const std::string& folder, const std::string& identity, std::size_t width);

  const std::string& folder() const { return folder_; }
  // A sentence about damaged records, or empty.
  const std::string& note() const { return note_; }

  bool has(const PictureState& picture) const;
  // Written to the system when it returns. REQUIRES: embedding.size() == width.
  Status add(const PictureState& picture, std::span<const float> embedding);

  // The pictures' embeddings in this order, as a stream with these labels. REQUIRES: has() each of them.
  Result<Stream> stream(std::span<const PictureState> pictures, clip::TextMatrix text, double scale);

 private:
  class Lock;
  EmbeddingStore(std::string folder, std::size_t width, Descriptor file);
  Status load(const std::string& header);
  Status load_records(std::uint64_t count);
  Status begin_anew(const std::string& header);
  Status write_array(std::span<const PictureState> pictures) const;
  std::string path_of(const char* name) const { return folder_ + "/" + name; }
  Error failed(const char* what) const;

  std::string folder_, note_;
  std::size_t width_, record_;  // numbers of an embedding, bytes of a record
  Descriptor file_;
  std::unordered_map<std::string, std::uint64_t> record_of_;  // by key_of()
};

}  // namespace bcp::eval
