// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes the key "presence" into a file of a model, and keeps the rest of the file.

#pragma once

#include <string>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"

namespace bcp::cli {

// The file with the key: bundle.json, or presence.json if the model has no bundle.json.
std::string presence_file(const clip::Bundle& bundle);

// Sets the traits that have a value; other keys stay, in their order. The file is replaced atomically; a link
// is replaced by a file, because it may point into a cache that other programs share.
Status write_presence(const clip::Bundle& bundle, const clip::PresenceTraits& traits);

}  // namespace bcp::cli
