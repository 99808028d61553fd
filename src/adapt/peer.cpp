// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/peer.hpp"

#include <string>

#include "adapt/peers/dota.hpp"
#include "adapt/peers/tda.hpp"

namespace bcp::adapt {

Result<std::unique_ptr<Peer>> Peer::make(Correction correction, const Labels& labels) {
  switch (correction) {
    case Correction::kTda:
      return Tda::make(labels);
    case Correction::kDota:
      return Dota::make(labels);
    case Correction::kNone:
    case Correction::kBcp:
      break;
  }
  return Error{ErrorCode::kInvalid, std::string(info_of(correction).name) + " corrects from scores, not as a peer"};
}

}  // namespace bcp::adapt
