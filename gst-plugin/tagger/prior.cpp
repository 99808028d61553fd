// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/prior.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "prior/merge.hpp"
#include "support/barrier.hpp"
#include "support/bus.hpp"
#include "support/owners.hpp"
#include "tagger/messages.hpp"

namespace bcp::tagger {
namespace {

constexpr std::chrono::seconds kGrace(1);  // while frames come, they save

std::string name_of(GstElement* element) {
  return gst::CharPtr(gst_object_get_name(GST_OBJECT(element))).get();
}

std::string source_of(GstElement* element, const Settings& settings) {
  return settings.source_id.empty() ? name_of(element) : settings.source_id;
}

}  // namespace

Result<std::shared_ptr<Prior>> Prior::open(GstElement* element, const Settings& settings, const clip::Bundle& bundle,
                                           tag::StreamTagger& tagger, gst::Guarded<Statistics>& statistics) {
  std::string name = settings.prior_group;
  std::optional<fleet::Address> address;
  if (fleet::has_scheme(name)) {
    Result<fleet::Address> parsed = fleet::Address::parse(name);
    if (!parsed) return Error{parsed.error().code, "prior-group=" + parsed.error().message};
    address = *std::move(parsed);
    name = address->shown();
  }
  Result<std::shared_ptr<prior::PriorGroup>> group = prior::PriorGroup::join(name, bundle.identity);
  if (!group) return group.error();
  if (Status prepared = prepare(element, settings, **group, tag::names_of(tagger.words().labels), statistics);
      !prepared)
    return prepared.error();
  tagger.join(*group);
  std::shared_ptr<Prior> prior(new Prior(element, *std::move(group), tagger.learnt(), statistics));
  // All nodes of a fleet have the same group.
  const std::string source = source_of(element, settings), node = address ? address->node : "";
  prior->stream_ = !node.empty() ? node : name.empty() || address ? source : name;
  prior->model_ = bundle.name;
  tagger.learnt()->set_origin(prior->stream_, prior->model_);
  if (Status opened = prior->open_file(settings); !opened) return opened.error();
  const double samples = tagger.samples();
  const prior::Learnt::SceneState scene = tagger.learnt()->scene();
  statistics.with([&](Statistics& s) {
    s.samples = samples;
    s.prior_group = name;
    s.set_scene(scene);
  });
  // After the file: what it contains is this node's own contribution.
  if (address) {
    if (Status joined = prior->join_fleet(settings, *address); !joined) return joined.error();
  }
  prior->post_if_apart();
  return prior;
}

// Before the tagger joins the group: what its statistics start from.
Status Prior::prepare(GstElement* element, const Settings& settings, prior::PriorGroup& group,
                      const std::vector<std::string>& labels, gst::Guarded<Statistics>& statistics) {
  if (settings.scenes > 1 && !group.name().empty()) {
    return Error{ErrorCode::kInvalid, "scenes=" + std::to_string(settings.scenes) +
                                          " cannot be combined with prior-group=" + group.name() +
                                          ", because a scene belongs to one camera: remove one of the two"};
  }
  group.set_scenes(settings.scenes);
  if (settings.prior_base.empty()) return ok();
  const bool has_file = settings.prior_mode != prior::PriorMode::kOff;
  const auto base = group.set_base(settings.prior_base, has_file ? settings.prior_file : "");
  if (!base) return base.error();
  if (!*base) return ok();  // another element of the group has read it
  const prior::Snapshot& read = **base;
  statistics.with([&](Statistics& s) { s.base_samples = read.seen.samples(); });
  const std::vector<int> rows = adapt::rows_of(labels, read.labels);
  if (std::all_of(rows.begin(), rows.end(), [](int row) { return row < 0; })) {
    gst::post_warning(element, {ErrorCode::kInvalid, "prior-base=" + settings.prior_base +
                                                         " has no effect: it has none of the labels of this stream; "
                                                         "gst-bcp prior show lists its labels"});
  }
  return ok();
}

Status Prior::open_file(const Settings& settings) {
  if (settings.prior_file.empty() || settings.prior_mode == prior::PriorMode::kOff) return ok();
  const std::shared_ptr<prior::Learnt> learnt = learnt_.lock();  // without mutex_: no other thread has this object yet
  const Result<prior::PriorGroup::OpenedFile> opened =
      group_->open_file(settings.prior_file, settings.prior_mode, name_of(element_), *learnt);
  if (!opened) return opened.error();
  names_file_ = true;
  group_->store_in_file(learnt);
  if (const auto& loaded = opened->loaded) {
    statistics_.with([&](Statistics& s) { s.prior_loaded = loaded->samples; });
    post_prior_loaded(element_, opened->file->path(), loaded->samples,
                      {loaded->known, learnt->labels().size() - loaded->known, loaded->labels - loaded->known});
  }
  if (const auto& refused = opened->file->refused(); refused && opened->is_new) {
    statistics_.with([](Statistics& s) { ++s.faults; });
    gst::post_warning(element_, {refused->code,
                                 refused->message + "; the stream starts without this file and does not overwrite it"});
  }
  return ok();
}

Status Prior::join_fleet(const Settings& settings, const fleet::Address& address) {
  Result<std::shared_ptr<fleet::Member>> member =
      fleet::Member::join(group_, address, fleet::default_node(source_of(element_, settings)));
  if (!member) return member.error();
  fleet_ = *std::move(member);
  fleet_->attach(*this);
  return ok();
}

void Prior::fleet_warning(const Error& error) noexcept {
  gst::barrier(element_, [&] {
    statistics_.with([](Statistics& s) { ++s.faults; });
    gst::post_warning(element_, error);
  });
}

void Prior::fleet_info(const std::string& text) noexcept {
  gst::barrier(element_, [&] { gst::post_info(element_, text); });
}

void Prior::fleet_changed(const fleet::Condition& condition) noexcept {
  gst::barrier(element_, [&] {
    statistics_.with([&](Statistics& s) {
      s.fleet_connected = condition.connected;
      s.fleet_node = condition.node;
      s.fleet_nodes = condition.nodes;
      s.fleet_samples = condition.samples;
      s.fleet_bytes = condition.traffic.sent + condition.traffic.received;
    });
  });
}

void Prior::set_learnt(const std::shared_ptr<prior::Learnt>& learnt) {
  learnt->set_origin(stream_, model_);
  const std::lock_guard lock(mutex_);
  learnt_ = learnt;
  if (fleet_) fleet_->wake();
}

void Prior::post_if_apart() {
  std::string group;
  {
    const std::lock_guard lock(mutex_);
    const std::shared_ptr<prior::Learnt> learnt = learnt_.lock();
    if (!group_ || !learnt || !group_->is_apart(*learnt)) return;
    group = group_->name();
  }
  gst::post_info(element_,
                 "the labels of " + name_of(element_) + " differ from those of the others in prior-group=" + group +
                     ": this element starts with the group's statistics of its labels and then learns alone; to learn "
                     "together, give all elements of the group the same labels in the same order");
}

bool Prior::outlives_stream() const {
  const std::lock_guard lock(mutex_);
  return !group_->name().empty() || group_->file();
}

Prior::Target Prior::target() const {
  std::shared_ptr<prior::Learnt> learnt = learnt_.lock();
  if (!group_ || !learnt || !(names_file_ || group_->is_stored(learnt))) return {};
  std::shared_ptr<prior::PriorFile> file = group_->file();
  if (!file || !file->is_writable()) return {};
  return {std::move(learnt), std::move(file)};
}

void Prior::save_to(const Target& to) {
  if (names_file_) group_->store_in_file(to.learnt);  // the labels of this element may have changed
  to.learnt->save(*to.file, *this);
}

void Prior::saved(const prior::PriorFile& file, const prior::PriorFile::Saved& saved) noexcept {
  gst::barrier(element_, [&] {
    if (!saved.status) {
      {
        const std::lock_guard lock(mutex_);
        if (const auto learnt = learnt_.lock(); group_ && learnt) learnt->set_changed();  // retried by the next save
      }
      statistics_.with([](Statistics& s) { ++s.faults; });
      if (!std::exchange(failing_, true)) gst::post_warning(element_, saved.status.error());
      return;
    }
    failing_ = false;
    const auto now = static_cast<std::uint64_t>(g_get_real_time() / G_USEC_PER_SEC);
    statistics_.with([&](Statistics& s) {
      ++s.prior_saves;
      s.prior_saved = saved.samples;
      s.prior_saved_at = now;
    });
    post_prior_saved(element_, file.path(), saved.samples, saved.labels);
  });
}

void Prior::save_every(unsigned seconds) {
  interval_ = seconds;
  if (seconds == 0) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  const Target to = target();
  if (!to) return;
  const Time now = std::chrono::steady_clock::now(), due = to.file->last_save() + std::chrono::seconds(seconds);
  if (reminder_ < now) remind(to, std::max(now, due));  // this frame may be the last for a while
  if (now < due || !to.learnt->is_changed()) return;
  if (to.learnt->try_save(*to.file, *this) && names_file_) group_->store_in_file(to.learnt);
}

void Prior::remind(const Target& to, Time due) {
  reminder_ = due + kGrace;
  to.file->remind(*this, reminder_);
}

void Prior::save_due() noexcept {
  gst::barrier(element_, [&] {
    const std::lock_guard lock(mutex_);
    const Target to = target();
    const unsigned seconds = interval_;
    if (seconds == 0 || !to || !to.learnt->is_changed()) return;
    const Time due = to.file->last_save() + std::chrono::seconds(seconds);
    std::chrono::steady_clock::now() < due ? remind(to, due) : save_to(to);
  });
}

void Prior::finish() {
  std::shared_ptr<prior::PriorFile> file;
  {
    const std::lock_guard lock(mutex_);
    const Target to = target();
    if (to && to.learnt->is_changed()) save_to(to);
    file = to.file;
  }
  if (file) file->finish();
}

void Prior::close() {
  finish();  // while learnt_ is in use: if the save fails, the others of the group see that it is unsaved
  std::shared_ptr<prior::PriorGroup> group;
  std::shared_ptr<prior::PriorFile> file;
  std::shared_ptr<fleet::Member> member;  // the last one says goodbye, with no lock held
  {
    const std::lock_guard lock(mutex_);
    // Not target().file: that is null if the file now stores another label list, but a save of ours may still run.
    if (group_) file = group_->file();
    member = std::exchange(fleet_, nullptr);
    group = std::exchange(group_, nullptr);  // released after the lock: the last reference closes the file
  }
  if (member) member->detach(*this);
  member.reset();  // before the group: it writes what the group has learnt
  if (!file) return;
  file->cancel(*this);
  file->finish();  // saved() is not called after this
}

bool Prior::save() {
  const std::lock_guard lock(mutex_);
  const Target to = target();
  if (to) save_to(to);
  return static_cast<bool>(to);
}

bool Prior::reset() {
  prior::Learnt::SceneState scene;
  {
    const std::lock_guard lock(mutex_);
    const std::shared_ptr<prior::Learnt> learnt = learnt_.lock();
    if (!group_ || !learnt) return false;
    learnt->forget();
    scene = learnt->scene();
  }
  statistics_.with([&](Statistics& s) {
    s.samples = 0;
    s.set_scene(scene);
  });
  return true;
}

Status Prior::merge(const std::string& path) {
  const Result<prior::Snapshot> other = prior::load_snapshot(path);
  if (!other) return other.error();
  const std::lock_guard merging(merging_);
  std::string model;
  std::shared_ptr<prior::Learnt> learnt;
  {
    const std::lock_guard lock(mutex_);
    learnt = learnt_.lock();
    if (!group_ || !learnt) return Error{ErrorCode::kRuntime, "merge-prior was ignored because the element is stopped"};
    model = group_->model();
  }
  if (const Status addable = prior::check_addable(model, learnt->origins(), *other); !addable)
    return Error{addable.error().code, path + addable.error().message};
  const std::size_t known = learnt->merge(*other);
  if (known == 0) {
    return Error{ErrorCode::kInvalid,
                 path + " has none of the labels of this stream, so nothing was merged: choose a file with its labels"};
  }
  const double samples = learnt->samples();
  statistics_.with([&](Statistics& s) { s.samples = samples; });
  post_prior_merged(element_, path, other->seen.samples(),
                    {known, learnt->labels().size() - known, other->labels.size() - known});
  return ok();
}

}  // namespace bcp::tagger
