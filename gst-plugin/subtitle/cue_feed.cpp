// SPDX-License-Identifier: LGPL-2.1-or-later

#include "subtitle/cue_feed.hpp"

#include <algorithm>
#include <utility>

namespace bcp::subtitle {
namespace {

using std::chrono::milliseconds;

// Hours of cues: a downstream element that is this far behind has stopped reading.
constexpr std::size_t kMostItems = 10'000;

constexpr auto kShortestPatience = milliseconds(250);
constexpr auto kPaceAtFirst = milliseconds(100);

bool runs(GstFlowReturn flow) {
  return flow == GST_FLOW_OK || flow == GST_FLOW_NOT_LINKED;
}

ItemPtr text_buffer(const Cue& cue) {
  GstBuffer* buffer = gst_buffer_new_memdup(cue.text.data(), cue.text.size());
  GST_BUFFER_PTS(buffer) = cue.start;
  GST_BUFFER_DURATION(buffer) = cue.end - cue.start;
  return ItemPtr(GST_MINI_OBJECT(buffer));
}

// Extends the gap event `item` to `gap.end`. False if `item` is not a gap event, or if `gap` does not follow it.
bool extend(ItemPtr& item, const Cue& gap) {
  if (!GST_IS_EVENT(item.get()) || GST_EVENT_TYPE(item.get()) != GST_EVENT_GAP) return false;
  GstClockTime start, duration;
  gst_event_parse_gap(GST_EVENT(item.get()), &start, &duration);
  if (!GST_CLOCK_TIME_IS_VALID(duration)) duration = 0;
  if (gap.start < start || gap.start > start + duration) return false;
  item.reset(GST_MINI_OBJECT(gst_event_new_gap(start, std::max(gap.end, start + duration) - start)));
  return true;
}

}  // namespace

CueFeed::CueFeed() : last_frame_(Clock::now()), pace_(kPaceAtFirst) {}

GstFlowReturn CueFeed::add(LabelledFrame frame, const CueSettings& settings) {
  std::unique_lock lock(mutex_);
  emptied_.wait(lock, [this] { return items_.size() < kMostItems || !runs(flow_); });
  if (!runs(flow_)) return flow_;

  const auto now = Clock::now();
  if (const GstClockTime relief = std::exchange(relief_, 0); relief == 0) {
    pace_ = (7 * pace_ + (now - last_frame_)) / 8;
  } else if (now - relieved_ < kShortestPatience / 2) {
    bearable_ = std::min(bearable_, relief);
  }
  last_frame_ = now;

  for (const Cue& cue : track_.add(std::move(frame), settings, bearable_)) append(cue);
  filled_.notify_one();  // also without a new item: next() has to watch an open cue
  return flow_;
}

void CueFeed::add(GstEvent* event) {
  const std::lock_guard lock(mutex_);
  ItemPtr item(GST_MINI_OBJECT(event));
  if (!runs(flow_)) return;
  if (auto cue = track_.cut()) append(*cue);
  track_.clear();
  items_.push_back(std::move(item));
  filled_.notify_one();
}

void CueFeed::append(const Cue& cue) {
  if (!cue.text.empty()) {
    items_.push_back(text_buffer(cue));
    // A muxer that has received the cue waits for the next item before it takes more video. The gap event lets it
    // continue up to the end of the cue.
    items_.push_back(ItemPtr(GST_MINI_OBJECT(gst_event_new_gap(cue.end, GST_CLOCK_TIME_NONE))));
  } else if (items_.empty() || !extend(items_.back(), cue)) {
    items_.push_back(ItemPtr(GST_MINI_OBJECT(gst_event_new_gap(cue.start, cue.end - cue.start))));
  }
}

ItemPtr CueFeed::next() {
  std::unique_lock lock(mutex_);
  while (runs(flow_)) {
    if (!items_.empty()) {
      ItemPtr item = std::move(items_.front());
      items_.pop_front();
      emptied_.notify_one();
      return item;
    }
    track_.withheld() > 0 ? relieve(lock) : filled_.wait(lock);
  }
  return nullptr;
}

// Waits for the next frame for patience(), then sends the open cue up to the last frame.
void CueFeed::relieve(std::unique_lock<std::mutex>& lock) {
  const auto enough = last_frame_ + patience();
  filled_.wait_until(lock, enough);
  if (!runs(flow_) || !items_.empty() || Clock::now() < last_frame_ + patience()) return;
  relief_ = track_.withheld();
  relieved_ = Clock::now();
  if (auto cue = track_.cut()) append(*cue);
}

// Depends on the frame rate, so that cues are not cut only because frames arrive slowly.
CueFeed::Clock::duration CueFeed::patience() const {
  return kShortestPatience + 4 * pace_;
}

void CueFeed::pushed(GstFlowReturn result) {
  const std::lock_guard lock(mutex_);
  if (!runs(flow_)) return;  // stopped in the meantime
  flow_ = result;
  if (runs(flow_)) return;
  items_.clear();
  emptied_.notify_all();
}

void CueFeed::stop() {
  const std::lock_guard lock(mutex_);
  flow_ = GST_FLOW_FLUSHING;
  items_.clear();
  track_.clear();
  filled_.notify_all();
  emptied_.notify_all();
}

void CueFeed::start() {
  const std::lock_guard lock(mutex_);
  flow_ = GST_FLOW_OK;
  last_frame_ = Clock::now();
  pace_ = kPaceAtFirst;
  relief_ = 0;
  bearable_ = GST_CLOCK_TIME_NONE;
}

}  // namespace bcp::subtitle
