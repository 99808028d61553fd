// SPDX-License-Identifier: LGPL-2.1-or-later
// From a data set's pictures to their embeddings: decode, preprocess, encode, cache.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/model.hpp"
#include "eval/datasets/dataset.hpp"
#include "eval/embedding_store.hpp"
#include "image/preprocessor.hpp"

namespace bcp::cli {

struct EncodedPictures {
  std::vector<std::size_t> rows;             // pictures of the data set that have an embedding, in its order,
  std::vector<eval::PictureState> pictures;  // and their state in the store
  std::vector<std::string> notes;            // about those without one
};

// The text for the store's identity: all that the embeddings depend on besides the pictures.
std::string embedding_identity(const clip::Bundle& bundle, image::Coverage coverage);

// Encodes the pictures that are missing in the store, and shows the progress. A picture that cannot be read or encoded
// is ignored; if none can, it is an error. Ctrl-C is an error too, after the embeddings in progress are stored: the
// next call resumes.
Result<EncodedPictures> encode_pictures(const eval::Dataset& set, clip::Model& model, image::Coverage coverage,
                                        eval::EmbeddingStore& store);

}  // namespace bcp::cli
