// SPDX-License-Identifier: LGPL-2.1-or-later

#include "eval/peers/peer.hpp"

#include <string>

#include "eval/peers/dmn.hpp"
#include "eval/peers/dota.hpp"
#include "eval/peers/gaussian_alignment.hpp"
#include "eval/peers/tda.hpp"

namespace bcp::eval {

Result<std::unique_ptr<Peer>> Peer::make(MethodKind kind, const Labels& labels) {
  const MethodInfo& info = info_of(kind);
  if (info.wants_text && labels.text.size() != labels.count * labels.width) {
    return Error{ErrorCode::kInvalid,
                 std::string(info.name) + " needs the labels' text embeddings: give them, or choose another method"};
  }
  switch (kind) {
    case MethodKind::kTda:
      return Tda::make(labels);
    case MethodKind::kDota:
      return Dota::make(labels);
    case MethodKind::kDmn:
      return Dmn::make(labels);
    case MethodKind::kAdapt:
      return GaussianAlignment::make(labels);
    case MethodKind::kNone:
    case MethodKind::kBcp:
      break;
  }
  return Error{ErrorCode::kInvalid, std::string(info.name) + " is not a peer: it corrects from scores"};
}

}  // namespace bcp::eval
