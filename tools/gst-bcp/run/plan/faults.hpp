// SPDX-License-Identifier: LGPL-2.1-or-later
// GStreamer's errors, as one sentence that names what is at fault and the way out.

#pragma once

#include <gst/gst.h>

#include <string>

namespace bcp::cli::run {

// About an input that could not be read. `name` is how the input is shown. Passwords are left out.
std::string input_fault(const std::string& name, const GError& error);

// Whether the other side wants to know another user or password: there is no use in trying again.
bool is_refusal(const GError& error);

// Why, in a few words, to be put into another sentence. Passwords are left out.
std::string reason_of(const GError& error);

// What bcptagger has to say about its model and its labels that one may want to change, from a message of type INFO;
// empty where the message is about something else.
std::string read_note(GstMessage* message);

// About a message of type ERROR: the input's fault, an output's, or that of one of our own elements, which is told in
// its own words. `output` is the file that is being made, if any.
std::string pipeline_fault(const std::string& name, const std::string& output, GstMessage* message);

}  // namespace bcp::cli::run
