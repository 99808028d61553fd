// SPDX-License-Identifier: LGPL-2.1-or-later
// The way from a data set's pictures to their embeddings: decode, preprocess, encode, keep.

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
  std::vector<eval::PictureState> pictures;  // and as the store knows them
  std::vector<std::string> notes;            // about those that have none
};

// What the store's identity must be made of: all that the embeddings depend on besides the pictures.
std::string embedding_identity(const clip::Bundle& bundle, image::Coverage coverage);

// Encodes the pictures the store does not have, and shows how far that is. A picture that cannot be read or encoded is
// left out; if that is none of them, it is an error. So is Ctrl-C, once what is under way is kept: the next call goes
// on from there.
Result<EncodedPictures> encode_pictures(const eval::Dataset& set, clip::Model& model, image::Coverage coverage,
                                        eval::EmbeddingStore& store);

}  // namespace bcp::cli
