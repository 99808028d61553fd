// SPDX-License-Identifier: LGPL-2.1-or-later
#include "eval/method.hpp"

#include <utility>

#include "adapt/bcp.hpp"
#include "adapt/novelty.hpp"
#include "adapt/softmax.hpp"

namespace bcp::eval {
namespace {

class PlainClip : public Adapter {
 public:
  Status adapt(const Sample& sample, std::optional<double>, adapt::Scores& scores) override {
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

  Status adapt(const Sample& sample, std::optional<double> time, adapt::Scores& scores) override {
    if (Status corrected = bcp_.correct(sample.logits, settings_.bcp, scores); !corrected) return corrected;
    if (!sample.embedding.empty() && !gate_.admit(sample.embedding, time, settings_.novelty)) return ok();
    ++learnt_;
    return bcp_.learn(sample.logits, settings_.bcp);
  }
  std::size_t learnt() const override { return learnt_; }
  std::optional<adapt::Cooccurrence> seen() const override { return bcp_.seen(); }

 private:
  adapt::Bcp bcp_;
  adapt::NoveltyGate gate_;
  const adapt::AdapterSettings settings_;
  std::size_t learnt_ = 0;
};

// BCP with fixed statistics.
class FixedBcp : public Adapter {
 public:
  FixedBcp(const adapt::Cooccurrence& seen, const adapt::BcpSettings& settings)
      : bcp_(seen, true), settings_(settings) {}

  Status adapt(const Sample& sample, std::optional<double>, adapt::Scores& scores) override {
    return bcp_.correct(sample.logits, settings_, scores);
  }

 private:
  adapt::Bcp bcp_;
  const adapt::BcpSettings settings_;
};

class PeerAdapter : public Adapter {
 public:
  explicit PeerAdapter(std::unique_ptr<Peer> peer) : peer_(std::move(peer)) {}

  Status adapt(const Sample& sample, std::optional<double>, adapt::Scores& scores) override {
    ++learnt_;
    return peer_->adapt(sample, true, scores);
  }
  std::size_t learnt() const override { return learnt_; }

 private:
  std::unique_ptr<Peer> peer_;
  std::size_t learnt_ = 0;
};

}  // namespace

Result<std::unique_ptr<Adapter>> Adapter::make(const Method& method, const Labels& labels) {
  std::unique_ptr<Adapter> adapter;
  if (method.kind == MethodKind::kNone) {
    adapter = std::make_unique<PlainClip>();
  } else if (method.kind == MethodKind::kBcp && method.fixed) {
    adapter = std::make_unique<FixedBcp>(*method.fixed, method.settings.bcp);
  } else if (method.kind == MethodKind::kBcp) {
    adapter = std::make_unique<BcpAdapter>(labels.count, method.settings);
  } else {
    Result<std::unique_ptr<Peer>> peer = Peer::make(method.kind, labels);
    if (!peer) return peer.error();
    adapter = std::make_unique<PeerAdapter>(std::move(*peer));
  }
  return adapter;
}

}  // namespace bcp::eval
