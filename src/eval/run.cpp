// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/run.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "adapt/bcp.hpp"
#include "adapt/novelty.hpp"
#include "adapt/peer.hpp"
#include "adapt/softmax.hpp"

namespace bcp::eval {
namespace {

// What a method does to one sample after the other.
class Adapter {
 public:
  virtual ~Adapter() = default;
  virtual Status adapt(const adapt::Sample& sample, adapt::Scores& scores) = 0;
  virtual std::optional<adapt::Cooccurrence> seen() const { return std::nullopt; }
};

class PlainClip : public Adapter {
 public:
  Status adapt(const adapt::Sample& sample, adapt::Scores& scores) override {
    scores.resize(sample.logits.size());
    scores.zero_shot.assign(sample.logits.begin(), sample.logits.end());
    scores.corrected = scores.zero_shot;
    adapt::softmax(sample.logits, scores.zero_shot_probability);
    scores.probability = scores.zero_shot_probability;
    return ok();
  }
};

class BcpAdapter : public Adapter {
 public:
  BcpAdapter(std::size_t labels, const adapt::AdapterSettings& settings) : bcp_(labels), settings_(settings) {}

  Status adapt(const adapt::Sample& sample, adapt::Scores& scores) override {
    if (Status corrected = bcp_.correct(sample.logits, settings_.bcp, scores); !corrected) return corrected;
    if (!sample.embedding.empty() && !gate_.admit(sample.embedding, std::nullopt, settings_.novelty)) return ok();
    return bcp_.learn(sample.logits, settings_.bcp);
  }
  std::optional<adapt::Cooccurrence> seen() const override { return bcp_.seen(); }

 private:
  adapt::Bcp bcp_;
  adapt::NoveltyGate gate_;
  const adapt::AdapterSettings settings_;
};

class PeerAdapter : public Adapter {
 public:
  explicit PeerAdapter(std::unique_ptr<adapt::Peer> peer) : peer_(std::move(peer)) {}

  Status adapt(const adapt::Sample& sample, adapt::Scores& scores) override {
    return peer_->adapt(sample, true, scores);
  }

 private:
  std::unique_ptr<adapt::Peer> peer_;
};

Result<std::unique_ptr<Adapter>> make_adapter(const Stream& stream, const Method& method) {
  std::unique_ptr<Adapter> adapter;
  if (method.correction == adapt::Correction::kNone) {
    adapter = std::make_unique<PlainClip>();
  } else if (method.correction == adapt::Correction::kBcp) {
    adapter = std::make_unique<BcpAdapter>(stream.labels(), method.settings);
  } else {
    Result<std::unique_ptr<adapt::Peer>> peer = adapt::Peer::make(method.correction, stream.text());
    if (!peer) return peer.error();
    adapter = std::make_unique<PeerAdapter>(std::move(*peer));
  }
  return adapter;
}

}  // namespace

Result<Run> run_method(Stream& stream, const Order& order, const Method& method, const Ticks& ticks) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kTick = 256;
  const std::size_t samples = order.size();
  Result<std::unique_ptr<Adapter>> adapter = make_adapter(stream, method);
  if (!adapter) return adapter.error();
  Run run{.logits = {samples, stream.labels()},
          .softmax = {samples, stream.labels()},
          .likeliest = std::vector<std::uint32_t>(samples),
          .confidence = std::vector<double>(samples),
          .microseconds = std::vector<float>(samples),
          .seen = std::nullopt};
  adapt::Scores scores;
  for (std::size_t i = 0; i < samples; ++i) {
    const Result<adapt::Sample> sample = stream.sample(order[i]);
    if (!sample) return sample.error();
    const auto start = Clock::now();
    if (const Status adapted = (*adapter)->adapt(*sample, scores); !adapted) return adapted.error();
    run.microseconds[i] = std::chrono::duration<float, std::micro>(Clock::now() - start).count();
    run.logits.set_row(i, scores.corrected);
    run.softmax.set_row(i, scores.probability);
    const std::vector<double>& p = scores.zero_shot_probability;
    const auto top = std::max_element(p.begin(), p.end());
    run.likeliest[i] = static_cast<std::uint32_t>(top - p.begin());
    run.confidence[i] = *top;
    if (ticks && (i + 1) % kTick == 0) ticks(i + 1);
  }
  run.seen = (*adapter)->seen();
  return run;
}

}  // namespace bcp::eval
