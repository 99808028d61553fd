// SPDX-License-Identifier: LGPL-2.1-or-later
// GStreamer's errors as one sentence: what failed, on which input or file, and what to do.

#pragma once

#include <gst/gst.h>

#include <string>

namespace bcp::cli::run {

// About an input that could not be read. `name` is how the input is shown. Passwords are removed.
std::string input_fault(const std::string& name, const GError& error);

// Whether the server rejected the user or password: a retry is useless.
bool is_refusal(const GError& error);

// The reason in a few words, for use in another sentence. Passwords are removed.
std::string reason_of(const GError& error);

// What bcptagger reports about its model and labels that the user may want to change, from a message of type INFO;
// empty for other messages.
std::string read_note(GstMessage* message);

// About a message of type ERROR of the input, of an output, or of one of our own elements, whose text is kept.
// `output` is the file that is being written, if any.
std::string pipeline_fault(const std::string& name, const std::string& output, GstMessage* message);

}  // namespace bcp::cli::run
