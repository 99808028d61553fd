// SPDX-License-Identifier: LGPL-2.1-or-later
// Recommended models, under short names.

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace bcp::cli::get {

struct KnownModel {
  std::string_view name;        // for the command line
  std::string_view repository;  // on Hugging Face; empty: a checkpoint of OpenAI's, which is exported
  std::string_view size;        // of the download in 32-bit floats
  std::string_view licence;     // of the weights
  std::string_view speed;       // of the image tower, per frame, on one core of the test machine
  std::string_view good_for;
};

std::span<const KnownModel> known_models();

// By any of its common names: "clip-vit-b32", "ViT-B/32", "openai/clip-vit-base-patch32". Null: not known.
const KnownModel* find_known(const std::string& name);

// The known model with the most similar name or repository; empty: none is similar.
std::string nearest_known(const std::string& name);

// A name without the parts that people write differently: "ViT-B/32", "clip-vit-b32" and "vit_b_32.pt" are all
// "vitb32".
std::string canonical(const std::string& name);

}  // namespace bcp::cli::get
