// SPDX-License-Identifier: LGPL-2.1-or-later
// A comparison as text in columns, or as Markdown.

#pragma once

#include <iosfwd>

#include "gst-bcp/paper/comparison.hpp"

namespace bcp::cli::paper {

enum class Form { kText, kMarkdown };

void show(std::ostream& out, const Comparison& comparison, Form form);
// The methods that are not for live video, and why.
void show_not_live(std::ostream& out, Form form);

}  // namespace bcp::cli::paper
