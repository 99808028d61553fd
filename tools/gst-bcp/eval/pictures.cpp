// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/eval/pictures.hpp"

#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include "gst-bcp/common/encoding_progress.hpp"
#include "gst-bcp/common/interrupt.hpp"
#include "gst-bcp/eval/picture_feed.hpp"

namespace bcp::cli {
namespace {

// Increase it when the same picture may get another embedding from the same model, which invalidates older caches.
constexpr const char* kCacheVersion = "1";
// After this many failures in a row the tower is broken, not the pictures.
constexpr int kBroken = 16;

std::string number(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
  return text;
}

class Encoding {
 public:
  Encoding(const eval::Dataset& set, const std::vector<eval::PictureState>& states, clip::Model& model,
           eval::EmbeddingStore& store)
      : set_(set), states_(states), model_(model), store_(store) {}

  // The pictures with these numbers.
  Status run(const std::vector<std::size_t>& wanted, const PictureInput& input, EncodingProgress& progress);
  // Sentences, by the picture's number.
  const std::map<std::size_t, std::string>& faults() const { return faults_; }

 private:
  Status run_batch(std::vector<FedPicture>& batch, const std::vector<std::size_t>& wanted);

  const eval::Dataset& set_;
  const std::vector<eval::PictureState>& states_;
  clip::Model& model_;
  eval::EmbeddingStore& store_;
  std::map<std::size_t, std::string> faults_;
  int failed_in_a_row_ = 0;
};

Status Encoding::run(const std::vector<std::size_t>& wanted, const PictureInput& input, EncodingProgress& progress) {
  std::vector<std::string> paths;
  for (const std::size_t picture : wanted) paths.push_back(set_.path(picture));
  const Interrupt interrupt;
  PictureFeed feed(std::move(paths), input);
  std::size_t done = 0;
  std::vector<FedPicture> batch;
  while (std::optional<FedPicture> picture = feed.next()) {
    // On CUDA: all that is ready, up to a batch.
    const auto most = static_cast<std::size_t>(model_.images().batch_size());
    for (batch.clear(); picture; picture = batch.size() < most ? feed.next_if_ready() : std::nullopt)
      batch.push_back(*std::move(picture));
    if (Status ran = run_batch(batch, wanted); !ran) return ran;
    done += batch.size();
    progress.done(batch.size());
    for (FedPicture& each : batch) feed.give_back(std::move(each));
    if (Interrupt::came())
      return Error{ErrorCode::kRuntime,
                   "stopped with " + std::to_string(states_.size() - wanted.size() + done - faults_.size()) + " of " +
                       std::to_string(states_.size()) + " pictures encoded: run the same command again to resume"};
  }
  return ok();
}

Status Encoding::run_batch(std::vector<FedPicture>& batch, const std::vector<std::size_t>& wanted) {
  std::vector<clip::Pictures> requests;
  std::vector<FedPicture*> encoded;
  for (FedPicture& picture : batch) {
    if (picture.state) {
      requests.push_back(picture.frame->pictures());
      encoded.push_back(&picture);
    } else {
      faults_[wanted[picture.number]] = picture.state.error().message;
    }
  }
  if (requests.empty()) return ok();
  std::vector<Status> results(requests.size(), ok());
  model_.images().encode(requests, results);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::size_t picture = wanted[encoded[i]->number];
    const Result<std::span<const float>> embedding =
        results[i] ? encoded[i]->frame->embedding() : Result<std::span<const float>>(results[i].error());
    if (embedding) {
      failed_in_a_row_ = 0;
      if (Status kept = store_.add(states_[picture], *embedding); !kept) return kept;
      continue;
    }
    faults_[picture] = set_.path(picture) + " cannot be encoded: " + embedding.error().message;
    if (++failed_in_a_row_ == kBroken) return embedding.error();
  }
  return ok();
}

std::string sentence_of(const eval::Dataset& set, const std::map<std::size_t, std::string>& faults) {
  std::vector<std::string> names;
  for (const auto& [picture, fault] : faults) names.push_back(set.pictures[picture]);
  return std::to_string(faults.size()) + " of " + std::to_string(set.pictures.size()) +
         " pictures cannot be read and were ignored: " + eval::some_of(names) + "; " + faults.begin()->second;
}

}  // namespace

std::string embedding_identity(const clip::Bundle& bundle, image::Coverage coverage) {
  std::string text =
      std::string(kCacheVersion) + "\n" + bundle.identity + "\n" + bundle.visual.input + "\n" + bundle.visual.output +
      "\n" + std::to_string(static_cast<int>(coverage)) + "\n" + std::to_string(static_cast<int>(bundle.tensor.crop)) +
      "\n" + std::to_string(static_cast<int>(bundle.tensor.filter)) + "\n" +
      std::to_string(static_cast<int>(bundle.tensor.resize)) + "\n" + std::to_string(bundle.tensor.resize_to) + "\n" +
      std::to_string(bundle.tensor.size) + "\n" + std::to_string(bundle.embedding_size);
  for (const auto& values : {bundle.tensor.mean, bundle.tensor.std})
    for (const float value : values) text.append("\n").append(number(value));
  return text;
}

Result<EncodedPictures> encode_pictures(const eval::Dataset& set, clip::Model& model, image::Coverage coverage,
                                        eval::EmbeddingStore& store) {
  std::vector<eval::PictureState> states;
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < set.pictures.size(); ++i) {
    Result<eval::PictureState> state = eval::PictureState::of(set.pictures[i], set.path(i));
    if (!state) return state.error();
    if (!store.has(*state)) wanted.push_back(i);
    states.push_back(*std::move(state));
  }
  Encoding encoding(set, states, model, store);
  {
    EncodingProgress progress(set.pictures.size(), set.pictures.size() - wanted.size());
    const PictureInput input{model.bundle().tensor, coverage, model.images().embedding_size()};
    if (const Status ran = encoding.run(wanted, input, progress); !ran) return ran.error();
  }
  if (encoding.faults().size() == set.pictures.size())
    return Error{ErrorCode::kInvalid, "none of the " + std::to_string(set.pictures.size()) + " pictures of " +
                                          set.name + " can be read: " + encoding.faults().begin()->second};
  EncodedPictures encoded;
  if (!encoding.faults().empty()) encoded.notes.push_back(sentence_of(set, encoding.faults()));
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (encoding.faults().contains(i)) continue;
    encoded.rows.push_back(i);
    encoded.pictures.push_back(std::move(states[i]));
  }
  return encoded;
}

}  // namespace bcp::cli
