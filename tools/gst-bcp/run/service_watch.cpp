// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/service_watch.hpp"

#include <algorithm>

#include "base/number_text.hpp"

namespace bcp::cli::run {

ServiceWatch::~ServiceWatch() {
  if (timer_ != 0) g_source_remove(timer_);
}

void ServiceWatch::ready() {
  service_.ready();
  if (timer_ != 0 || !service_.interval()) return;
  service_.alive();
  timer_ = g_timeout_add(
      static_cast<guint>(service_.interval()->count()),
      [](gpointer self) -> gboolean { return static_cast<ServiceWatch*>(self)->ping(), TRUE; }, this);
}

void ServiceWatch::note(const std::string& source, const Standing& standing, bool reporting) {
  if (!service_.exists()) return;
  const bool connected = standing.running && !standing.outage;
  connected_[source] = connected;
  pulse_.note(source, connected && !reporting, standing.frames, Pulse::Clock::now());
}

void ServiceWatch::forget(const std::string& source) {
  connected_.erase(source);
  pulse_.forget(source);
}

void ServiceWatch::report() {
  if (!service_.exists()) return;
  if (const std::string stuck = pulse_.stuck(Pulse::Clock::now()); !stuck.empty())
    return service_.status(stuck + " is stuck: no frame for a minute");
  const auto lost = std::count_if(connected_.begin(), connected_.end(), [](const auto& each) { return !each.second; });
  service_.status(counted(connected_.size(), "input") +
                  (lost > 0 ? ", " + std::to_string(lost) + " not connected" : ""));
}

// Withheld while frames are stuck.
void ServiceWatch::ping() {
  if (pulse_.stuck(Pulse::Clock::now()).empty()) service_.alive();
}

}  // namespace bcp::cli::run
