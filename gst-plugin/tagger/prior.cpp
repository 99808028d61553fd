// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/prior.hpp"

#include <chrono>
#include <utility>

#include "support/barrier.hpp"
#include "support/bus.hpp"
#include "support/owners.hpp"
#include "tagger/messages.hpp"

namespace bcp::tagger {
namespace {

std::string name_of(GstElement* element) {
  return gst::CharPtr(gst_object_get_name(GST_OBJECT(element))).get();
}

}  // namespace

Result<std::shared_ptr<Prior>> Prior::open(GstElement* element, const Settings& settings, const std::string& model,
                                           tag::StreamTagger& tagger, gst::Guarded<Statistics>& statistics) {
  Result<std::shared_ptr<prior::PriorGroup>> group = prior::PriorGroup::join(settings.prior_group, model);
  if (!group) return group.error();
  tagger.join(*group);
  std::shared_ptr<Prior> prior(new Prior(element, *std::move(group), tagger.learnt(), statistics));
  if (Status opened = prior->open_file(settings); !opened) return opened.error();
  const double samples = tagger.samples();
  statistics.with([&](Statistics& s) {
    s.samples = samples;
    s.prior_group = settings.prior_group;
  });
  prior->post_if_apart();
  return prior;
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

void Prior::set_learnt(const std::shared_ptr<prior::Learnt>& learnt) {
  const std::lock_guard lock(mutex_);
  learnt_ = learnt;
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
  if (seconds == 0) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  const Target to = target();
  const auto is_due = [&] {
    return std::chrono::steady_clock::now() - to.file->last_save() >= std::chrono::seconds(seconds);
  };
  if (!to || !to.learnt->is_changed() || !is_due()) return;
  if (to.learnt->try_save(*to.file, *this) && names_file_) group_->store_in_file(to.learnt);
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
  {
    const std::lock_guard lock(mutex_);
    // Not target().file: that is null if the file now stores another label list, but a save of ours may still run.
    if (group_) file = group_->file();
    group = std::exchange(group_, nullptr);  // released after the lock: the last reference closes the file
  }
  if (file) file->finish();  // saved() is not called after this
}

bool Prior::save() {
  const std::lock_guard lock(mutex_);
  const Target to = target();
  if (to) save_to(to);
  return static_cast<bool>(to);
}

bool Prior::reset() {
  {
    const std::lock_guard lock(mutex_);
    const std::shared_ptr<prior::Learnt> learnt = learnt_.lock();
    if (!group_ || !learnt) return false;
    learnt->forget();
  }
  statistics_.with([](Statistics& s) { s.samples = 0; });
  return true;
}

}  // namespace bcp::tagger
