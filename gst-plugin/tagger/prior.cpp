// SPDX-License-Identifier: LGPL-2.1-or-later

#include "tagger/prior.hpp"

#include <utility>

#include "support/barrier.hpp"
#include "support/bus.hpp"
#include "support/owners.hpp"
#include "tagger/messages.hpp"

namespace bcp::gst {

Result<std::shared_ptr<Prior>> Prior::open(GstElement* element, const Settings& settings, const std::string& model,
                                           tag::StreamTagger& tagger, Guarded<Statistics>& statistics) {
  std::shared_ptr<Prior> prior(new Prior(element, tagger, statistics));
  if (settings.prior_file.empty() || settings.prior_mode == tag::PriorMode::kOff) return prior;
  Result<std::unique_ptr<tag::PriorFile>> file = tag::PriorFile::open(
      settings.prior_file, settings.prior_mode, CharPtr(gst_object_get_name(GST_OBJECT(element))).get(), model,
      [raw = prior.get()](const tag::PriorFile::Saved& saved) { barrier(raw->element_, [&] { raw->saved(saved); }); });
  if (!file) return file.error();
  prior->file_ = *std::move(file);
  if (auto snapshot = prior->file_->take_loaded()) prior->load(*std::move(snapshot));
  if (const auto& refused = prior->file_->refused()) {
    statistics.with([](Statistics& s) { ++s.faults; });
    post_warning(element,
                 {refused->code, refused->message + "; the stream starts without it, and it is not overwritten"});
  }
  return prior;
}

Prior::Prior(GstElement* element, tag::StreamTagger& tagger, Guarded<Statistics>& statistics)
    : element_(element), statistics_(statistics), tagger_(&tagger) {}

void Prior::load(adapt::Snapshot snapshot) {
  const std::size_t kept = tagger_->restore(snapshot);
  const double samples = tagger_->samples();
  statistics_.with([&](Statistics& s) { s.samples = s.prior_loaded = samples; });
  const std::size_t added = tagger_->labels().size() - kept, dropped = snapshot.labels.size() - kept;
  post_prior_loaded(element_, file_->path(), samples, {kept, added, dropped});
}

// REQUIRES: the lock is held, so that a save that was copied earlier cannot overtake this one.
void Prior::queue(const tag::StreamTagger& tagger) {
  file_->save(tagger.snapshot());
  changed_ = false;
  last_save_ = std::chrono::steady_clock::now();
}

void Prior::saved(const tag::PriorFile::Saved& saved) {
  if (!saved.status) {
    changed_ = true;
    statistics_.with([](Statistics& s) { ++s.faults; });
    if (!std::exchange(told_, true)) post_warning(element_, saved.status.error());
    return;
  }
  told_ = false;
  const auto now = static_cast<std::uint64_t>(g_get_real_time() / G_USEC_PER_SEC);
  statistics_.with([&](Statistics& s) {
    ++s.prior_saves;
    s.prior_saved = saved.samples;
    s.prior_saved_at = now;
  });
  post_prior_saved(element_, file_->path(), saved.samples, saved.labels);
}

void Prior::save_every(unsigned seconds) {
  if (seconds == 0 || !changed_ || !is_writable()) return;
  const auto held = lock();
  if (std::chrono::steady_clock::now() - last_save_ >= std::chrono::seconds(seconds)) queue(*tagger_);
}

void Prior::finish() {
  if (!is_writable()) return;
  if (changed_) {
    const auto held = lock();
    queue(*tagger_);
  }
  file_->finish();
}

void Prior::close() {
  {
    const auto held = lock();
    const tag::StreamTagger* tagger = std::exchange(tagger_, nullptr);
    if (tagger && changed_ && is_writable()) queue(*tagger);
  }
  if (!file_) return;
  file_->finish();  // before it goes: who saves still tells its name
  file_.reset();
}

bool Prior::save() {
  const auto held = lock();
  if (!tagger_ || !is_writable()) return false;
  queue(*tagger_);
  return true;
}

bool Prior::reset() {
  {
    const auto held = lock();
    if (!tagger_) return false;
    tagger_->forget();
    changed_ = true;  // under the lock: a stop in between would leave the file as it was
  }
  statistics_.with([](Statistics& s) { s.samples = 0; });
  return true;
}

}  // namespace bcp::gst
