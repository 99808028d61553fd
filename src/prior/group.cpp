// SPDX-License-Identifier: LGPL-2.1-or-later

#include "prior/group.hpp"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/file.hpp"

namespace bcp::prior {
namespace {

struct Entry {
  std::mutex mutex;  // guards the rest
  std::condition_variable gone;
  std::weak_ptr<PriorGroup> group;
  bool exists = false;  // also while the last group is closing its file
};

// Names are few and chosen by people, so entries of closed groups are kept.
std::shared_ptr<Entry> entry_of(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Entry>> table;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Entry>& entry = table[name];
  if (!entry) entry = std::make_shared<Entry>();
  return entry;
}

std::string absolute(const std::string& path) {
  std::error_code unknown;
  const std::string found = std::filesystem::absolute(path, unknown).string();
  return unknown ? path : found;
}

std::ptrdiff_t known_labels(const std::vector<std::string>& labels, const Learnt& learnt) {
  const std::vector<int> rows = adapt::rows_of(labels, learnt.labels());
  return std::count_if(rows.begin(), rows.end(), [](int row) { return row >= 0; });
}

}  // namespace

std::shared_ptr<PriorGroup> PriorGroup::alone(const std::string& model) {
  return std::shared_ptr<PriorGroup>(new PriorGroup("", model));
}

Result<std::shared_ptr<PriorGroup>> PriorGroup::join(const std::string& name, const std::string& model) {
  if (name.empty()) return alone(model);
  const std::shared_ptr<Entry> entry = entry_of(name);
  std::shared_ptr<PriorGroup> group;  // before the lock: if this is the last reference, its destructor takes the lock
  std::unique_lock lock(entry->mutex);
  entry->gone.wait(lock, [&] { return (group = entry->group.lock()) || !entry->exists; });
  if (group) {
    if (group->model_ == model) return group;
    return Error{ErrorCode::kInvalid, "prior-group=" + name + " is already in use with another model (" +
                                          group->model_.substr(0, 12) + "; this one is " + model.substr(0, 12) +
                                          "): set the same model for all elements of the group, or give this one "
                                          "another prior-group"};
  }
  group.reset(new PriorGroup(name, model), [entry](PriorGroup* last) {
    delete last;  // closes its file, with no lock held
    const std::lock_guard held(entry->mutex);
    entry->exists = false;
    entry->group.reset();  // its deleter holds the entry
    entry->gone.notify_all();
  });
  entry->group = group;
  entry->exists = true;
  return group;
}

std::shared_ptr<Learnt> PriorGroup::find(const std::vector<std::string>& labels) const {
  for (const auto& each : all_) {
    if (std::shared_ptr<Learnt> there = each.lock(); there && there->labels() == labels) return there;
  }
  return nullptr;
}

std::shared_ptr<Learnt> PriorGroup::nearest(const std::vector<std::string>& labels) const {
  std::shared_ptr<Learnt> found;
  std::ptrdiff_t most = 1;
  for (const auto& each : all_) {
    const std::shared_ptr<Learnt> there = each.lock();
    if (!there || there->own_samples() == 0) continue;
    const std::ptrdiff_t known = known_labels(labels, *there);
    if (known < most) continue;
    most = known;
    found = there;
  }
  return found;
}

Successor PriorGroup::prepare(const std::vector<std::string>& labels) {
  std::shared_ptr<Learnt> source;
  std::size_t scenes = 1;
  {
    const std::lock_guard lock(mutex_);
    if (find(labels)) return Successor(labels);
    source = nearest(labels);
    scenes = scenes_;
  }
  Successor made(source, labels);
  if (Learnt* learnt = made.learnt()) {
    if (!source) learnt->set_scenes(scenes);
    learnt->set_base(base_for(labels));
  }
  return made;
}

std::shared_ptr<Learnt> PriorGroup::learnt(Successor prepared) {
  for (;;) {
    if (std::shared_ptr<Learnt> made = try_learnt(prepared)) return made;
    prepared = prepare(prepared.labels());
  }
}

std::shared_ptr<Learnt> PriorGroup::try_learnt(Successor& prepared) {
  const bool ready = prepared.catch_up();  // with no lock held
  const std::lock_guard lock(mutex_);
  if (std::shared_ptr<Learnt> there = find(prepared.labels())) return there;
  if (!ready) return nullptr;
  std::erase_if(all_, [](const auto& each) { return each.expired(); });
  std::shared_ptr<Learnt> made = prepared.take();
  made->taught_ = taught_;
  all_.push_back(made);
  return made;
}

std::shared_ptr<void> PriorGroup::retire(std::shared_ptr<Learnt> learnt) {
  const std::lock_guard lock(mutex_);
  // Other streams get their reference from all_, under the lock.
  if (learnt.use_count() > 1) return nullptr;
  std::erase_if(all_, [&](const auto& each) { return each.lock() == learnt; });
  return learnt;
}

std::vector<std::shared_ptr<Learnt>> PriorGroup::lists() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Learnt>> lists;
  for (const auto& each : all_) {
    if (std::shared_ptr<Learnt> there = each.lock()) lists.push_back(std::move(there));
  }
  return lists;
}

bool PriorGroup::is_apart(const Learnt& learnt) const {
  const std::lock_guard lock(mutex_);
  const auto is_another = [&](const auto& each) {
    const std::shared_ptr<Learnt> there = each.lock();
    return there && there.get() != &learnt && there->streams() > 0;
  };
  return learnt.streams() == 1 && std::any_of(all_.begin(), all_.end(), is_another);
}

void PriorGroup::set_scenes(std::size_t most) {
  const std::lock_guard lock(mutex_);
  scenes_ = most;
}

Result<std::shared_ptr<const Snapshot>> PriorGroup::set_base(const std::string& path, const std::string& own) {
  const std::lock_guard opening(opening_);
  const std::string from = absolute(path);
  if (!own.empty() && target_of(from) == target_of(absolute(own))) {
    return Error{ErrorCode::kInvalid, "prior-base and prior-file are the same file, " + from +
                                          ": its statistics would count twice; remove prior-base, or copy the file"};
  }
  if (!base_path_.empty()) {
    if (target_of(from) == target_of(base_path_)) return std::shared_ptr<const Snapshot>();
    return Error{ErrorCode::kInvalid, "prior-group=" + name_ + " uses prior-base=" + base_path_ +
                                          ", but this element sets " + path +
                                          ": set the same prior-base for all elements of the group, or for one of "
                                          "them only"};
  }
  Result<std::shared_ptr<const Snapshot>> base = load_base(from, model_);
  if (!base) return base.error();
  base_path_ = from;
  {
    const std::lock_guard lock(mutex_);
    base_ = *base;
  }
  for (const std::shared_ptr<Learnt>& each : lists()) each->set_base(base_for(each->labels()));
  return base;
}

std::shared_ptr<const adapt::Others> PriorGroup::base_for(const std::vector<std::string>& labels) const {
  std::shared_ptr<const Snapshot> base;
  {
    const std::lock_guard lock(mutex_);
    base = base_;
  }
  return base ? bounded(base->for_labels(labels), base->settled) : nullptr;
}

Result<PriorGroup::OpenedFile> PriorGroup::open_file(const std::string& path, PriorMode mode, const std::string& owner,
                                                     Learnt& learnt) {
  const std::lock_guard opening(opening_);
  if (std::shared_ptr<PriorFile> there = file()) {
    const std::string who = "prior-group=" + name_ + " uses " + there->path();
    if (target_of(absolute(path)) != target_of(there->path())) {
      return Error{ErrorCode::kInvalid, who + ", but this element sets " + path +
                                            ": set the same prior-file for all elements of the group, or for one of "
                                            "them only"};
    }
    if (mode != mode_) {
      return Error{ErrorCode::kInvalid,
                   who + " with another prior-mode: set the same prior-mode for all elements of the group"};
    }
    return OpenedFile{std::move(there), false, {}};
  }
  Result<std::unique_ptr<PriorFile>> file =
      PriorFile::open(path, mode, name_.empty() ? owner : "prior-group=" + name_, model_);
  if (!file) return file.error();
  OpenedFile opened{*std::move(file), true, {}};
  if (const auto snapshot = opened.file->take_loaded()) {
    const std::size_t known = learnt.add(*snapshot);
    opened.loaded = {known > 0 ? snapshot->seen.samples() : 0, snapshot->labels.size(), known};
  }
  // Last: no save may happen before the content of the file was added.
  const std::lock_guard lock(mutex_);
  mode_ = mode;
  file_ = opened.file;
  return opened;
}

std::shared_ptr<PriorFile> PriorGroup::file() const {
  const std::lock_guard lock(mutex_);
  return file_;
}

void PriorGroup::store_in_file(const std::shared_ptr<Learnt>& learnt) {
  const std::lock_guard lock(mutex_);
  stored_ = learnt;
}

bool PriorGroup::is_stored(const std::shared_ptr<Learnt>& learnt) const {
  const std::lock_guard lock(mutex_);
  return stored_.lock() == learnt;
}

}  // namespace bcp::prior
