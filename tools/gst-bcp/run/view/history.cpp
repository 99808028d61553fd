// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/view/history.hpp"

#include <algorithm>
#include <utility>

namespace bcp::cli::view {

std::vector<std::uint64_t> History::see(const std::vector<run::ShownLabel>& labels, double now) {
  std::vector<std::uint64_t> began;
  for (Span& span : spans_) {
    if (!span.open) continue;
    const bool shown = std::any_of(labels.begin(), labels.end(),
                                   [&](const run::ShownLabel& label) { return label.name == span.label; });
    if (shown) continue;
    span.open = false;
    span.end = now;
    touch(span);
  }
  for (const run::ShownLabel& label : labels) {
    Span* span = last_of(label.name);
    if (!span || (!span->open && now - span->end > kGap)) {
      span = &spans_.emplace_back(Span{++next_id_, label.name, now, now, 0, true});
      began.push_back(span->id);
    }
    const bool news = !span->open || label.probability > span->peak + 0.01;
    span->open = true;
    span->end = now;
    span->peak = std::max(span->peak, label.probability);
    if (news) touch(*span);
  }
  forget(now);
  return began;
}

void History::end(double now) {
  for (Span& span : spans_) {
    if (!span.open) continue;
    span.open = false;
    span.end = now;
    touch(span);
  }
}

std::vector<Span> History::take_changes() {
  std::vector<Span> changes;
  for (const std::uint64_t id : std::exchange(changed_, {})) {
    const auto span = std::find_if(spans_.begin(), spans_.end(), [id](const Span& each) { return each.id == id; });
    if (span != spans_.end()) changes.push_back(*span);
  }
  return changes;
}

Span* History::last_of(const std::string& label) {
  const auto found =
      std::find_if(spans_.rbegin(), spans_.rend(), [&](const Span& span) { return span.label == label; });
  return found == spans_.rend() ? nullptr : &*found;
}

void History::touch(const Span& span) {
  if (std::find(changed_.begin(), changed_.end(), span.id) == changed_.end()) changed_.push_back(span.id);
}

void History::forget(double now) {
  while (!spans_.empty() && (spans_.size() > kMostSpans || (!spans_.front().open && now - spans_.front().end > kKept)))
    spans_.pop_front();
}

}  // namespace bcp::cli::view
