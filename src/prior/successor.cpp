// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/successor.hpp"

#include <utility>

namespace bcp::prior {

Successor::Successor(const std::shared_ptr<Learnt>& source, std::vector<std::string> labels)
    : labels_(std::move(labels)) {
  if (!source) {
    learnt_ = std::make_shared<Learnt>(labels_);
    return;
  }
  from_ = adapt::rows_of(labels_, source->labels());
  notes_ = std::make_shared<Learnt::Notes>();
  // Created before the lock, so that its memory exists and frames wait only for the copy.
  adapt::Bcp bcp(source->labels().size());
  std::vector<Origin> origins;
  Origin own;
  Scenes scenes;
  {
    const std::lock_guard lock(source->mutex_);
    bcp = source->bcp_;
    std::erase_if(source->notes_, [](const auto& each) { return each.expired(); });
    source->notes_.push_back(notes_);
    origins = source->origins_;
    own = source->own_;
    scenes = source->scenes_;
  }
  bcp.relabel(from_);
  learnt_.reset(new Learnt(labels_, std::move(bcp)));
  learnt_->changed_ = true;
  learnt_->origins_ = std::move(origins);
  learnt_->own_ = std::move(own);
  scenes.relabel(from_);
  learnt_->scenes_ = std::move(scenes);
  if (const auto asleep = learnt_->scenes_.asleep(); !asleep.empty()) learnt_->add_asleep(asleep);
  if (catch_up()) learnt_->bcp_.settle();  // so that later recorded frames cost little
}

bool Successor::catch_up() {
  if (!learnt_) return false;
  if (!notes_) return true;
  std::vector<adapt::Bcp::Sample> samples;
  bool complete;
  {
    const std::lock_guard lock(notes_->mutex);
    samples.swap(notes_->samples);
    complete = notes_->complete;
  }
  for (const adapt::Bcp::Sample& sample : samples) complete = complete && learnt_->bcp_.learn_before(sample, from_);
  if (!complete) learnt_.reset();
  return complete;
}

}  // namespace bcp::prior
