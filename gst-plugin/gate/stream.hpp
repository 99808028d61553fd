// SPDX-License-Identifier: LGPL-2.1-or-later
//
// A run of bcpgate, as the streaming thread sees it: when the gate opens and closes, and what it holds meanwhile.
//
//   closed: buffers are held for the pre-roll (Hold), and dropped when they are older than that
//   the condition becomes true: what is held passes, then every buffer
//   open: until no buffer for which the condition is true has come for the post-roll
//
// Made at start, dropped at stop; in between only the streaming thread touches it. Call it with no lock held but the
// pad's own: it posts messages and pushes.

#pragma once

#include <gst/gst.h>

#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "gate/hold.hpp"
#include "gate/judge.hpp"
#include "gate/messages.hpp"
#include "gate/outlet.hpp"
#include "gate/settings.hpp"
#include "gate/statistics.hpp"
#include "gate/timeline.hpp"
#include "support/guarded.hpp"
#include "support/small_pools.hpp"

namespace bcp::gate {

class Stream {
 public:
  // The element, its pads and the statistics outlive the stream. An error: the condition is invalid.
  static Result<std::unique_ptr<Stream>> open(GstElement* element, GstPad* sink, GstPad* src, const Settings& settings,
                                              gst::Guarded<Statistics>& statistics);

  GstFlowReturn take(gst::BufferPtr buffer, const Settings& settings);
  // A serialised event.
  bool take(gst::EventPtr event, const Settings& settings);

  // Whether events are held that downstream does not know yet.
  bool holds_events() const { return hold_.has_events(); }

  // FLUSH_STOP came.
  void flush();
  // The run is over.
  void stop();

 private:
  Stream(GstElement* element, GstPad* sink, GstPad* src, condition::Condition condition, const Settings& settings,
         gst::Guarded<Statistics>& statistics);

  void update_condition(const std::string& text);
  void move_to(Timeline::Moment now);
  bool judge(GstBuffer* buffer, bool same_time);
  bool is_over(GstClockTime post_roll) const;
  void warn_without_labels();

  GstFlowReturn open_with(gst::BufferPtr buffer, const Settings& settings);
  void close(const char* reason);
  void keep(gst::BufferPtr buffer, const Settings& settings);
  gst::BufferPtr keepable(GstBuffer* buffer);
  void drop(Hold::Items items);
  GstFlowReturn pass(Hold::Items items);
  void discard(const Hold::Items& items);
  void count_held();

  GstElement* const element_;
  GstPad* const sink_;
  GstPad* const src_;
  gst::Guarded<Statistics>& statistics_;
  Judge judge_;
  std::string tried_;  // the condition as it was last set, valid or not
  Outlet outlet_;
  Hold hold_;
  Timeline timeline_;
  gst::SmallPools pools_;
  GstSegment segment_;  // of the buffers that come
  bool is_raw_ = false;

  std::optional<gint64> now_;  // time of the newest buffer
  Position at_;                // of the newest buffer
  bool truth_ = false;         // of the newest buffer
  gint64 last_true_ = 0;       // time of the newest buffer for which the condition was true

  bool is_open_ = false;
  GstClockTime open_for_ = 0;  // since it opened
  Labels reasons_;             // since it opened

  gint64 first_ = 0;  // time of the first buffer
  bool has_labels_ = false, warned_without_labels_ = false, warned_short_ = false;
};

}  // namespace bcp::gate
