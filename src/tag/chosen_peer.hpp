// SPDX-License-Identifier: LGPL-2.1-or-later
//
// The peer (adapt/peer.hpp) that a stream is corrected by while its correction is one: made when it is first wanted,
// dropped with all it has learnt when another correction is chosen.
//
// Thread safety: none. One instance belongs to one stream.

#pragma once

#include <memory>
#include <optional>

#include "adapt/peer.hpp"
#include "clip/text_bank.hpp"

namespace bcp::tag {

class ChosenPeer {
 public:
  // The peer of this correction, for these labels; null where the correction is none or bcp, and where the peer could
  // not be made, which is tried once. REQUIRES: drop() when the labels change.
  adapt::Peer* use(adapt::Correction correction, const clip::LabelSet& labels, double logit_scale);

  // What it has learnt is gone; the next frame makes it anew.
  void drop();

  // Why there is no peer where one was wanted, once for each that could not be made.
  std::optional<Error> take_refusal();

 private:
  adapt::Correction correction_ = adapt::Correction::kNone;  // that was tried last
  std::unique_ptr<adapt::Peer> peer_;
  std::optional<Error> refusal_;
};

}  // namespace bcp::tag
