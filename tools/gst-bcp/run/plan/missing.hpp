// SPDX-License-Identifier: LGPL-2.1-or-later
// Missing GStreamer plugins, and the Debian packages that contain them.

#pragma once

#include <string>

namespace bcp::cli::run {

// The package that has an element ("x264enc" is in "gstreamer1.0-plugins-ugly"), or an empty text.
std::string package_of(const std::string& element);

// One sentence about a missing plugin, from GStreamer's text for installers
// ("gstreamer|1.0|gst-bcp|H.265 (Main Profile) decoder|decoder-video/x-h265, ...").
std::string missing_sentence(const std::string& input, const std::string& installer_detail);

// The error for a picture format that neither OpenCV nor GStreamer decodes (AVIF, HEIC), detected by the first bytes of
// the file; empty for any other file. `input` is how it is shown.
std::string undecodable_picture(const std::string& input, const std::string& path);

}  // namespace bcp::cli::run
