// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Embeddings of a data set's pictures, kept on disk from the moment they are computed: whoever is stopped, even killed,
// goes on where he was. One folder for one model with its preprocessing and one data set:
//
//   pictures        the embeddings, one record a picture, each with a checksum
//   embeddings.npy  those that were asked for last, row by row, as NumPy reads them, and
//   pictures.txt    the names of their pictures
//
// A picture is known by its name, size and time of change: one that changed is another picture. A record that does not
// check out is computed again. Several processes may use one folder at once: records are appended whole, under a lock
// that is held for a moment.
//
// Memory: an entry of some 100 bytes for each picture; embeddings stay on disk.
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

// A picture as it is now.
struct PictureState {
  std::string name;  // the data set's own
  std::uint64_t size = 0;
  std::int64_t changed = 0;  // nanoseconds

  // Fails for what is not a file.
  static Result<PictureState> of(const std::string& name, const std::string& path);
};

class EmbeddingStore {
 public:
  // Opens the folder, or makes it. `identity` is all that an embedding depends on besides the picture; a folder of
  // another identity is begun anew.
  static Result<EmbeddingStore> open(const std::string& folder, const std::string& identity, std::size_t width);

  const std::string& folder() const { return folder_; }
  // A sentence about what was found damaged, or empty.
  const std::string& note() const { return note_; }

  bool has(const PictureState& picture) const;
  // On disk when it returns, as far as the system is concerned. REQUIRES: embedding.size() == width.
  Status add(const PictureState& picture, std::span<const float> embedding);

  // The pictures' embeddings in this order, as a stream against these labels. REQUIRES: has() each of them.
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
