// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/base.hpp"

#include <utility>

namespace bcp::prior {
namespace {

adapt::Cooccurrence scaled(adapt::Cooccurrence::Parts parts, double factor) {
  for (adapt::Cooccurrence::Era& era : parts.eras) {
    era.samples *= factor;
    for (double& value : era.single) value *= factor;
    for (double& value : era.faint) value *= factor;
  }
  for (double& value : parts.triangle) value *= factor;
  for (auto& pair : parts.stored) pair.value *= factor;
  for (adapt::SampleGroup& group : parts.groups) group.scale(factor);
  for (adapt::LabelRow& row : parts.rows) row.scale(factor);
  return adapt::Cooccurrence(std::move(parts));
}

}  // namespace

std::shared_ptr<const adapt::Others> bounded(const adapt::Cooccurrence& seen, bool settled) {
  const double samples = seen.samples();
  if (!(samples > 0)) return nullptr;
  if (samples <= kMostBaseSamples) return std::make_shared<adapt::Others>(adapt::Others{seen, settled});
  return std::make_shared<adapt::Others>(adapt::Others{scaled(seen.parts(), kMostBaseSamples / samples), settled});
}

std::shared_ptr<const adapt::Others> sum_of(const std::vector<std::shared_ptr<const adapt::Others>>& parts) {
  std::shared_ptr<const adapt::Others> first;
  std::shared_ptr<adapt::Others> sum;
  for (const auto& part : parts) {
    if (!part) continue;
    if (!first) {
      first = part;
      continue;
    }
    if (!sum) sum = std::make_shared<adapt::Others>(*first);
    sum->seen.add(part->seen);
    sum->settled = sum->settled || part->settled;
  }
  return sum ? sum : first;
}

Result<std::shared_ptr<const Snapshot>> load_base(const std::string& path, const std::string& model) {
  Result<Snapshot> loaded = load_snapshot(path);
  if (!loaded) {
    return Error{loaded.error().code,
                 "prior-base: " + loaded.error().message + "; set prior-base to a prior file, or to nothing"};
  }
  if (!loaded->model.empty() && !model.empty() && loaded->model != model) {
    return Error{ErrorCode::kInvalid, "prior-base: " + path + " was learnt with another model (" +
                                          loaded->model.substr(0, 12) + "; this one is " + model.substr(0, 12) +
                                          "): set prior-base to a prior file of this model, or to nothing"};
  }
  return std::make_shared<const Snapshot>(*std::move(loaded));
}

}  // namespace bcp::prior
