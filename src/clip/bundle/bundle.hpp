// SPDX-License-Identifier: LGPL-2.1-or-later
// A model on disk: an image tower with a text tower, a text bank, or both. Design: models/README.md.
//
// It is described by a bundle.json (read_manifest.cpp), or has a known layout (recognise.cpp): then size,
// normalisation, tokenizer and tensors come from the configuration files and the ONNX files. Missing values default to
// those of OpenAI's CLIP, and `notes` lists them.
//
// Opening a bundle checks the sha256 of its files if bundle.json has them. Checksums are cached by path, size and mtime
// in the user's cache directory, so that a 600 MB model is hashed once, not at each start. Opening loads no model.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "image/preprocessor.hpp"
#include "tokenize/tokenizer.hpp"

namespace bcp::clip {

struct ImageTower {
  std::string file;           // path
  std::string input, output;  // its tensors; empty: found by shape, type and known names
};

struct TextTower {
  std::string file;               // path; the same as the image tower's if one file has both
  std::string ids, mask, output;  // its tensors; empty: found by shape, type and known names
  std::string vocabulary;         // path; empty: CLIP's
  int context_length = 77;
  std::optional<tokenize::TokenId> padding;  // empty: the vocabulary's, else 0
  // Pads every text to the full length, and padding counts like any token (SigLIP takes its embedding from the last
  // position). If false, padding may be left out when that does not change the embedding.
  bool pad_to_length = false;
  bool lowercase = false;  // texts are converted to lower case first, also if the vocabulary does not (SigLIP 2)

  // The expected result for one text; `text` is empty if the bundle does not have it.
  struct SelfTest {
    std::string text;
    std::vector<tokenize::TokenId> tokens;  // with start and end, without padding
    std::vector<float> embedding;           // unit length, or its first numbers; may be empty
  } self_test;
};

// How the scores of a model become probabilities.
enum class Scoring {
  kSoftmax,  // CLIP: labels compete; a score only has a meaning relative to others
  kSigmoid,  // SigLIP: sigmoid(score) is the probability of one label, independent of others; scores contain a bias
};

// The model's values for presence (decide/presence.hpp).
struct PresenceTraits {
  // Scoring::kSoftmax:
  std::optional<double> scale;           // factor on the scores; empty: not measured
  std::optional<double> prior_strength;  // 1 for zero-shot encoders, 0.5 for those trained on labels; empty: 1
  std::optional<double> cut;             // how far scores differ between shots (decide/shot_mean.hpp); empty: 2.5
  std::optional<double> alias_cosine;    // words whose text embeddings are at least this close are synonyms
  // Scoring::kSigmoid: the probability is sigmoid(slope * score + offset). Empty: not measured.
  std::optional<double> slope, offset;
};

struct Bundle {
  std::string directory;
  std::string name;
  std::string licence;      // empty: unknown
  std::string description;  // for people; may be empty
  std::string layout;       // how it was recognised: "bundle.json", "Hugging Face", "Immich", ...
  image::TensorSpec tensor;
  Scoring scoring = Scoring::kSoftmax;
  double logit_scale = 100;  // score = logit_scale * cosine + logit_bias
  double logit_bias = 0;     // Scoring::kSigmoid only
  int embedding_size = 0;    // 0: not known before the towers run
  ImageTower visual;
  bool int8 = false;  // the image tower is an int8 variant, by its file's name or by bundle.json's variant.precision
  std::optional<TextTower> textual;  // this or text_bank is set
  std::string text_bank;             // path, or empty
  std::string context_bank;          // path, or empty: context words of the model (decide/context_words.hpp)
  // The model probably does not know a label whose text embedding has a lower cosine with every label of the text bank.
  // Empty: the model knows any word, or this was not measured.
  std::optional<double> known_cosine;
  std::vector<std::string> templates;  // of prompts; empty: the default
  PresenceTraits presence;
  std::string identity;            // sha256 of the image tower (all its files): prior files are bound to it
  std::string text_identity;       // the same of the text tower and vocabulary: cached embeddings are bound to it
  std::vector<float> self_test;    // the unit embedding of the test picture (image_encoder.hpp), or its first numbers
  std::vector<std::string> notes;  // sentences about assumed values

  // `path` is a directory, or one .onnx file in it, to choose one of several variants: that file is then the image
  // tower, with its matching text tower.
  static Result<Bundle> open(const std::string& path);
};

// The traits in use. For a sigmoid model they come from its files. The presence rule was fitted on CLIP with OpenAI's
// logit scale 100: its scale is 1. Other models have no scale until it is measured (gst-bcp model calibrate).
PresenceTraits presence_traits(const Bundle& bundle);

// The directory of a bundle from a path or a name. A name is searched in GST_BCP_MODEL_PATH (colon separated),
// $XDG_DATA_HOME/gst-bcp/models, each of $XDG_DATA_DIRS/gst-bcp/models, this build's installation, and last the current
// directory. Text with a slash is a path and returned unchecked: Bundle::open checks it. The error lists the searched
// places and the bundles found there.
Result<std::string> find_bundle(const std::string& name_or_path);

// The directories searched for a name, in that order; they need not exist.
std::vector<std::string> bundle_places();
// Every directory with a bundle in these places, valid or not, in search order: of several with the same name,
// find_bundle returns the first.
std::vector<std::string> list_bundles();

// The name of the bundle that ships with the project.
inline constexpr const char* kBundledModel = "mini";

}  // namespace bcp::clip
