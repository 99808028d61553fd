// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/reload.hpp"

#include <algorithm>
#include <utility>

#include "base/number_text.hpp"
#include "gst-bcp/run/plan/plan.hpp"
#include "gst-bcp/run/plan/recipe.hpp"

namespace bcp::cli::run {

Reload::Reload(Config config, const Request& given, Run& run) : config_(std::move(config)), given_(given), run_(run) {}

void Reload::read_again() {
  ConfigRead read = read_config(given_, &config_);
  for (const std::string& fault : read.faults) run_.say(fault);
  if (!read.faults.empty())
    return run_.say("gst-bcp: " + given_.config + " has " + counted(read.faults.size(), "fault") +
                    ": nothing was changed");
  const ConfigChanges changes = changes_between(config_, read.config);
  if (changes.other_model)
    return run_.say("gst-bcp: " + given_.config +
                    " has another model, which needs a restart of the program: nothing was changed");
  config_ = std::move(read.config);
  apply(changes);
}

void Reload::apply(const ConfigChanges& changes) {
  for (const std::string& key : changes.later)
    run_.say("gst-bcp: " + key + " in " + given_.config + " takes effect when the program is restarted");
  for (const std::string& source : changes.ended) {
    pending_.erase(source);
    if (Job* job = run_.camera(source)) job->finish();
  }
  for (const ConfigChanges::Live& live : changes.live) set_live(live);
  for (const std::string& source : changes.restarted) {
    Job* job = run_.camera(source);
    if (!job) continue;  // below
    pending_.insert(source);
    job->finish();
  }
  std::size_t again = 0;  // cameras that had failed
  for (const Input& input : config_.inputs) {
    Job* job = run_.camera(input.source);
    // Removed before, and not ended yet.
    if (job && job->is_finishing()) pending_.insert(input.source);
    if (job) continue;
    const bool is_new = std::find(changes.added.begin(), changes.added.end(), input.source) != changes.added.end();
    if (start(input.source) && !is_new) ++again;
  }
  std::string done;
  for (const auto& [count, what] : {std::pair(changes.added.size(), "added"),
                                    {changes.ended.size(), "removed"},
                                    {changes.restarted.size(), "restarted"},
                                    {changes.live.size(), "changed while running"},
                                    {again, "started again after a failure"}})
    if (count > 0) done += (done.empty() ? "" : ", ") + counted(count, "camera") + " " + what;
  if (done.empty()) done = changes.later.empty() ? "no change" : "no camera changed";
  run_.say("gst-bcp: " + given_.config + " was read again: " + done);
}

void Reload::on_ended(const std::string& source) {
  if (pending_.erase(source) > 0) start(source);
}

bool Reload::start(const std::string& source) {
  const auto input = std::find_if(config_.inputs.begin(), config_.inputs.end(),
                                  [&](const Input& each) { return each.source == source; });
  if (input == config_.inputs.end()) return false;
  Result<std::vector<Task>> tasks = plan(config_.request, {*input});
  if (!tasks) return run_.fail(tasks.error().message);
  return run_.start_camera(std::move(tasks->front()));
}

void Reload::set_live(const ConfigChanges::Live& live) {
  Job* job = run_.camera(live.source);
  if (!job) return;
  // A job that waits for its camera has no pipeline yet, and makes it from its recipe.
  std::vector<Setting>& recipe = job->task().recipe.tagger;
  recipe = config_.request.of(live.source).tagger;
  for (const Setting& setting : run_.model_settings()) recipe.push_back(setting);
  const gst::ElementPtr tagger = job->child(kTagger);
  // Checked when the file was read.
  for (const auto& [property, value] : live.settings)
    if (tagger) gst_util_set_object_arg(G_OBJECT(tagger.get()), property.c_str(), value.c_str());
}

}  // namespace bcp::cli::run
