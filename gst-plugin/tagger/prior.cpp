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
  tagger.join(*std::move(group));
  std::shared_ptr<Prior> prior(new Prior(element, tagger, statistics));
  if (Status opened = prior->open_file(settings); !opened) return opened.error();
  const double samples = tagger.samples();
  statistics.with([&](Statistics& s) {
    s.samples = samples;
    s.prior_group = settings.prior_group;
  });
  prior->tell_if_apart();
  return prior;
}

Status Prior::open_file(const Settings& settings) {
  if (settings.prior_file.empty() || settings.prior_mode == prior::PriorMode::kOff) return ok();
  const prior::Learnt& learnt = *tagger_->learnt();
  const Result<prior::PriorGroup::Kept> kept =
      tagger_->group().keep_in(settings.prior_file, settings.prior_mode, name_of(element_), *tagger_->learnt());
  if (!kept) return kept.error();
  names_file_ = true;
  tagger_->group().keep(tagger_->learnt());
  if (const auto& loaded = kept->loaded) {
    statistics_.with([&](Statistics& s) { s.prior_loaded = loaded->samples; });
    post_prior_loaded(element_, kept->file->path(), loaded->samples,
                      {loaded->known, learnt.labels().size() - loaded->known, loaded->labels - loaded->known});
  }
  if (const auto& refused = kept->file->refused(); refused && kept->is_new) {
    statistics_.with([](Statistics& s) { ++s.faults; });
    gst::post_warning(element_,
                      {refused->code, refused->message + "; the stream starts without it, and it is not overwritten"});
  }
  return ok();
}

void Prior::tell_if_apart() {
  if (!tagger_->is_apart()) return;
  gst::post_info(element_,
                 "the labels of " + name_of(element_) +
                     " differ from those of the others in prior-group=" + tagger_->group().name() +
                     ": it begins with what the group knows of them and learns on by itself; to learn together, "
                     "give all elements of the group the same labels in the same order");
}

// REQUIRES: the lock is held.
std::shared_ptr<prior::PriorFile> Prior::writable_file() const {
  if (!tagger_ || !(names_file_ || tagger_->group().keeps(tagger_->learnt()))) return nullptr;
  std::shared_ptr<prior::PriorFile> file = tagger_->group().file();
  return file && file->is_writable() ? file : nullptr;
}

// REQUIRES: the lock is held.
void Prior::queue(prior::PriorFile& file) {
  if (names_file_) tagger_->group().keep(tagger_->learnt());  // its labels may have changed
  tagger_->learnt()->save(file, *this);
}

void Prior::saved(const prior::PriorFile& file, const prior::PriorFile::Saved& saved) noexcept {
  gst::barrier(element_, [&] {
    if (!saved.status) {
      if (const auto held = lock(); tagger_) tagger_->learnt()->set_changed();  // the next save tries again
      statistics_.with([](Statistics& s) { ++s.faults; });
      if (!std::exchange(told_, true)) gst::post_warning(element_, saved.status.error());
      return;
    }
    told_ = false;
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
  const std::unique_lock held(mutex_, std::try_to_lock);
  if (!held) return;  // a frame is being scored: there will be another time
  const auto file = writable_file();
  const auto due = [&] {
    return std::chrono::steady_clock::now() - file->last_save() >= std::chrono::seconds(seconds);
  };
  if (file && tagger_->learnt()->is_changed() && due()) queue(*file);
}

// What there is to wait for, if anything. REQUIRES: the lock is held.
std::shared_ptr<prior::PriorFile> Prior::save_changes() {
  auto file = writable_file();
  if (file && tagger_->learnt()->is_changed()) queue(*file);
  return file;
}

void Prior::finish() {
  auto held = lock();
  const auto file = save_changes();
  held.unlock();
  if (file) file->finish();
}

void Prior::close() {
  finish();  // with the tagger: if it fails, others of the group are to know that something is unsaved
  auto held = lock();
  const auto file = writable_file();
  tagger_ = nullptr;
  held.unlock();
  if (file) file->finish();  // from here on nobody is told of a save
}

bool Prior::save() {
  const auto held = lock();
  const auto file = writable_file();
  if (file) queue(*file);
  return file != nullptr;
}

bool Prior::reset() {
  {
    const auto held = lock();
    if (!tagger_) return false;
    tagger_->forget();
  }
  statistics_.with([](Statistics& s) { s.samples = 0; });
  return true;
}

}  // namespace bcp::tagger
