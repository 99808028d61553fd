// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/learnt.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <system_error>

#include "prior/base.hpp"

namespace bcp::prior {
namespace {

constexpr std::size_t kFewLabels = 512;  // adding the statistics of scenes takes less than a millisecond
constexpr int kAbsorbTries = 20;         // each takes a fraction of a second

std::uint64_t random_id() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

double Learnt::samples() const {
  const std::lock_guard lock(mutex_);
  return bcp_.seen().samples() + scenes_.samples_asleep() + (extras_[kOthers] ? extras_[kOthers]->seen.samples() : 0);
}

double Learnt::own_samples() const {
  const std::lock_guard lock(mutex_);
  return bcp_.seen().samples() + scenes_.samples_asleep();
}

std::shared_ptr<const adapt::Others> Learnt::set_extra(Extra which, std::shared_ptr<const adapt::Others> value) {
  const std::lock_guard setting(setting_);
  std::vector<std::shared_ptr<const adapt::Others>> parts(std::begin(extras_), std::end(extras_));
  parts[which] = value;
  std::shared_ptr<const adapt::Others> sum = sum_of(parts);  // without the lock
  const std::lock_guard lock(mutex_);
  extras_[which].swap(value);
  others_.swap(sum);
  return value;
}

std::shared_ptr<const adapt::Others> Learnt::set_others(std::shared_ptr<const adapt::Others> others) {
  return set_extra(kOthers, std::move(others));
}

void Learnt::set_base(std::shared_ptr<const adapt::Others> base) {
  set_extra(kBase, std::move(base));
}

void Learnt::set_asleep(std::shared_ptr<const adapt::Others> asleep) {
  const std::lock_guard lock(mutex_);
  asleep_.swap(asleep);  // the old one is freed without the lock
}

adapt::Added Learnt::added() const {
  return {.others = others_.get(),
          .asleep = asleep_.get(),
          .share = asleep_ ? scenes_.share().share(asleep_->seen.samples()) : 0};
}

void Learnt::weigh_asleep(std::span<const double> p) {
  if (asleep_) scenes_.share().observe(p, bcp_.seen(), asleep_->seen);
}

void Learnt::set_scenes(std::size_t most) {
  const std::lock_guard lock(mutex_);
  scenes_ = Scenes(most);
}

std::optional<SceneChange> Learnt::follow(std::span<const float> embedding, std::optional<double> time) {
  SceneChange change{};
  Scenes::Asleep asleep;
  {
    const std::lock_guard lock(mutex_);
    if (!scenes_.are_followed()) return std::nullopt;
    const auto scene = scenes_.observe(embedding, time);
    if (!scene) return std::nullopt;
    break_copy();
    change = scenes_.enter(*scene, bcp_);
    give_up_notes();
    note_change();
    asleep = scenes_.asleep();
  }
  use_asleep(asleep);
  return change;
}

void Learnt::use_asleep(const Scenes::Asleep& asleep) {
  if (labels_.size() <= kFewLabels) return add_asleep(asleep);
  set_asleep(nullptr);  // it has the scene that is awake now
  adding_ = {};         // waits for an earlier one, whose sum is older
  try {
    adding_ = std::async(std::launch::async, [this, asleep, forgotten = forgotten()] {
      add_asleep(asleep);
      if (this->forgotten() != forgotten) set_asleep(nullptr);
    });
  } catch (const std::system_error&) {  // no thread
    add_asleep(asleep);
  }
}

void Learnt::add_asleep(const Scenes::Asleep& asleep) {
  std::optional<adapt::Cooccurrence> sum;
  bool settled = false;
  for (const auto& each : asleep) {
    sum ? sum->add(each->seen()) : void(sum.emplace(each->seen()));
    settled = settled || each->settled();
  }
  if (sum) sum->settle();  // frames read it much more often
  set_asleep(sum && sum->samples() > 0 ? std::make_shared<adapt::Others>(adapt::Others{*std::move(sum), settled})
                                       : nullptr);
}

void Learnt::restart_scenes() {
  const std::lock_guard lock(mutex_);
  scenes_.restart();
}

Learnt::SceneState Learnt::scene() const {
  const std::lock_guard lock(mutex_);
  if (!scenes_.are_followed()) return {};
  return {scenes_.id(), scenes_.count(), scenes_.changes()};
}

Status Learnt::correct(std::span<const double> logits, const adapt::BcpSettings& settings, adapt::Scores& scores) {
  const std::lock_guard lock(mutex_);
  return bcp_.correct(logits, settings, scores, added());
}

void Learnt::habits(std::span<const double> p, double weight, std::span<double> shift) {
  const std::lock_guard lock(mutex_);
  habits_.shift(bcp_.seen(), p, weight, shift, added());
}

void Learnt::forget() {
  adapt::Bcp nothing(labels_.size());
  std::unique_lock lock(mutex_);
  if (asked_ && !kept_) kept_ = std::make_shared<Kept>(Kept{adapt::Bcp(0), copy_frame()});
  break_copy();
  std::swap(bcp_, nothing);
  scenes_.clear();
  if (kept_ && kept_->bcp.seen().labels() == 0) kept_->bcp = std::move(nothing);
  origins_.clear();
  own_.id = random_id();  // none of its samples is left in here: earlier files can be merged
  own_.first = seconds_now();
  own_.samples = 0;
  give_up_notes();
  taught_->change([](decide::Taught& taught) { taught = {}; });
  note_change();
  ++forgotten_;
  lock.unlock();
  set_asleep(nullptr);  // last: add_asleep() on another thread notices the forget(), or is overwritten here
}

void Learnt::set_origin(const std::string& stream, const std::string& model) {
  const std::lock_guard lock(mutex_);
  if (own_.stream.empty()) own_ = {stream, model, random_id(), seconds_now(), 0, own_.samples};
}

std::size_t Learnt::add(const prior::Snapshot& saved) {
  const std::vector<int> from = adapt::rows_of(labels_, saved.labels);
  std::unique_lock lock(mutex_);
  break_copy();
  adapt::Bcp loaded = scenes_.are_followed() && !saved.scenes.empty()
                          ? restore_scenes(saved, from)
                          : adapt::Bcp(saved.seen.relabelled(from), saved.settled);
  adapt::Cooccurrence seen = loaded.seen();
  seen.add(bcp_.seen());
  bcp_ = adapt::Bcp(std::move(seen), loaded.settled() || bcp_.settled());
  give_up_notes();
  ++revision_;
  loaded_ = loaded_ || saved.seen.samples() > 0;
  origins_ = united(std::move(origins_), saved.origins);
  // The same stream goes on: its newest entry.
  const auto is_own = [&](const Origin& each) { return each.stream == own_.stream && each.model == own_.model; };
  const auto newest = std::max_element(origins_.begin(), origins_.end(), [&](const Origin& a, const Origin& b) {
    return std::pair(is_own(a), a.last) < std::pair(is_own(b), b.last);
  });
  if (newest != origins_.end() && is_own(*newest)) {
    own_.id = newest->id;
    own_.first = newest->first;
    own_.samples += newest->samples;
    origins_.erase(newest);
  }
  if (!saved.taught.empty()) {
    const bool was_saved = taught_->own_version() == saved_taught_;
    taught_->change([&](decide::Taught& taught) { taught.add(saved.taught); });
    if (was_saved) saved_taught_ = taught_->own_version();
  }
  const Scenes::Asleep asleep = scenes_.asleep();
  lock.unlock();
  if (!asleep.empty()) add_asleep(asleep);
  return static_cast<std::size_t>(std::count_if(from.begin(), from.end(), [](int row) { return row >= 0; }));
}

// One that was stored alone has the statistics of the snapshot.
adapt::Bcp Learnt::restore_scenes(const prior::Snapshot& saved, std::span<const int> from) {
  std::vector<StoredScene> scenes = saved.scenes;
  for (StoredScene& each : scenes) {
    const adapt::Cooccurrence& seen = each.learnt ? each.learnt->seen() : saved.seen;
    each.learnt =
        std::make_shared<const adapt::Bcp>(seen.relabelled(from), each.learnt ? each.learnt->settled() : saved.settled);
  }
  scenes_.share() = saved.share;
  return scenes_.restore(std::move(scenes));
}

std::size_t Learnt::merge(const prior::Snapshot& other) {
  const std::vector<int> from = adapt::rows_of(labels_, other.labels);
  const auto known =
      static_cast<std::size_t>(std::count_if(from.begin(), from.end(), [](int row) { return row >= 0; }));
  if (known == 0) return 0;
  const adapt::Cooccurrence more = other.seen.relabelled(from);
  bool added = false;
  for (int i = 0; i < kAbsorbTries && !added; ++i) added = absorb(more, other.settled);
  const std::lock_guard lock(mutex_);
  if (!added) {  // frames come faster than they can be learnt twice: they wait once
    break_copy();
    adapt::Cooccurrence seen = more;
    seen.add(bcp_.seen());
    bcp_ = adapt::Bcp(std::move(seen), other.settled || bcp_.settled());
    give_up_notes();
  }
  origins_ = united(std::move(origins_), other.origins);
  if (!other.taught.empty()) taught_->change([&](decide::Taught& taught) { taught.add(other.taught); });
  note_change();
  return known;
}

bool Learnt::absorb(adapt::Cooccurrence more, bool settled) {
  const auto notes = std::make_shared<Notes>();
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(notes_, [](const auto& each) { return each.expired(); });
    notes_.push_back(notes);
  }
  // Frames learnt after the notes began and before the copy would count twice, so the copy takes the lock first.
  adapt::Bcp next(0);
  {
    const std::lock_guard copying(copying_);
    std::optional<adapt::Cooccurrence::Parts> parts;
    bool was_settled = false;
    {
      std::unique_lock lock(mutex_);
      {
        const std::lock_guard note(notes->mutex);
        notes->samples.clear();
        if (!notes->complete) return false;
      }
      was_settled = bcp_.settled();
      parts = copy_pairs(lock);
    }
    if (!parts) return false;
    more.add(adapt::Cooccurrence(*std::move(parts)));
    next = adapt::Bcp(std::move(more), settled || was_settled);
  }
  std::vector<int> same(labels_.size());
  std::iota(same.begin(), same.end(), 0);
  // Returns false if the recorded frames are not all that was learnt.
  const auto catch_up = [&] {
    std::vector<adapt::Bcp::Sample> samples;
    {
      const std::lock_guard lock(notes->mutex);
      samples.swap(notes->samples);
      if (!notes->complete) return false;
    }
    return std::all_of(samples.begin(), samples.end(),
                       [&](const adapt::Bcp::Sample& sample) { return next.learn_before(sample, same); });
  };
  if (!catch_up()) return false;
  next.settle();  // so that the frames recorded since cost little under the lock
  const std::lock_guard lock(mutex_);
  if (!catch_up()) return false;
  break_copy();
  std::swap(bcp_, next);
  give_up_notes();
  note_change();
  return true;
}

void Learnt::Notes::add(const adapt::Bcp::Sample& sample) {
  const std::lock_guard lock(mutex);
  if (samples.size() == kMost) complete = false;
  complete ? samples.push_back(sample) : samples.clear();
}

void Learnt::Notes::give_up() {
  const std::lock_guard lock(mutex);
  complete = false;
  samples.clear();
}

void Learnt::note(const adapt::Bcp::Sample& sample) {
  std::erase_if(notes_, [](const auto& each) { return each.expired(); });
  for (const auto& each : notes_) {
    if (const auto notes = each.lock()) notes->add(sample);
  }
}

void Learnt::give_up_notes() {
  for (const auto& each : notes_) {
    if (const auto notes = each.lock()) notes->give_up();
  }
  notes_.clear();
}

}  // namespace bcp::prior
