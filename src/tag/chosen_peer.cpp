// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tag/chosen_peer.hpp"

#include <utility>

namespace bcp::tag {

adapt::Peer* ChosenPeer::use(adapt::Correction correction, const clip::LabelSet& labels, double logit_scale) {
  if (correction == correction_) return peer_.get();
  drop();
  correction_ = correction;
  if (!adapt::info_of(correction).wants_embeddings) return nullptr;
  const clip::TextMatrix& text = labels.embeddings;
  auto made = adapt::Peer::make(correction, {.count = static_cast<std::size_t>(text.rows()),
                                             .width = static_cast<std::size_t>(text.cols()),
                                             .text = {text.data(), static_cast<std::size_t>(text.size())},
                                             .scale = logit_scale});
  if (made) {
    peer_ = *std::move(made);
  } else {
    refusal_ = made.error();
  }
  return peer_.get();
}

void ChosenPeer::drop() {
  peer_.reset();
  refusal_.reset();
  correction_ = adapt::Correction::kNone;
}

std::optional<Error> ChosenPeer::take_refusal() {
  return std::exchange(refusal_, std::nullopt);
}

}  // namespace bcp::tag
