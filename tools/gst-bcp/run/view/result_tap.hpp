// SPDX-License-Identifier: LGPL-2.1-or-later
// The newest result behind a tagger, with the scores of all labels: messages have those of shown labels only.
//
// A frame costs the streaming thread one comparison; a new result, a reference. Any thread, except for making and
// destroying it.

#pragma once

#include <gst/gst.h>

#include <memory>

#include "support/owners.hpp"

namespace bcp::cli::view {

class ResultTap {
 public:
  explicit ResultTap(GstElement* tagger);
  ~ResultTap();
  ResultTap(const ResultTap&) = delete;
  ResultTap& operator=(const ResultTap&) = delete;

  // Of a whole frame; null: none yet.
  gst::BcpResultPtr newest() const;

 private:
  struct State;
  const gst::PadPtr pad_;
  const std::shared_ptr<State> state_;
  gulong probe_ = 0;
};

}  // namespace bcp::cli::view
