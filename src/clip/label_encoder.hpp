// SPDX-License-Identifier: LGPL-2.1-or-later
// From labels to what frames are scored against, with what the model has: a text bank, embeddings computed before, or
// its text tower, which is loaded when a text is met that is not known and given back when it is no longer needed.
//
// Thread safety: any thread; encodings wait for each other, and may so for as long as one takes. Who waits is asked
// like who encodes whether to go on.

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

// Text embeddings that a bundle brings.
struct TextBanks {
  std::optional<TextBank> labels;
  std::optional<TextBank> context;
};

class LabelEncoder {
 public:
  // `bundle` has the embedding size of its image tower; `banks` are the bundle's, where it has them.
  LabelEncoder(Bundle bundle, TextBanks banks, const onnx::SessionOptions& options);

  // The labels the bundle itself brings: those of its text bank.
  Result<LabelSet> own() const;

  // The context words the bundle itself brings; empty if it brings none.
  std::vector<std::string> own_context() const;

  // Which of these labels the model probably does not know (Bundle::known_cosine). The names themselves are judged: a
  // template moves the embedding of every label away from those of the bank. It may run the text tower.
  Result<std::vector<std::string>> unfamiliar(std::span<const Label> labels);

  // Told after each piece of work, and now and then while others encode, how many texts of how many are done; false
  // stops it.
  using Progress = std::function<bool(std::size_t done, std::size_t total)>;

  // A label that one of the bundle's banks has keeps the embedding it has there, unless templates or synonyms are
  // given. Otherwise it is the normalised mean over its names (itself and its synonyms) in its templates: its own, else
  // `templates`, else the bundle's, else kDefaultTemplate. A model without a text tower has what is in its bank: other
  // labels are an error that names similar ones, and so are templates and synonyms, which it cannot follow.
  Result<LabelSet> encode(std::vector<Label> labels, std::span<const std::string> templates, const Progress& progress);

  // Context words (decide/context_words.hpp): those of `words` that the model can encode. With a text tower these are
  // all of them. Without one they are those of the bank, and `words` are ignored: a bank competes with what it has.
  Result<LabelSet> encode_context(std::vector<Label> words, std::span<const std::string> templates,
                                  const Progress& progress);

  // Gives back the memory of the text tower and of what was encoded; both are loaded again when they are needed. Does
  // nothing while somebody encodes.
  void release();

  // Texts that went through the tower so far.
  std::size_t texts_run() const;

 private:
  Result<LabelSet> select(std::vector<Label> labels, std::span<const std::string> templates) const;
  // The embedding of a label that a bank has.
  using Row = decltype(std::declval<const TextMatrix&>().row(0));
  std::optional<Row> known_to_bank(const Label& label, std::span<const std::string> templates) const;
  std::vector<std::string> prompts(const Label& label, std::span<const std::string> templates) const;
  class Turn;
  // Makes the embeddings of all texts known to the cache. REQUIRES: it is the caller's turn.
  Status prepare(const std::vector<std::string>& texts, const Progress& progress);

  const Bundle bundle_;
  const TextBanks banks_;
  const onnx::SessionOptions options_;
  mutable std::mutex mutex_;  // a leaf: guards whose turn it is, and texts_run_
  std::condition_variable free_;
  bool busy_ = false;
  std::size_t texts_run_ = 0;
  // Whose turn it is has these.
  std::optional<EmbeddingCache> cache_;  // while there is work for the tower
  std::unique_ptr<TextEncoder> tower_;
};

}  // namespace bcp::clip
