// SPDX-License-Identifier: LGPL-2.1-or-later
// A model on disk: an image tower with a text tower, a text bank, or both. design: models/README.md.
//
// It is described by a bundle.json (read_manifest.cpp), or it is in one of the layouts people already have
// (recognise.cpp): then size, normalisation, tokenizer and tensors come from the configuration files beside it and from
// the ONNX files themselves. What neither tells is assumed as OpenAI's CLIP has it, and said in `notes`.
//
// Opening a bundle checks its files (sha256, where bundle.json gives them; hashes are cached by path, size and mtime in
// the user's cache directory: a 600 MB model is hashed once, not at each start). It loads no model.

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
  std::string file;               // path; the image tower's own where one file holds both
  std::string ids, mask, output;  // its tensors; empty: found by shape, type and known names
  std::string vocabulary;         // path; empty: CLIP's own
  int context_length = 77;
  std::optional<tokenize::TokenId> padding;  // none: what the vocabulary says, else 0
  // Every text is padded to the full length, and the tower looks at padding as at any token (SigLIP, which takes its
  // embedding from the last place); else padding may be left out where that changes nothing.
  bool pad_to_length = false;
  bool lowercase = false;  // texts are lowered in case first, whatever the vocabulary says (SigLIP 2)

  // What the tower must make of one text, where the bundle tells; `text` is empty where it does not.
  struct SelfTest {
    std::string text;
    std::vector<tokenize::TokenId> tokens;  // with start and end, without padding
    std::vector<float> embedding;           // unit length, or its first numbers; may be empty
  } self_test;
};

// How the scores of a model are to be read.
enum class Scoring {
  kSoftmax,  // CLIP: labels compete, so a score means something beside other scores only
  kSigmoid,  // SigLIP: sigmoid(score) is the probability of one label, whatever the others; scores contain a bias
};

// What presence (decide/presence.hpp) has to know about the model.
struct PresenceTraits {
  // Scoring::kSoftmax:
  std::optional<double> scale;           // on the scores; none: nobody has measured it
  std::optional<double> prior_strength;  // 1 for zero-shot encoders, 0.5 for those trained on labels; none: 1
  std::optional<double> cut;             // how far scores differ from shot to shot (decide/shot_mean.hpp); none: 2.5
  std::optional<double> alias_cosine;    // two words whose text embeddings are as near as this mean the same
  // Scoring::kSigmoid: the probability is sigmoid(slope * score + offset). None: nobody has measured them.
  std::optional<double> slope, offset;
};

struct Bundle {
  std::string directory;
  std::string name;
  std::string licence;      // empty: unknown
  std::string description;  // what it knows, for people; may be empty
  std::string layout;       // what it was recognised as: "bundle.json", "Hugging Face", "Immich", ...
  image::TensorSpec tensor;
  Scoring scoring = Scoring::kSoftmax;
  double logit_scale = 100;  // score = logit_scale * cosine + logit_bias
  double logit_bias = 0;     // Scoring::kSigmoid only
  int embedding_size = 0;    // 0: not known before the towers run
  ImageTower visual;
  bool int8 = false;  // the image tower is an int8 variant, by its file's name or by bundle.json's variant.precision
  std::optional<TextTower> textual;  // at least one of these two is there
  std::string text_bank;             // path, or empty
  std::string context_bank;          // path, or empty: the model's own context words (decide/context_words.hpp)
  // A label whose text embedding has a lower cosine with every label of the text bank is one the model probably does
  // not know. None: the model knows any word, or nobody has measured which.
  std::optional<double> known_cosine;
  std::vector<std::string> templates;  // of prompts; empty: the default
  PresenceTraits presence;
  std::string identity;            // sha256 of the image tower (all its files): what learnt state is bound to
  std::string text_identity;       // the same of the text tower and its vocabulary: what cached embeddings are bound to
  std::vector<float> self_test;    // the unit embedding of the test picture (image_encoder.hpp), or its first numbers
  std::vector<std::string> notes;  // sentences about what had to be assumed

  // `path` is a directory, or one .onnx file in it, which then is the image tower (and the text tower that goes with
  // it is taken): so one of several variants is chosen.
  static Result<Bundle> open(const std::string& path);
};

// The traits in use. A model that is scored with a sigmoid has what its files say. A CLIP with OpenAI's logit scale,
// 100, is what the rule was fitted on: its scale is 1. Others have none until somebody measures it (gst-bcp model
// calibrate).
PresenceTraits presence_traits(const Bundle& bundle);

// A bundle's directory from what the user wrote: a path, or a name looked up in GST_BCP_MODEL_PATH (colon separated),
// $XDG_DATA_HOME/gst-bcp/models, each of $XDG_DATA_DIRS/gst-bcp/models, where this build was installed, and last the
// current directory. What has a slash in it is a path, and is not looked at here: Bundle::open does. The error lists
// the places it looked in and the bundles that are there.
Result<std::string> find_bundle(const std::string& name_or_path);

// The directories a name is looked up in, in that order; they need not exist.
std::vector<std::string> bundle_places();
// Every directory in these places that holds a bundle, sound or not, in the order find_bundle meets them: of several
// with the same name, the first is the one it takes.
std::vector<std::string> list_bundles();

// The name of the bundle that ships with the project.
inline constexpr const char* kBundledModel = "mini";

}  // namespace bcp::clip
