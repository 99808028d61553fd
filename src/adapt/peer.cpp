// SPDX-License-Identifier: LGPL-2.1-or-later

#include "adapt/peer.hpp"

#include <string>

#include "adapt/peers/dmn.hpp"
#include "adapt/peers/dota.hpp"
#include "adapt/peers/gaussian_alignment.hpp"
#include "adapt/peers/tda.hpp"

namespace bcp::adapt {

Result<std::unique_ptr<Peer>> Peer::make(Correction correction, const Labels& labels) {
  const CorrectionInfo& info = info_of(correction);
  if (info.wants_text && labels.text.size() != labels.count * labels.width) {
    return Error{
        ErrorCode::kInvalid,
        std::string(info.name) + " wants the labels' text embeddings: give them, or choose another correction"};
  }
  switch (correction) {
    case Correction::kTda:
      return Tda::make(labels);
    case Correction::kDota:
      return Dota::make(labels);
    case Correction::kDmn:
      return Dmn::make(labels);
    case Correction::kAdapt:
      return GaussianAlignment::make(labels);
    case Correction::kNone:
    case Correction::kBcp:
      break;
  }
  return Error{ErrorCode::kInvalid, std::string(info.name) + " corrects from scores, not as a peer"};
}

}  // namespace bcp::adapt
