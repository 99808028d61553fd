// A model bundle: a directory with bundle.json, an image tower and a text bank. design: models/README.md.
//
// Opening a bundle reads bundle.json and checks the sha256 of every file it names (cached by path, size and mtime in
// the user's cache directory: a 600 MB model is hashed once, not at each start). It loads no model.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "image/preprocessor.hpp"

namespace bcp::clip {

struct Bundle {
  std::string directory;
  std::string name;
  std::string licence;
  std::string description;  // what it knows, for people; may be empty
  image::TensorSpec tensor;
  double logit_scale = 100;
  int embedding_size = 0;
  std::string visual;            // path of the image tower
  std::string input, output;     // its tensors; empty: found by shape and type
  std::string text_bank;         // path of the text bank
  std::string identity;          // sha256 of the image tower (all its files): what learnt state is bound to
  std::vector<float> self_test;  // the unit embedding of the test picture (image_encoder.hpp), or its first numbers

  static Result<Bundle> open(const std::string& directory);
};

// A bundle's directory from what the user wrote: a path, or a name looked up in GST_BCP_MODEL_PATH (colon separated),
// $XDG_DATA_HOME/gst-bcp/models, each of $XDG_DATA_DIRS/gst-bcp/models, where this build was installed, and last the
// current directory. What has a slash in it is a path, and is not looked at here: Bundle::open does. The error lists
// the places it looked in and the bundles that are there.
Result<std::string> find_bundle(const std::string& name_or_path);

// The name of the bundle that ships with the project.
inline constexpr const char* kDemoBundle = "demo";

}  // namespace bcp::clip
