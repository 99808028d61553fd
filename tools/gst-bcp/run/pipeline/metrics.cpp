// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst-bcp/run/pipeline/metrics.hpp"

#include <utility>

#include "support/stats_metrics.hpp"

namespace bcp::cli::run {

void InputMetrics::set_tagger(GstElement* tagger) {
  std::shared_ptr<GstElement> kept;
  if (tagger) kept.reset(GST_ELEMENT(gst_object_ref(tagger)), gst::Unref());
  tagger_.with([&](auto& current) { std::swap(current, kept); });  // the old one is freed outside the lock
}

void InputMetrics::add_to(prometheus::Exposition& exposition, const std::string& name) const {
  const prometheus::Labels labels{{"source", name}};
  exposition.gauge({"bcp_input_up", "Whether frames come from the input."}, labels, up_ ? 1 : 0);
  exposition.counter({"bcp_input_reconnects_total", "Times the input was lost and reconnected."}, labels,
                     static_cast<double>(reconnects_));
  const std::shared_ptr<GstElement> tagger = tagger_.copy();
  if (!tagger) return;
  GstStructure* stats = nullptr;
  g_object_get(tagger.get(), "stats", &stats, nullptr);
  if (const gst::StructurePtr owned{stats}) gst::add_stats(exposition, name, stats);
}

std::shared_ptr<InputMetrics> RunMetrics::begin(const std::string& source) {
  auto input = std::make_shared<InputMetrics>(source);
  running_.with([&](auto& running) {
    std::erase_if(running, [](const auto& entry) { return entry.expired(); });
    running.push_back(input);
  });
  return input;
}

std::string RunMetrics::text() const {
  std::vector<std::shared_ptr<InputMetrics>> running;
  for (const auto& entry : running_.copy()) {
    if (auto input = entry.lock()) running.push_back(std::move(input));
  }
  prometheus::Exposition exposition;
  const std::size_t done = done_, failed = failed_, begun = done + failed + running.size();
  const auto count = [&](const char* state, std::size_t inputs) {
    exposition.gauge({"bcp_inputs", "Inputs of this run."}, {{"state", state}}, static_cast<double>(inputs));
  };
  count("waiting", inputs_ > begun ? inputs_ - begun : 0);
  count("running", running.size());
  count("done", done);
  count("failed", failed);
  gst::SourceNames names;
  for (const auto& input : running) input->add_to(exposition, names.take(input->source()));
  return exposition.text();
}

}  // namespace bcp::cli::run
