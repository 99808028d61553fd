// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/common/line_splitter.hpp"

namespace bcp::cli {

void LineSplitter::add(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    keep(piece.substr(0, end));
    if (end == std::string_view::npos) return;
    hand_over();
    piece.remove_prefix(end + 1);
  }
}

void LineSplitter::finish() {
  if (!line_.empty() || too_long_) hand_over();
}

void LineSplitter::keep(std::string_view part) {
  too_long_ = too_long_ || line_.size() + part.size() > kMaxLine;
  if (too_long_)
    line_.clear();
  else
    line_ += part;
}

void LineSplitter::hand_over() {
  if (std::exchange(too_long_, false))
    take_(std::nullopt);
  else
    take_(std::string_view(line_));
  line_.clear();
}

}  // namespace bcp::cli
