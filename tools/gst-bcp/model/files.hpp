// SPDX-License-Identifier: LGPL-2.1-or-later
// The files a bundle consists of.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clip/bundle/bundle.hpp"

namespace bcp::cli {

struct BundleFile {
  std::string path;
  std::uintmax_t bytes = 0;
};

// Towers (with the files their weights are in), vocabulary and text bank, each once.
std::vector<BundleFile> files_of(const clip::Bundle& bundle);

std::uintmax_t size_of(const std::vector<BundleFile>& files);

}  // namespace bcp::cli
