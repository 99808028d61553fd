// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes the key "presence" into the files of a model, and leaves the rest of them as it is.

#pragma once

#include <string>

#include "base/result.hpp"
#include "clip/bundle/bundle.hpp"

namespace bcp::cli {

// The file that holds the key: bundle.json, or presence.json where the model has no bundle.json.
std::string presence_file(const clip::Bundle& bundle);

// Sets the traits that have a value; other keys stay, in their order. The file is replaced in one step; a link
// is replaced by a file, because it may lead into a cache that other programs share.
Status write_presence(const clip::Bundle& bundle, const clip::PresenceTraits& traits);

}  // namespace bcp::cli
