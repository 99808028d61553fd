// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels to embeddings: from a text bank, from cached embeddings, or with the text tower, which is loaded for an
// unknown text and released when it is no longer needed.
//
// Thread safety: any thread; encodings run one at a time. `progress` is also called while queued, so a waiting caller
// can cancel.

#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"
#include "clip/embedding_cache.hpp"
#include "clip/text_bank.hpp"
#include "clip/text_encoder.hpp"
#include "onnx/execution.hpp"

namespace bcp::clip {

// The text embeddings of a bundle.
struct TextBanks {
  std::optional<TextBank> labels;
  std::optional<TextBank> context;
};

class LabelEncoder {
 public:
  // `bundle` has the embedding size of its image tower; `banks` are those of the bundle, if any.
  LabelEncoder(Bundle bundle, TextBanks banks, const onnx::SessionOptions& options);

  // The labels of the bundle: those of its text bank.
  Result<LabelSet> own() const;

  // The context words of the bundle; may be empty.
  std::vector<std::string> own_context() const;

  // The labels that the model probably does not know (Bundle::known_cosine). Judged by the bare names: a template would
  // move every label away from the bank. May run the text tower.
  Result<std::vector<std::string>> unfamiliar(std::span<const Label> labels);

  // Called after each batch, and regularly while other callers encode, with the number of texts done and the total;
  // returning false stops the encoding.
  using Progress = std::function<bool(std::size_t done, std::size_t total)>;

  // A label in one of the bundle's banks gets the embedding from there, unless it has templates or synonyms. Otherwise
  // it is the normalised mean over its names (itself and its synonyms) in its templates: its own, else `templates`,
  // else the bundle's, else kDefaultTemplate. Without a text tower, a label outside the bank is an error that names
  // similar ones, and templates or synonyms are an error.
  Result<LabelSet> encode(std::vector<Label> labels, std::span<const std::string> templates, const Progress& progress);

  // Context words (decide/context_words.hpp): those of `words` that the model can encode. With a text tower these are
  // all of them; without one, the words of the bank are used and `words` is ignored.
  Result<LabelSet> encode_context(std::vector<Label> words, std::span<const std::string> templates,
                                  const Progress& progress);

  // Frees the text tower and the cached embeddings; both are loaded again when needed. Does nothing during an encoding.
  void release();

  // Texts encoded by the tower so far.
  std::size_t texts_run() const;

 private:
  Result<LabelSet> select(std::vector<Label> labels, std::span<const std::string> templates) const;
  // The embedding of a label that a bank has.
  using Row = decltype(std::declval<const TextMatrix&>().row(0));
  std::optional<Row> known_to_bank(const Label& label, std::span<const std::string> templates) const;
  std::vector<std::string> prompts(const Label& label, std::span<const std::string> templates) const;
  class Turn;
  // Adds the embeddings of all texts to the cache. REQUIRES: the caller has the turn.
  Status prepare(const std::vector<std::string>& texts, const Progress& progress);

  const Bundle bundle_;
  const TextBanks banks_;
  const onnx::SessionOptions options_;
  mutable std::mutex mutex_;  // a leaf lock: guards the turn and texts_run_
  std::condition_variable free_;
  bool busy_ = false;
  std::size_t texts_run_ = 0;
  // Used only by the caller with the turn.
  std::optional<EmbeddingCache> cache_;  // while there is work for the tower
  std::unique_ptr<TextEncoder> tower_;
};

}  // namespace bcp::clip
